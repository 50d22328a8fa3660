import { HEADER_BYTES } from "./decode.ts";

/** A message_payload of 100 segments fits. Whoever announces more cannot be followed. */
export const MAX_PDU_BYTES = 16_384;

/**
 * Cuts a stream into PDUs by command_length. What it holds never exceeds one PDU and one chunk; each octet is copied twice at most, in whatever
 * pieces they come. `push` answers false when the stream can no longer be followed and has to be closed: a length that is shorter than a header,
 * or longer than any PDU.
 */
export function pduFramer(take: (pdu: Buffer) => void): { push(chunk: Buffer): boolean } {
  /** The beginning of a PDU that has not come whole: `held` octets, of `room` in which all of it has place once its length is known. */
  let room = Buffer.allocUnsafe(0);
  let held = 0;

  const lengthAt = (bytes: Buffer, at: number): number | undefined => {
    const length = bytes.readUInt32BE(at);
    return length < HEADER_BYTES || length > MAX_PDU_BYTES ? undefined : length;
  };

  /** Completes the PDU in `room` with the chunk's beginning. Answers with how much of it that took; undefined when it cannot be followed. */
  function complete(chunk: Buffer): number | undefined {
    let from = 0;
    if (held < 4) {
      from = chunk.copy(room, held, 0, 4 - held);
      held += from;
      if (held < 4) return from;
      const length = lengthAt(room, 0);
      if (length === undefined) return undefined;
      const whole = Buffer.allocUnsafe(length);
      room.copy(whole, 0, 0, 4);
      room = whole;
    }
    const taken = chunk.copy(room, held, from);
    held += taken;
    if (held === room.length) {
      const pdu = room;
      held = 0;
      take(pdu);
    }
    return from + taken;
  }

  return {
    push(chunk) {
      let at = 0;
      if (held > 0) {
        const taken = complete(chunk);
        if (taken === undefined) return false;
        at = taken;
      }
      while (chunk.length - at >= 4) {
        const length = lengthAt(chunk, at);
        if (length === undefined) return false;
        if (chunk.length - at < length) break;
        // A copy: what is read from it is kept for longer than the socket's chunk should be.
        take(Buffer.from(chunk.subarray(at, at + length)));
        at += length;
      }
      if (at < chunk.length) {
        room = Buffer.allocUnsafe(4);
        complete(chunk.subarray(at));
      }
      return true;
    },
  };
}
