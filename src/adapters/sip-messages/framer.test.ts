import assert from "node:assert/strict";
import { test } from "node:test";
import { streamFramer } from "./framer.ts";

const message = (body: string) => `INVITE sip:a@b SIP/2.0\r\nl: ${body.length}\r\n\r\n${body}`;

/** What a stream is cut into, given in pieces of so many bytes; ends with "closed" where it cannot be followed. */
function cut(stream: string, pieceBytes: number, limit?: number): string[] {
  const seen: string[] = [];
  const on = { message: (bytes: Buffer) => void seen.push(bytes.toString()), ping: () => void seen.push("ping") };
  const framer = streamFramer(on, limit === undefined ? undefined : () => limit);
  for (let at = 0; at < stream.length; at += pieceBytes) {
    if (!framer.push(Buffer.from(stream.slice(at, at + pieceBytes)))) return [...seen, "closed"];
  }
  return seen;
}

test("a stream is cut into the same messages and pings in whatever pieces it comes", () => {
  const [short, long] = [message(""), message("v=0\r\n\r\n".repeat(900))];
  const stream = `${short}\r\n\r\n${long}\r\n${short}\r\n\r\n\r\n\r\n${long}${short}`;
  for (const bytes of [1, 2, 3, 5, 7, 64, 1_460, stream.length]) {
    assert.deepEqual(
      cut(stream, bytes),
      [short, "ping", long, short, "ping", "ping", long, short],
      `${bytes} at a time`,
    );
  }
});

test("a stream without a length, or with a message that is too long, is closed at once", () => {
  for (const bytes of [1, 7, 100_000]) {
    assert.deepEqual(cut("INVITE sip:a@b SIP/2.0\r\n\r\n", bytes), ["closed"]);
    assert.deepEqual(cut(`INVITE sip:a@b SIP/2.0\r\nl: 65536\r\n\r\n`, bytes), ["closed"]);
    assert.deepEqual(cut("a".repeat(70_000), bytes), ["closed"]);
    assert.deepEqual(cut(message("a".repeat(100)), bytes, 100), ["closed"]);
  }
});

test("what a message holds stays as it was when the next one comes", () => {
  const bodies: Buffer[] = [];
  const framer = streamFramer({ message: (bytes) => void bodies.push(bytes.subarray(-3)), ping() {} });
  for (const body of ["one", "two", "six"]) framer.push(Buffer.from(message(body)));
  assert.deepEqual(bodies.map(String), ["one", "two", "six"]);
});
