import type { Socket } from "node:dgram";

/** 320 ms of sound: a socket that is behind by more is not sending at all. */
const SLOTS = 16;

export type PacketRing = {
  /** A buffer that nobody is sending; what is written to it before `send` goes out. */
  next(): Buffer;
  /** Sends the first bytes of the buffer that `next` gave last. */
  send(length: number, port: number, address: string): void;
};

/**
 * Buffers for packets, used again once sent: a socket that cannot send at once reads a buffer after `send` has returned. Whether all have gone is
 * asked once a round, since a callback for each costs a quarter of sending it; when some have not, the round begins with new ones.
 */
export function packetRing(socket: Socket, bytes: number): PacketRing {
  const fresh = () => Array.from({ length: SLOTS }, () => Buffer.alloc(bytes));
  let slots = fresh();
  let at = -1;
  return {
    next() {
      at = (at + 1) % SLOTS;
      if (at === 0 && socket.getSendQueueCount() > 0) slots = fresh();
      return slots[at]!;
    },
    send(length, port, address) {
      socket.send(slots[at]!, 0, length, port, address);
    },
  };
}
