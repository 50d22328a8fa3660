import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { encodingFinder } from "./text-encoding.ts";

function encodingOf(bytes: Uint8Array, pieceSize: number): string {
  const finder = encodingFinder();
  for (let at = 0; at < bytes.length; at += pieceSize) finder.push(bytes.subarray(at, at + pieceSize));
  return finder.end();
}

test("valid UTF-8 is UTF-8 however it is cut into pieces, and a byte that cannot be in it makes it Latin-1", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", minLength: 1 }), fc.integer({ min: 1, max: 5 }), (text, size) => {
      fc.pre(text.isWellFormed() && !text.includes("\0"));
      const bytes = Buffer.from(text);
      assert.equal(encodingOf(bytes, size), "utf-8");
      assert.equal(encodingOf(Buffer.concat([bytes, Buffer.from([0xff, 0x41])]), size), "latin1");
    }),
  );
});

test("UTF-16 is detected by its byte order mark, or by every other byte being zero", () => {
  const text = Buffer.from("phone,name\n", "utf16le");
  const marked = Buffer.concat([Buffer.from([0xff, 0xfe]), text]);
  assert.equal(encodingOf(marked, 3), "utf-16le");
  assert.equal(encodingOf(Buffer.from(marked).swap16(), 3), "utf-16be");
  assert.equal(encodingOf(text, 3), "utf-16le");
  assert.equal(encodingOf(Buffer.from(text).swap16(), 3), "utf-16be");
  assert.equal(encodingOf(Buffer.from("a\0b\0\0\0,,"), 3), "utf-8");
  assert.equal(encodingOf(Buffer.alloc(0), 3), "utf-8");
});
