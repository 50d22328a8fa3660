import assert from "node:assert/strict";
import { test } from "node:test";
import { STATES } from "#domain/phones/state.ts";
import { CALLING_RULES } from "./calling-rules.ts";

test("every row has an id of its own, a jurisdiction that exists, and hours that make sense", () => {
  const profiles = new Set(["US", "CA", "strict"]);
  assert.equal(new Set(CALLING_RULES.map((rule) => rule.id)).size, CALLING_RULES.length);
  for (const rule of CALLING_RULES) {
    const [country, code] = rule.jurisdiction.split("-");
    assert.ok(profiles.has(rule.jurisdiction) || STATES.get(code!)?.country === country, rule.jurisdiction);
    assert.equal(rule.from === null, rule.to === null, rule.id);
    if (rule.from !== null && rule.to !== null)
      assert.ok(/^\d\d:\d\d$/.test(rule.from) && rule.from < rule.to, rule.id);
    assert.ok(rule.days.length > 0 || rule.holidays, rule.id);
    assert.match(rule.verifiedOn, /^\d{4}-\d\d-\d\d$/);
    assert.ok(rule.source.length > 0);
  }
});

test("all the states of the compliance table are there", () => {
  const table = "FL OK MD OR WA TX CT LA AL MS RI UT PA KY MA NV MI MN NM IL SD NE WY VA".split(" ");
  const states = new Set(CALLING_RULES.map((rule) => rule.jurisdiction.slice(3)));
  for (const state of table) assert.ok(states.has(state), state);
});
