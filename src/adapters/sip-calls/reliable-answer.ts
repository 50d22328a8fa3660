import { alarmsOf, LINGER_MS, T1_MS, T2_MS } from "#adapters/sip-transport/client-transaction.ts";
import type { Clock } from "#adapters/sip-transport/clock.ts";
import type { ServerTransaction } from "#adapters/sip-transport/transactions.ts";

/**
 * Sends a 2xx again and again until its ACK comes (RFC 3261, 13.3.1.4), over every transport: a proxy in between may lose it. The
 * returned function is called with the ACK.
 */
export function untilAcknowledged(
  clock: Clock,
  transaction: ServerTransaction,
  unacknowledged: () => void,
): () => void {
  const alarms = alarmsOf(clock);
  const again = (ms: number): void =>
    alarms.after(ms, () => {
      transaction.resend();
      again(Math.min(ms * 2, T2_MS));
    });
  again(T1_MS);
  alarms.after(LINGER_MS, () => {
    alarms.stop();
    unacknowledged();
  });
  return alarms.stop;
}

/** The same for a provisional answer and its PRACK (RFC 3262, 3), without a longest wait between. */
export function untilPracked(clock: Clock, transaction: ServerTransaction, unacknowledged: () => void): () => void {
  const alarms = alarmsOf(clock);
  const again = (ms: number): void =>
    alarms.after(ms, () => {
      transaction.resend();
      again(ms * 2);
    });
  again(T1_MS);
  alarms.after(LINGER_MS, () => {
    alarms.stop();
    unacknowledged();
  });
  return alarms.stop;
}
