import type { Owner } from "#test/support/processes/processes.ts";
import { open, udpProxy } from "./udp-proxy.ts";

export type LossyNetwork = {
  /** Where the telephone is to be called. */
  port: number;
  /** Packets of sound, of either way. */
  count: { all: number; lost: number; late: number };
};

/** How long a late packet takes more than the others: it is overtaken by one, two or three. */
const LATE_MS = [25, 65] as const;

/**
 * A network between us and a telephone's SIP port that loses a share of the sound of one call, and brings a share of it late, by a chance that
 * is the same each time. The signalling comes through whole; its descriptions name the network's ports in place of the true ones, which have
 * five digits as these.
 */
export async function lossyNetwork(
  owner: Owner,
  target: number,
  losses: { lost: number; late: number; seed: number },
): Promise<LossyNetwork> {
  const [near, far] = [await open(owner), await open(owner)];
  const ports: { ours?: number; theirs?: number } = {};
  const count = { all: 0, lost: 0, late: 0 };
  let state = losses.seed;
  // Park and Miller's.
  const chance = () => {
    state = (state * 48_271) % 0x7fffffff;
    return state / 0x7fffffff;
  };
  function pass(bytes: Buffer, send: (bytes: Buffer) => void): void {
    count.all++;
    const drawn = chance();
    if (drawn < losses.lost) count.lost++;
    else if (drawn < losses.lost + losses.late) {
      count.late++;
      const timer = setTimeout(() => send(bytes), LATE_MS[0] + chance() * (LATE_MS[1] - LATE_MS[0]));
      owner.after(() => clearTimeout(timer));
    } else send(bytes);
  }
  near.on("message", (bytes) => {
    const { theirs } = ports;
    if (theirs !== undefined) pass(bytes, (packet) => far.send(packet, theirs, "127.0.0.1"));
  });
  far.on("message", (bytes) => {
    const { ours } = ports;
    if (ours !== undefined) pass(bytes, (packet) => near.send(packet, ours, "127.0.0.1"));
  });
  const proxy = await udpProxy(
    owner,
    target,
    () => false,
    (text, isOut) =>
      text.replace(/^m=audio (\d{5})/m, (_, port: string) => {
        if (isOut) ports.ours = Number(port);
        else ports.theirs = Number(port);
        return `m=audio ${(isOut ? far : near).address().port}`;
      }),
  );
  return { port: proxy.port, count };
}
