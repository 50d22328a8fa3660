import assert from "node:assert/strict";
import { test } from "node:test";
import { type ExtractionFieldInput, normaliseExtractionFields } from "#domain/agents/extraction-field.ts";
import { dialogEngine } from "./engine.ts";

const at = new Date("2026-11-20T15:00:00Z");

/** What is known after a conversation; the agent's part comes first. */
async function knownAfter(fields: ExtractionFieldInput[], ...texts: string[]): Promise<Record<string, string>> {
  const history = texts.map((text, index) => {
    const role = index % 2 === 0 ? ("agent" as const) : ("contact" as const);
    return { id: `m${index}`, role, text, at };
  });
  const { value } = await dialogEngine().extract(
    {
      agent: { name: "Ava", organization: "Acme", instructions: "You are Ava from Acme." },
      contact: {},
      contactZone: "America/Denver",
      now: at,
      history,
      fields: normaliseExtractionFields(fields),
      known: {},
      prompt: { system: "", messages: [] },
    },
    new AbortController().signal,
  );
  return (value as { extracted_fields: Record<string, string> }).extracted_fields;
}

const nights: ExtractionFieldInput = { name: "nights", type: "number", description: "How many nights they stay" };
const riders: ExtractionFieldInput = { name: "riders", type: "number", description: "How many riders come" };
const horse: ExtractionFieldInput = { name: "horse", choices: ["Old Paint", "Grey Lady"] };
const days: ExtractionFieldInput = { name: "ride_days", description: "Which days they ride" };
const begin: ExtractionFieldInput = { name: "begin_date", description: "The date they begin" };
const budget: ExtractionFieldInput = { name: "budget", type: "number", description: "Their budget" };

test("a number is for the field whose word stands behind it, also when it corrects", async () => {
  const asked = ["How many nights do you stay?", "2", "How many riders come?"];
  assert.deepEqual(await knownAfter([nights, riders], ...asked, "wait make that 3 nights"), { nights: "3" });
  assert.deepEqual(await knownAfter([nights, riders], ...asked, "4"), { nights: "2", riders: "4" });
});

test("another choice alone, after the field is known, changes it", async () => {
  const asked = ["Old Paint or Grey Lady?", "grey lady", "How many riders come?"];
  assert.deepEqual(await knownAfter([horse, riders], ...asked, "ok paint"), { horse: "Old Paint" });
  assert.deepEqual(await knownAfter([horse, riders], ...asked, "3"), { horse: "Grey Lady", riders: "3" });
});

test("days of the week are for the field that asks for them, and no date to begin on", async () => {
  assert.deepEqual(await knownAfter([days, begin], "Which days do you ride?", "tues to fri"), {
    ride_days: "tues to fri",
  });
});

test("a day that is known is kept where somebody says no and names a season", async () => {
  const asked = ["What is the date you begin?", "dec 9", "How many riders come?"];
  const known = await knownAfter([begin, riders], ...asked, "no, we sold the other one in the spring");
  assert.equal(known.begin_date, "2026-12-09");
});

test("an amount that is a limit is for the field of money, whatever number was asked for", async () => {
  assert.deepEqual(await knownAfter([riders, budget], "How many riders come?", "400 tops"), { budget: "400" });
});

test("a starting message that asks for a field in other words asks for that field", async () => {
  const age: ExtractionFieldInput = { name: "age", type: "number" };
  assert.deepEqual(await knownAfter([age, budget], "Hi Ann, Ava from Acme. How old are you?", "41"), { age: "41" });
});

test("who turns the whole matter down says nothing of a field that was not asked for", async () => {
  const sells: ExtractionFieldInput = { name: "wants_to_sell", type: "boolean" };
  const ride: ExtractionFieldInput = { name: "ride", type: "boolean", description: "Whether they want a ride" };
  assert.deepEqual(await knownAfter([sells, ride], "Do you want to sell?", "no thanks, I sold it"), {
    wants_to_sell: "false",
  });
});

test("a number after the agent has closed replaces none that is known", async () => {
  const asked = [
    "What is your budget?",
    "300",
    "Thanks, that's all I need for now. Someone from our team will be in touch.",
  ];
  assert.deepEqual(await knownAfter([budget], ...asked, "70"), { budget: "300" });
  assert.deepEqual(await knownAfter([budget], ...asked, "actually make it 350"), { budget: "350" });
});
