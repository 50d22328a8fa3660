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

test("a thing or a complaint beside the answer is for the field that wants to hear it, and a condition is for none", async () => {
  const kind: ExtractionFieldInput = { name: "service", choices: ["tune-up", "new boiler"] };
  const fault: ExtractionFieldInput = { name: "fault", description: "What is wrong with the boiler" };
  const after = (text: string) => knownAfter([kind, fault], "Do you want a tune-up or a new boiler?", text);
  assert.deepEqual(await after("tune-up. leaks at the valve, makes a humming sound"), {
    service: "tune-up",
    fault: "leaks at the valve, makes a humming sound",
  });
  assert.deepEqual(await after("tune-up, if it is cheap"), { service: "tune-up" });
  const size: ExtractionFieldInput = { name: "budget" };
  const style: ExtractionFieldInput = { name: "style", description: "Which style they like" };
  assert.deepEqual(await knownAfter([size, style], "What is your budget?", "3000 dollars, mid century modern"), {
    budget: "3000",
    style: "mid century modern",
  });
});

test("what stands before a day that ends the text is the answer that was asked for", async () => {
  const occasion: ExtractionFieldInput = { name: "occasion", description: "What occasion it is" };
  const day: ExtractionFieldInput = { name: "event_date" };
  assert.deepEqual(await knownAfter([occasion, day], "What occasion is it?", "it's a graduation dinner on may 14th"), {
    occasion: "a graduation dinner",
    event_date: "2027-05-14",
  });
});
