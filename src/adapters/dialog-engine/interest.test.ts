import assert from "node:assert/strict";
import { test } from "node:test";
import { type ExtractionFieldInput, normaliseExtractionFields } from "#domain/agents/extraction-field.ts";
import type { HistoryMessage } from "#ports/language-model.ts";
import { dialogEngine } from "./engine.ts";

const at = new Date("2026-11-28T17:00:00Z");
const { signal } = new AbortController();
const FIELDS: ExtractionFieldInput[] = [
  { name: "interest" },
  { name: "roof_age", type: "number", description: "The age of the roof in years" },
];
const START = "Hi Flo, this is Rita of Northside Roofing. We do free roof inspections. Would you like one?";

/** The agent's last answer to the texts of a contact, and what is known of their interest at the end. */
async function conversation(texts: readonly string[]) {
  const model = dialogEngine();
  const history: HistoryMessage[] = [{ id: "start", role: "agent", text: START, at }];
  const request = () => ({
    agent: { name: "Rita", organization: "Northside Roofing", instructions: "You are Rita. The inspection is free." },
    contact: {},
    contactZone: "America/Denver",
    now: at,
    history,
    fields: normaliseExtractionFields(FIELDS),
    known: {},
    prompt: { system: "", messages: [] },
  });
  let answer = "";
  for (const [index, text] of texts.entries()) {
    history.push({ id: `c${index}`, role: "contact", text, at });
    answer = (await model.reply({ ...request(), tools: [], maxCharacters: 600 }, signal)).text;
    if (answer !== "") history.push({ id: `a${index}`, role: "agent", text: answer, at });
  }
  const value = (await model.extract(request(), signal)).value as {
    extracted_fields: Record<string, string>;
    evidence: Record<string, { message_id: string; quote: string }>;
    lead_outcome: string;
  };
  return {
    answer,
    interest: value.extracted_fields.interest,
    evidence: value.evidence.interest,
    outcome: value.lead_outcome,
  };
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
