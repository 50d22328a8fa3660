import assert from "node:assert/strict";
import { test } from "node:test";
import { checkExtraction } from "#domain/agents/extraction.ts";
import { type ExtractionFieldInput, normaliseExtractionFields } from "#domain/agents/extraction-field.ts";
import type { HistoryMessage, ReplyRequest, ToolName } from "#ports/language-model.ts";
import { dialogEngine } from "./engine.ts";

const model = dialogEngine();
const { signal } = new AbortController();
/** A Friday, eight in the morning in Denver. */
const now = new Date("2026-11-20T15:00:00Z");

const HOMES = {
  start: "Hi Ann, it is Ava from Acme Homes. Are you thinking of selling your home this year?",
  prompt:
    "You are Ava from Acme Homes. Find out whether the contact wants to sell. Our commission is 4.5 percent. We never promise a sale price. We got the number from public records.",
  fields: [
    { name: "wants_to_sell", type: "boolean", description: "Whether they want to sell their home" },
    { name: "asking_price", description: "The price they have in mind" },
    { name: "timeline", description: "When they would like to sell" },
    { name: "callback_time", description: "When an agent may call them" },
  ] satisfies ExtractionFieldInput[],
};
const TOOLS: ToolName[] = ["end_conversation", "do_not_message", "schedule_call"];

async function texting(
  texts: string[],
  agent: { start: string; prompt: string; fields: ExtractionFieldInput[] } = HOMES,
  tools = TOOLS,
) {
  const history: HistoryMessage[] = [{ id: "start", role: "agent", text: agent.start, at: now }];
  const fields = normaliseExtractionFields(agent.fields);
  const request = (): ReplyRequest => ({
    agent: { name: "Ava", organization: "Acme Homes", instructions: agent.prompt },
    contact: {},
    contactZone: "America/Denver",
    now,
    history,
    fields,
    known: {},
    tools: tools.map((name) => ({ name, description: name, parameters: {} })),
    maxCharacters: 600,
    prompt: { system: "", messages: [] },
  });
  const answers: string[] = [];
  const called: string[] = [];
  for (const [index, text] of texts.entries()) {
    history.push({ id: `c${index}`, role: "contact", text, at: now });
    const reply = await model.reply(request(), signal);
    answers.push(reply.text);
    called.push(...reply.toolCalls.map(({ name }) => name));
    if (reply.text !== "") history.push({ id: `a${index}`, role: "agent", text: reply.text, at: now });
  }
  const { value } = await model.extract(request(), signal);
  const facts = { doNotMessage: false, callTransferred: false };
  return { answers, called, fields: checkExtraction(value, fields, history, facts).extraction.extracted_fields };
}

test("a contact who answers is never met with silence, and each answer is kept", async () => {
  const { answers, fields } = await texting([
    "yeah we are thinking of selling, probably in spring",
    "around 450k I guess",
    "evenings after 6",
  ]);
  assert.ok(answers.every((text) => text !== ""));
  assert.match(answers[0]!, /price/);
  assert.match(answers[1]!, /\$450,000, noted\. When may an agent call you\?/);
  assert.doesNotMatch(answers[2]!, /\?/);
  assert.deepEqual(fields, {
    wants_to_sell: "true",
    timeline: "probably in spring",
    asking_price: "450000",
    callback_time: "evenings after 6",
  });
});

test("who comes back after a no is taken up again", async () => {
  const { answers, fields } = await texting(["no", "well, maybe if the price is right"]);
  assert.match(answers[0]!, /^No problem, thanks/);
  assert.match(answers[1]!, /What is the price you have in mind\?$/);
  assert.equal(fields.wants_to_sell, "true");
});

test("bad news gets kindness and no question, and no follow-up by itself", async () => {
  const { answers, called } = await texting(["My husband just died"]);
  assert.match(answers[0]!, /sorry/);
  assert.doesNotMatch(answers[0]!, /\?|Got it/);
  assert.deepEqual(called, ["end_conversation"]);
});

test("anger is met with an apology and how to stop, never with joy", async () => {
  const { answers } = await texting(["im not happy about this"]);
  assert.match(answers[0]!, /sorry.*STOP/);
  assert.doesNotMatch(answers[0]!, /Perfect|Great|\?/);
});

test("a question is answered by the sentence of the instructions that does, and what they forbid is not said", async () => {
  const { answers } = await texting([
    "How much commission do you take?",
    "what will my house sell for",
    "do you have a pool",
  ]);
  assert.match(answers[0]!, /^Our commission is 4\.5 percent\./);
  assert.match(answers[1]!, /can't say|not able/);
  assert.doesNotMatch(answers[1]!, /\d/);
  assert.match(answers[2]!, /team/);
});

test("a call at a day and a time keeps both, and none is promised where none can be placed", async () => {
  const { answers, called } = await texting(["can someone call me thursday at 5?"]);
  assert.match(answers[0]!, /Thursday, November 26 at 5:00 PM/);
  assert.deepEqual(called, ["schedule_call", "end_conversation"]);
  const without = await texting(["can someone call me thursday at 5?"], HOMES, ["end_conversation", "do_not_message"]);
  assert.match(without.answers[0]!, /team/);
  assert.deepEqual(without.called, ["end_conversation"]);
});

test("a postal code is no price", async () => {
  const { fields } = await texting(["yes", "I live in 85004"]);
  assert.equal(fields.asking_price, undefined);
});

test("a loan of about 250000 dollars is 250000", async () => {
  const agent = {
    start: "Hi, how much would you like to borrow?",
    prompt: "Ask for the loan amount.",
    fields: [{ name: "loan_amount" }, { name: "email" }],
  };
  assert.equal((await texting(["I need about 250000 dollars"], agent)).fields.loan_amount, "250000");
  assert.equal((await texting(["two hundred fifty thousand"], agent)).fields.loan_amount, "250000");
});

test("Spanish is answered in Spanish, another language with one sentence in it", async () => {
  const { answers } = await texting(["hola, si quiero vender mi casa", "unos 400 mil dólares"]);
  assert.ok(
    answers.every((text) => /¿/.test(text)),
    answers.join(" | "),
  );
  const { answers: french } = await texting(["bonjour je ne parle pas anglais"]);
  assert.match(french[0]!, /anglais/);
});

test("a correction replaces what it corrects", async () => {
  const { fields } = await texting(["yes", "450k", "no wait 475k"]);
  assert.equal(fields.asking_price, "475000");
});

test("a yes to a first text that asks for no field is interest, and what is known already is not misunderstood", async () => {
  const agent = {
    start: "Hi Ann, our open house is on Saturday at 10am. Can you make it?",
    prompt: "Invite the contact to the open house.",
    fields: ["interest", "email"],
  };
  const { answers, fields } = await texting(
    ["Yes", "My email is sam@example.com", "it is sam@example.com, as I said"],
    agent,
  );
  assert.equal(answers[0], "Thanks. What's the best email address for you?");
  assert.doesNotMatch(answers[2]!, /not sure I follow/);
  assert.deepEqual(fields, { interest: "yes", email: "sam@example.com" });
});

test("who refuses and asks who it is hears both, in one answer or in two", async () => {
  for (const text of ["No thanks, not interested. Who is this?", "No thanks, not interested\nWho is this?"]) {
    const { answers } = await texting([text]);
    assert.match(answers[0]!, /^I'm Ava, an automated assistant for Acme Homes\. No problem/);
  }
});
