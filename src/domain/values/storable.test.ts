import assert from "node:assert/strict";
import { test } from "node:test";
import { isStorable, storable } from "./storable.ts";

test("a text is stored as it is, without its NULs and with halves of characters made whole", () => {
  for (const [text, stored] of [
    ["plain \u{1f3e0}", "plain \u{1f3e0}"],
    ["a\0b\0", "ab"],
    ["half \ud83c", "half \ufffd"],
    ["\udfe0 half", "\ufffd half"],
  ] as const) {
    assert.equal(storable(text), stored);
    assert.equal(isStorable(text), text === stored);
    assert.ok(isStorable(storable(text)));
  }
  assert.equal(storable("a\0b", "\ufffd"), "a\ufffdb");
});
