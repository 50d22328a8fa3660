import assert from "node:assert/strict";
import { test } from "node:test";
import { type ExtractionFieldInput, normaliseExtractionFields } from "#domain/agents/extraction-field.ts";
import { dialogEngine } from "./engine.ts";

const at = new Date("2026-11-20T15:00:00Z");

/** What is known after one text that answers `start`. */
async function knownAfter(
  fields: ExtractionFieldInput[],
  start: string,
  text: string,
): Promise<Record<string, string>> {
  const { value } = await dialogEngine().extract(
    {
      agent: { name: "Ava", organization: "Acme", instructions: "You are Ava from Acme." },
      contact: {},
      contactZone: "America/Denver",
      now: at,
      history: [
        { id: "start", role: "agent", text: start, at },
        { id: "c0", role: "contact", text, at },
      ],
      fields: normaliseExtractionFields(fields),
      known: {},
      prompt: { system: "", messages: [] },
    },
    new AbortController().signal,
  );
  return (value as { extracted_fields: Record<string, string> }).extracted_fields;
}

test("what is said beside an answer is for the next field", async () => {
  const age: ExtractionFieldInput = { name: "horse_age", type: "number", description: "The horse's age in years" };
  const work: ExtractionFieldInput = { name: "work", description: "What work they need" };
  assert.deepEqual(await knownAfter([age, work], "How old is the horse?", "9 years, needs new shoes"), {
    horse_age: "9",
    work: "needs new shoes",
  });
  const help: ExtractionFieldInput = { name: "needs_help", type: "boolean", description: "Whether they need help" };
  assert.deepEqual(await knownAfter([help, work], "Do you need help?", "yes painting the barn"), {
    needs_help: "true",
    work: "painting the barn",
  });
});

test("what only goes on about the answer is for no field", async () => {
  const help: ExtractionFieldInput = { name: "needs_help", type: "boolean", description: "Whether they need help" };
  const work: ExtractionFieldInput = { name: "work", description: "What work they need" };
  for (const text of ["yes that would be nice", "yeah i think we do", "yes but not before june", "sure, who are you?"])
    assert.equal((await knownAfter([help, work], "Do you need help?", text)).work, undefined, text);
});
