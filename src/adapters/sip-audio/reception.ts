import type { ReportBlock } from "./rtcp.ts";

/** How one stream arrives (RFC 3550, appendix A.1, A.3 and A.8). */
export type Reception = {
  readonly ssrc: number;
  /** Ticks a second of its timestamps. */
  readonly clockRate: number;
  packet(sequence: number, timestamp: number, atMs: number): void;
  /** What a report says of it; the fraction is since the last one. */
  block(lastReport: number, delay: number): ReportBlock;
  figures(): { received: number; lost: number; jitterMs: number };
};

export function reception(ssrc: number, first: number, clockRate: number): Reception {
  let highest = first;
  let cycles = 0;
  let received = 0;
  let before = { expected: 0, received: 0 };
  let transit: number | undefined;
  let jitter = 0;
  const expected = () => cycles * 2 ** 16 + highest - first + 1;
  return {
    ssrc,
    clockRate,
    packet(sequence, timestamp, atMs) {
      received++;
      const ahead = (sequence - highest) & 0xffff;
      if (ahead > 0 && ahead < 2 ** 15) {
        if (sequence < highest) cycles++;
        highest = sequence;
      }
      const arrival = (atMs * clockRate) / 1_000;
      // Wraps as the timestamp does; only differences count.
      const now = (arrival - timestamp) % 2 ** 32;
      if (transit !== undefined) {
        const change = Math.abs(now - transit);
        if (change < 2 ** 31) jitter += (change - jitter) / 16;
      }
      transit = now;
    },
    block(lastReport, delay) {
      const since = { expected: expected() - before.expected, received: received - before.received };
      before = { expected: expected(), received };
      const lost = since.expected - since.received;
      const fractionLost =
        since.expected <= 0 || lost <= 0 ? 0 : Math.min(255, Math.floor((lost * 256) / since.expected));
      return {
        ssrc,
        fractionLost,
        lost: expected() - received,
        highest: (cycles * 2 ** 16 + highest) % 2 ** 32,
        jitter: Math.floor(jitter),
        lastReport,
        delay,
      };
    },
    figures: () => ({ received, lost: Math.max(0, expected() - received), jitterMs: (jitter / clockRate) * 1_000 }),
  };
}
