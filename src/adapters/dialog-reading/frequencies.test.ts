import assert from "node:assert/strict";
import { test } from "node:test";
import { readField as read } from "#test/support/agents/read-field.ts";

test("how often is understood in other words than the choices have", () => {
  const visits = { name: "visits", choices: ["every week", "every other week", "once a month", "just once"] };
  for (const [text, value] of [
    ["weekly would be nice", "every week"],
    ["biweekly", "every other week"],
    ["every two wks i guess", "every other week"],
    ["monthly", "once a month"],
    ["every 4 weeks", "once a month"],
    ["one time only", "just once"],
    ["weekly or monthly", undefined],
    ["every quarter", undefined],
  ] as const) {
    assert.equal(read(visits, text, true), value, text);
  }
  assert.equal(read(visits, "we are three and would take it weekly", false), "every week");
});

test("who and what a choice means is understood in other words", () => {
  for (const [choices, text, value] of [
    [["self", "someone else"], "it's for my mom", "someone else"],
    [["self", "someone else"], "me", "self"],
    [["own", "rent"], "homeowners", "own"],
    [["own", "rent"], "I'm the homeowner", "own"],
    [["used car", "new car"], "a new one", "new car"],
  ] as const) {
    assert.equal(read({ name: "which", choices: [...choices] }, text, true), value, text);
  }
});
