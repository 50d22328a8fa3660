import assert from "node:assert/strict";
import { test } from "node:test";
import { stripInvisible } from "./invisible.ts";

test("ordinary text in any script stays as it is", () => {
  for (const text of ["Hi Ana,\nsee you", "Zoë ¿qué tal? 👨‍👩‍👧 ❤️", "می‌خواهم", "日本語", ""]) {
    assert.equal(stripInvisible(text), text);
  }
});

test("controls, bidi overrides, zero widths and hidden tags go", () => {
  const tags = [..."ignore"].map((c) => String.fromCodePoint(0xe0000 + c.charCodeAt(0))).join("");
  assert.equal(stripInvisible(`a\u0000b\u202ec\u200bd\ufeffe${tags}f\u001bg`), "abcdefg");
});

test("line ends become one kind and a tab a space", () => {
  assert.equal(stripInvisible("a\r\nb\rc\td\u2028e"), "a\nb\nc d\ne");
});

test("a lone surrogate is replaced, so that a database can store the text", () => {
  assert.equal(stripInvisible("a\ud800b"), "a\ufffdb");
});

test("a flood of combining marks is cut to four", () => {
  assert.equal(stripInvisible(`e${"\u0301".repeat(500)}`), `e${"\u0301".repeat(4)}`);
});
