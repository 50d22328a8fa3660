import assert from "node:assert/strict";
import { test } from "node:test";
import { applied, newPrefixChange, noteLine, PREFIX_BYTES, readListLine } from "./national-list.ts";

const number = { prefix: 212_555, line: 123 };

test("a number is read however a registry writes it", () => {
  for (const text of [
    "212,5550123",
    "2125550123",
    "12125550123",
    "+12125550123",
    " 212,5550123 \r",
    '"212","5550123"',
  ]) {
    assert.deepEqual(readListLine(text), { ...number, change: undefined }, text);
  }
  for (const text of ["(212) 555-0123", "212-555-0123"]) assert.equal(readListLine(text)?.line, 123, text);
});

test("a change list says what to do in its last field", () => {
  assert.equal(readListLine("212,5550123,2026-11-01,A")?.change, "add");
  assert.equal(readListLine("2125550123,D\r")?.change, "delete");
  assert.equal(readListLine('212,5550123,2026-11-01 09:15:22,"D"')?.change, "delete");
  assert.equal(readListLine("212,5550123,2026-11-01")?.change, undefined);
});

test("a blank line is ignored, and one that is no number is distinguished from it", () => {
  for (const text of ["", "  ", "\r"]) assert.equal(readListLine(text), null);
  for (const text of ["phone", "112,5550123", "212,555012", "21255501234", "<ph>2125550123</ph>"]) {
    assert.equal(readListLine(text), undefined, text);
  }
});

const has = (bits: Uint8Array, line: number) => ((bits[line >> 3]! >> (line & 7)) & 1) === 1;

test("a full list sets bits, a change list sets and clears on top of what was there, and the later line counts", () => {
  const full = newPrefixChange();
  for (const line of [0, 7, 8, 9_999]) noteLine(full, { ...number, line, change: undefined });
  const before = applied(undefined, full);
  assert.equal(before.length, PREFIX_BYTES);
  const change = newPrefixChange();
  noteLine(change, { ...number, line: 7, change: "delete" });
  noteLine(change, { ...number, line: 8, change: "delete" });
  noteLine(change, { ...number, line: 8, change: "add" });
  noteLine(change, { ...number, line: 5_000, change: "add" });
  noteLine(change, { ...number, line: 5_001, change: "add" });
  noteLine(change, { ...number, line: 5_001, change: "delete" });
  const after = applied(before, change);
  const set = Array.from({ length: 10_000 }, (_, line) => line).filter((line) => has(after, line));
  assert.deepEqual(set, [0, 8, 5_000, 9_999]);
});
