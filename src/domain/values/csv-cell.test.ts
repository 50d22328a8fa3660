import assert from "node:assert/strict";
import { test } from "node:test";
import { delimiterOf, meantCell, shownCell } from "./csv-cell.ts";

test("what a spreadsheet would run is shown instead, and a phone number is left alone", () => {
  const shown = ["=1", "+1+1", "-1", "@x", "\tx", "\rx", "+12125550101", "plain", "a=b", ""].map(shownCell);
  assert.deepEqual(shown, ["'=1", "'+1+1", "'-1", "'@x", "'\tx", "'\rx", "+12125550101", "plain", "a=b", ""]);
});

test("what was shown is read as it was meant, and another's apostrophe is kept", () => {
  assert.deepEqual(["'=1", "'+12125550101", "'quoted'", "'"].map(meantCell), ["=1", "+12125550101", "'quoted'", "'"]);
});

test("the delimiter is what stands most often in the first line, outside of quotes", () => {
  assert.deepEqual(["a,b;c,d", "a;b;c,d", "a\tb\tc", "a|b", "alone", '"a,b,c";d', "a;b\nc,d,e,f"].map(delimiterOf), [
    ",",
    ";",
    "\t",
    "|",
    ",",
    ";",
    ";",
  ]);
});
