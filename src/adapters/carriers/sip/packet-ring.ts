import type { Socket } from "node:dgram";

/** 320 ms of sound: a socket that is behind by more is not sending at all. */
const SLOTS = 16;

export type PacketRing = {
  /** A buffer that nobody is sending; what is written to it before `send` goes out. */
  next(): Buffer;
  /** Sends the first bytes of the buffer that `next` gave last. */
  send(length: number, port: number, address: string): void;
};

/** Buffers for packets, used again once sent: the socket reads a buffer after `send` has returned. When all are on the way, a new one is made. */
export function packetRing(socket: Socket, bytes: number): PacketRing {
  const slots = Array.from({ length: SLOTS }, () => ({ buffer: Buffer.alloc(bytes), isBusy: false }));
  const released = slots.map((slot) => () => {
    slot.isBusy = false;
  });
  const unheard = () => {};
  let at = 0;
  let current = Buffer.alloc(0);
  return {
    next() {
      at = (at + 1) % SLOTS;
      current = slots[at]!.isBusy ? Buffer.alloc(bytes) : slots[at]!.buffer;
      return current;
    },
    send(length, port, address) {
      const slot = slots[at]!;
      const isOwn = current === slot.buffer;
      if (isOwn) slot.isBusy = true;
      socket.send(current, 0, length, port, address, isOwn ? released[at] : unheard);
    },
  };
}
