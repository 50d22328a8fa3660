import assert from "node:assert/strict";
import { test } from "node:test";
import { byteRange } from "./byte-range.ts";

test("a range is read: from a byte on, up to one, and the last so many", () => {
  assert.deepEqual(byteRange("bytes=0-99", 1_000), { start: 0, end: 100 });
  assert.deepEqual(byteRange("bytes=500-", 1_000), { start: 500, end: 1_000 });
  assert.deepEqual(byteRange("bytes=-200", 1_000), { start: 800, end: 1_000 });
  assert.deepEqual(byteRange("bytes= 5 - 5", 1_000), { start: 5, end: 6 });
});

test("what reaches past the end is cut there", () => {
  assert.deepEqual(byteRange("bytes=900-5000", 1_000), { start: 900, end: 1_000 });
  assert.deepEqual(byteRange("bytes=-5000", 1_000), { start: 0, end: 1_000 });
});

test("a range that begins past the end is beyond the file, and so is any of an empty one", () => {
  assert.equal(byteRange("bytes=1000-", 1_000), "beyond");
  assert.equal(byteRange("bytes=-0", 1_000), "beyond");
  assert.equal(byteRange("bytes=0-", 0), "beyond");
  assert.equal(byteRange("bytes=-5", 0), "beyond");
});

test("no range, several, and what is none mean the whole file", () => {
  for (const header of [undefined, "", "bytes=", "bytes=-", "bytes=0-1,5-6", "items=0-1", "bytes=b-c", "bytes=5-2"]) {
    assert.equal(byteRange(header, 1_000), undefined, header);
  }
});
