import assert from "node:assert/strict";
import { test } from "node:test";
import { linesOf, readPhones } from "./do-not-call.ts";

test("the national registry's lines, ten digits and E.164 are all the same number", () => {
  for (const line of ["212,5550101", "2125550101", "+12125550101", " 212,5550101 ", "(212) 555-0101"]) {
    assert.deepEqual(readPhones([line]), { phones: ["+12125550101"], invalid: [] }, line);
  }
});

test("numbers come out sorted and once, blank lines are ignored, and a wrong line is reported by its place", () => {
  const file = "303,5550102\r\n\r\n212,5550101\n303,5550102\nheader\n212,555010";
  const read = readPhones(linesOf(file));
  assert.deepEqual(read.phones, ["+12125550101", "+13035550102"]);
  assert.deepEqual(
    read.invalid.map((row) => row.index),
    [4, 5],
  );
});
