import assert from "node:assert/strict";
import { test } from "node:test";
import { type TextedAgent, texted } from "#test/support/agents/texted.ts";

const HOMES: TextedAgent = {
  start: "Hi Ann, it is Ava from Acme Homes. Are you thinking of selling your home this year?",
  prompt:
    "You are Ava from Acme Homes. Find out whether the contact wants to sell. Our commission is 4.5 percent. We never promise a sale price. We got the number from public records.",
  fields: [
    { name: "wants_to_sell", type: "boolean", description: "Whether they want to sell their home" },
    { name: "asking_price", description: "The price they have in mind" },
    { name: "timeline", description: "When they would like to sell" },
    { name: "callback_time", description: "When an agent may call them" },
  ],
  tools: ["end_conversation", "do_not_message", "schedule_call"],
};

async function texting(texts: readonly string[], agent = HOMES) {
  const { answers, called, kept: fields } = await texted(agent, texts);
  return { answers, called, fields };
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
  const without = await texting(["can someone call me thursday at 5?"], {
    ...HOMES,
    tools: ["end_conversation", "do_not_message"],
  });
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

test("a correction replaces what it corrects, and what nothing was known of is not called changed", async () => {
  const { answers, fields } = await texting(["yes", "actually 450k", "no wait 475k"]);
  assert.equal(fields.asking_price, "475000");
  assert.doesNotMatch(answers[1]!, /changed|instead|then\./);
  assert.match(answers[2]!, /475,000/);
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

const ROOFS: TextedAgent = {
  start: "Hi Flo, this is Rita from Northside Roofing. We have free roof inspections this month. Would you like one?",
  prompt:
    "You are Rita of Northside Roofing. Find out whether they want a free roof inspection. The inspection takes about 30 minutes. We inspect Monday to Saturday, 8am to 6pm. We are licensed and insured.",
  fields: [
    { name: "interest" },
    { name: "roof_age", type: "number", description: "The age of the roof in years" },
    { name: "email" },
    { name: "best_time", description: "When we may come for the inspection" },
  ],
  tools: ["end_conversation", "do_not_message", "schedule_call", "ask_person"],
  contact: { first_name: "Flo" },
};

test("who is not the contact is asked nothing, nothing they say is the contact's answer, and people hear of it", async () => {
  for (const text of ["this isnt flo, she sold the house last year", "im her son", "no soy flo"]) {
    const { answers, called, fields } = await texting([text], ROOFS);
    assert.doesNotMatch(answers[0]!, /\?/, text);
    assert.match(answers[0]!, /team|equipo/, text);
    assert.deepEqual(called, ["ask_person", "end_conversation"], text);
    assert.deepEqual(fields, {}, text);
  }
  const { answers } = await texting(["im her husband, who is this?"], ROOFS);
  assert.match(answers[0]!, /^I'm Ava, an automated assistant.*our team know\.$/);
});

test("a time at which nobody comes is no appointment: the hours are said and the question is asked again", async () => {
  const { answers, fields } = await texting(["yes", "12", "flo@example.com", "sunday at 3am", "monday at 10am"], ROOFS);
  assert.match(answers[3]!, /^We inspect Monday to Saturday, 8am to 6pm\. .*\?$/);
  assert.equal(fields.best_time, "2026-11-23 10:00");
  const insists = await texting(["yes", "12", "flo@example.com", "sunday", "sunday please"], ROOFS);
  assert.match(insists.answers[4]!, /team/);
  assert.equal(insists.called.at(-1), "end_conversation");
  assert.equal(insists.fields.best_time, undefined);
});

test("who wants to be written to weeks ahead is asked for no better time, and people hear of it", async () => {
  for (const text of ["not right now maybe in spring", "busy rn, text me next week"]) {
    const { answers, called } = await texting([text], ROOFS);
    assert.doesNotMatch(answers[0]!, /\?/, text);
    assert.deepEqual(called, ["ask_person"], text);
  }
  assert.deepEqual((await texting(["busy until 4"], ROOFS)).called, []);
});

test("a part of the day is said back and is no hour", async () => {
  const { answers, fields } = await texting(["yes", "12", "no email", "monday afternoon"], ROOFS);
  assert.match(answers[3]!, /^Monday, November 23 in the afternoon, noted\./);
  assert.equal(fields.best_time, "2026-11-23");
});

test("the contact's own insurance and who will come are questions that the company's insurance and name do not answer", async () => {
  const { answers } = await texting(
    ["yes", "will my insurance cover it?", "who is coming?", "are you insured?"],
    ROOFS,
  );
  assert.doesNotMatch(answers[1]!, /insured/);
  assert.doesNotMatch(answers[2]!, /assistant/);
  assert.match(answers[3]!, /insured/);
});

test("who knows no English but is interested is asked on in Spanish, and what they do not have is left", async () => {
  const texts = ["si me interesa pero no hablo ingles", "no sé", "no tengo correo", "el lunes por la mañana"];
  const { answers, fields } = await texting(texts, ROOFS);
  assert.match(answers[0]!, /¿Cuántos años tiene el techo\?$/);
  assert.match(answers[1]!, /correo/);
  assert.match(answers[2]!, /¿Qué día/);
  assert.match(answers[3]!, /^Lunes, 23 de noviembre por la mañana/);
  assert.deepEqual(fields, { interest: "yes", best_time: "2026-11-23" });
});

test("a count, a day corrected and a value beside a request to wait are taken as they are meant", async () => {
  const { fields } = await texting(["yes", "hold on my wife says its 8 years old"], ROOFS);
  assert.equal(fields.roof_age, "8");
  const moved = await texting(
    ["yes", "12", "no email", "thursday at 5pm", "wait not thursday, wednesday at 10am"],
    ROOFS,
  );
  assert.equal(moved.fields.best_time, "2026-11-25 10:00");
});
