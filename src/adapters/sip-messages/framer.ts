import { MAX_MESSAGE_BYTES } from "./parse-message.ts";

const LENGTHS = /(?:^|\r\n)(?:content-length|l)[ \t]*:(?:[ \t]|\r\n[ \t])*([^\s]+)[ \t]*(?=\r\n|$)/gi;

/** A body's length where the head names it, long or short, and no other (RFC 4475, 3.3.9); -1 when it does not. */
function lengthIn(head: string): number {
  const lengths = new Set([...head.matchAll(LENGTHS)].map(([, digits]) => digits!));
  const [only] = lengths;
  return lengths.size === 1 && /^\d{1,9}$/.test(only!) ? Number(only) : -1;
}

/** Of the empty line after a head, with the line end before it. */
const HEAD_END_BYTES = 4;
const [CR, LF] = [0x0d, 0x0a];
/** A connection that waits for its next message holds no more than this. */
const KEPT_BYTES = 4_096;

/**
 * Cuts a stream into messages, by Content-Length, which a stream must have (RFC 3261, 18.3). What it holds never exceeds one message and
 * one chunk: `push` says false when the stream can no longer be followed and has to be closed, after `unframed` has had the head, if there was one. A double line end between messages is a
 * keep-alive (RFC 5626, 3.5.1). Each byte is copied and looked at a few times at most, in whatever pieces they come.
 */
export function streamFramer(
  on: { message(bytes: Buffer): void; ping(): void; unframed?(head: Buffer): void },
  limit = () => MAX_MESSAGE_BYTES,
) {
  let room = Buffer.alloc(0);
  /** What has come and was not taken: `room` from `begin` to `end`. */
  let [begin, end] = [0, 0];
  /** Up to where the head's end has been looked for in vain, and the whole message's length as soon as its head is there: both from `begin`. */
  let searched = 0;
  let whole: number | undefined;

  function add(chunk: Buffer): void {
    const bytes = end - begin + chunk.length;
    if (end + chunk.length > room.length) {
      // Moved only where half of the room comes free by it, else into twice the room: so each byte is moved about once.
      const next = bytes * 2 <= room.length ? room : Buffer.allocUnsafeSlow(bytes * 2);
      room.copy(next, 0, begin, end);
      room = next;
      [begin, end] = [0, bytes - chunk.length];
    }
    chunk.copy(room, end);
    end += chunk.length;
  }

  function drop(bytes: number): void {
    begin += bytes;
    searched = 0;
    whole = undefined;
  }

  /** Where the head ends, from `begin`; -1 while it has not come. By hand: a view for every byte that comes would cost more than the search. */
  function headEnd(): number {
    let at = begin + searched;
    for (; at + HEAD_END_BYTES <= end; at++) {
      if (room[at] === CR && room[at + 1] === LF && room[at + 2] === CR && room[at + 3] === LF) return at - begin;
    }
    searched = at - begin;
    return -1;
  }

  /** Takes one thing off the front; false when it is not whole yet, undefined when it never will be. */
  function take(): boolean | undefined {
    const length = end - begin;
    if (whole !== undefined && length < whole) return false;
    if (room[begin] === CR && (length < 2 || room[begin + 1] === LF)) {
      // A lone line end at the end may be half of a ping.
      if (length < 4 && (length < 3 || room[begin + 2] === CR)) return false;
      const isPing = room[begin + 2] === CR && room[begin + 3] === LF;
      drop(isPing ? 4 : 2);
      if (isPing) on.ping();
      return true;
    }
    if (whole === undefined) {
      const head = headEnd();
      if (head < 0) return length > limit() ? undefined : false;
      const body = lengthIn(room.toString("latin1", begin, begin + head));
      whole = head + HEAD_END_BYTES + body;
      if (body < 0 || whole > limit()) {
        if (head + HEAD_END_BYTES <= limit())
          on.unframed?.(Buffer.from(room.subarray(begin, begin + head + HEAD_END_BYTES)));
        return undefined;
      }
      if (length < whole) return false;
    }
    // A copy: the room is used again, and a body is kept for as long as its request is answered.
    const message = Buffer.from(room.subarray(begin, begin + whole));
    drop(whole);
    on.message(message);
    return true;
  }

  return {
    push(chunk: Buffer): boolean {
      add(chunk);
      while (begin < end) {
        const taken = take();
        if (taken === undefined) return false;
        if (!taken) break;
      }
      if (begin === end) {
        [begin, end] = [0, 0];
        if (room.length > KEPT_BYTES) room = Buffer.alloc(0);
      }
      return true;
    },
  };
}
