import assert from "node:assert/strict";
import { test } from "node:test";
import { RECIPIENT_STATES } from "#contract/campaigns/campaigns.ts";
import { CALL_OUTCOMES } from "#domain/calls/redial.ts";
import { CALL_RESULTS } from "#domain/calls/result.ts";
import { stagesOf } from "../../console/src/pages/sms-campaigns/funnel.ts";
import { spelled, valueWords, wordOf } from "../../console/src/parts/show/words.ts";

test("whatever a call can come to has words of its own", () => {
  const codes = [...new Set([...CALL_RESULTS, ...CALL_OUTCOMES])];
  const labels = codes.map((code) => wordOf("result", code).label);
  assert.equal(new Set(labels).size, codes.length, "two have the same words");
  for (const code of ["talked", "ivr", "failed"]) {
    assert.notEqual(wordOf("result", code).label, spelled(code), `${code} is shown as the API has it`);
  }
});

test("on an SMS campaign's page no stage of the funnel is called as a state of its contacts", () => {
  const states: Record<string, number> = Object.fromEntries(RECIPIENT_STATES.map((state) => [state, 1]));
  const campaign = { recipients: states, details: { total_contacts: RECIPIENT_STATES.length } };
  const stages = stagesOf(campaign as unknown as Parameters<typeof stagesOf>[0], undefined);
  const labels = RECIPIENT_STATES.map((state) => wordOf("recipient", state).label);
  for (const { name } of stages) {
    assert.ok(!labels.includes(name), `${name} is two figures`);
    assert.match(name, /^Contacts/, "it says what it counts");
  }
});

test("values that are codes are shown as words, and what people wrote as it is", () => {
  assert.deepEqual([true, "true", false, "false", "", null].map(valueWords), ["Yes", "Yes", "No", "No", "–", "–"]);
  assert.equal(valueWords("express_written"), "Express written");
  assert.equal(valueWords("john_smith"), "john_smith");
  assert.equal(valueWords(350_000), "350000");
});
