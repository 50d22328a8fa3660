import { MAX_MESSAGE_BYTES } from "./parse-message.ts";

/** A body's length where the head names it, long or short, once; -1 when it does not. */
function lengthIn(head: string): number {
  const [, digits] =
    /(?:^|\r\n)(?:content-length|l)[ \t]*:(?:[ \t]|\r\n[ \t])*(\d{1,9})[ \t]*(?:\r\n|$)/i.exec(head) ?? [];
  return digits === undefined ? -1 : Number(digits);
}

/**
 * Cuts a stream into messages, by Content-Length, which a stream must have (RFC 3261, 18.3). What it holds never exceeds one message:
 * `push` says false when the stream can no longer be followed and has to be closed. A double line end between messages is a keep-alive
 * (RFC 5626, 3.5.1).
 */
export function streamFramer(on: { message(bytes: Buffer): void; ping(): void }): { push(chunk: Buffer): boolean } {
  let held: Buffer = Buffer.alloc(0);

  /** Takes one thing off the front; false when it is not whole yet, undefined when it never will be. */
  function take(): boolean | undefined {
    if (held[0] === 0x0d && held[1] === 0x0a) {
      const isPing = held.length >= 4 && held[2] === 0x0d && held[3] === 0x0a;
      held = held.subarray(isPing ? 4 : 2);
      if (isPing) on.ping();
      return true;
    }
    const end = held.indexOf("\r\n\r\n");
    if (end < 0) return held.length > MAX_MESSAGE_BYTES ? undefined : false;
    const length = lengthIn(held.toString("latin1", 0, end));
    if (length < 0 || end + 4 + length > MAX_MESSAGE_BYTES) return undefined;
    if (held.length < end + 4 + length) return false;
    const message = held.subarray(0, end + 4 + length);
    held = held.subarray(end + 4 + length);
    on.message(message);
    return true;
  }

  return {
    push(chunk) {
      held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      // A lone line end at the end may be half of a ping.
      while (held.length > 0 && !(held.length < 4 && /^\r\n\r?$/.test(held.toString("latin1")))) {
        const taken = take();
        if (taken === undefined) return false;
        if (!taken) break;
      }
      return true;
    },
  };
}
