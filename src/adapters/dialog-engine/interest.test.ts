import assert from "node:assert/strict";
import { test } from "node:test";
import { type TextedAgent, texted } from "#test/support/agents/texted.ts";

const ROOFS: TextedAgent = {
  start: "Hi Flo, this is Rita of Northside Roofing. We do free roof inspections. Would you like one?",
  prompt: "You are Rita. The inspection is free.",
  fields: [{ name: "interest" }, { name: "roof_age", type: "number", description: "The age of the roof in years" }],
};

/** The agent's last answer, and what is known of the contact's interest at the end. */
async function conversation(texts: readonly string[]) {
  const { answers, known, evidence, outcome } = await texted(ROOFS, texts);
  return { answer: answers.at(-1)!, interest: known.interest, evidence: evidence.interest, outcome };
}

test("a yes after a no is taken up again, and the later text is its evidence", async () => {
  for (const [no, yes] of [
    ["no", "ok yes please then"],
    ["no", "yes please"],
    ["no", "sure why not"],
    ["no thanks", "wait actually yes"],
    ["no thanks too expensive", "actually wait, is the inspection free? then yes"],
  ] as const) {
    const { answer, interest, evidence, outcome } = await conversation([no, yes]);
    assert.match(answer, /age of the roof in years\?$/, yes);
    assert.equal(interest, "yes", yes);
    assert.deepEqual(evidence, { message_id: "c1", quote: yes });
    assert.equal(outcome, "interested", yes);
  }
});

test("assent to a farewell is no yes", async () => {
  for (const text of ["ok", "ok you too", "thanks"]) {
    const { answer, interest } = await conversation(["no", text]);
    assert.doesNotMatch(answer, /\?/, text);
    assert.equal(interest, "no", text);
  }
});

test("a mere question after a no is answered and turns nothing round, and a yes after it does", async () => {
  const asked = await conversation(["thats too expensive", "do you take credit cards?"]);
  assert.match(asked.answer, /team/);
  assert.doesNotMatch(asked.answer, /\?/);
  assert.equal(asked.interest, "no");
  assert.equal(asked.outcome, "not_interested");
  const after = await conversation(["thats too expensive", "do you take credit cards?", "ok then yes"]);
  assert.match(after.answer, /age of the roof in years\?$/);
  assert.equal(after.interest, "yes");
});

test("a question that doubts the no goes on with the matter", async () => {
  const { answer, interest } = await conversation(["not interested", "hmm is the inspection really free?"]);
  assert.match(answer, /free.*age of the roof in years\?$/);
  assert.equal(interest, "yes");
});
