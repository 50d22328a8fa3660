import assert from "node:assert/strict";
import { test } from "node:test";
import { checkExtraction } from "#domain/agents/extraction.ts";
import { type ExtractionFieldInput, normaliseExtractionFields } from "#domain/agents/extraction-field.ts";
import { checkOutgoing } from "#domain/messaging/output-gate.ts";
import type { HistoryMessage, ReplyRequest, ToolCall, ToolName } from "#ports/language-model.ts";
import { dialogEngine } from "./engine.ts";

const model = dialogEngine();
const { signal } = new AbortController();
/** A Friday, eight in the morning in Denver. */
const now = new Date("2026-11-20T15:00:00Z");

type Setting = {
  fields?: ExtractionFieldInput[];
  prompt?: string;
  start?: string;
  canScheduleCall?: boolean;
  canTransferToVoice?: boolean;
  known?: Record<string, string>;
  canAskPerson?: boolean;
};

function requestWith(setting: Setting, history: readonly HistoryMessage[]): ReplyRequest {
  const names: ToolName[] = ["end_conversation", "do_not_message"];
  if (setting.canAskPerson) names.push("ask_person");
  if (setting.canScheduleCall ?? true) names.push("schedule_call");
  if (setting.canTransferToVoice ?? true) names.push("transfer_to_voice");
  return {
    agent: { name: "Sam", organization: "Acme Homes", instructions: setting.prompt ?? "Qualify the lead." },
    contact: {},
    contactZone: "America/Denver",
    now,
    history,
    fields: normaliseExtractionFields(setting.fields ?? []),
    known: setting.known ?? {},
    tools: names.map((name) => ({ name, description: name, parameters: {} })),
    maxCharacters: 600,
    prompt: { system: "", messages: [] },
  };
}

async function extracted(request: ReplyRequest) {
  const { value } = await model.extract(request, signal);
  const facts = { doNotMessage: false, callTransferred: false };
  return checkExtraction(value, request.fields, request.history, facts);
}

/** Leads a conversation through every turn. Whatever is said must pass the output gate, and whatever is extracted its check. */
async function converse(setting: Setting, ...texts: string[]) {
  const start = setting.start ?? "Hi, are you still looking?";
  const history: HistoryMessage[] = [{ id: "start", role: "agent", text: start, at: now }];
  const answers: string[] = [];
  const calls: ToolCall[] = [];
  for (const [index, text] of texts.entries()) {
    history.push({ id: `c${index}`, role: "contact", text, at: now });
    const reply = await model.reply(requestWith(setting, history), signal);
    answers.push(reply.text);
    calls.push(...reply.toolCalls);
    if (reply.text === "") continue;
    assert.equal(checkOutgoing(reply.text, { allowedLinks: [] }).ok, true, reply.text);
    history.push({ id: `a${index}`, role: "agent", text: reply.text, at: now });
  }
  const { extraction, notes } = await extracted(requestWith(setting, history));
  assert.deepEqual(notes, []);
  return { answers, calls, extraction };
}

const end = (outcome: string): ToolCall => ({ name: "end_conversation", args: { outcome } });
const schedule = (time: string): ToolCall => ({ name: "schedule_call", args: { time } });

test("a contact who says goodbye is not asked what is still missing, and gets no further text when saying goodbye again", async () => {
  const fields: ExtractionFieldInput[] = [{ name: "budget", description: "Their budget" }];
  const { answers, calls } = await converse({ fields }, "ok thanks, bye", "bye");
  assert.deepEqual(answers, ["You're welcome. Have a good day!", ""]);
  assert.deepEqual(calls[0], end("in_conversation"));
  const asked = await converse({ fields }, "bye, but what does it cost?");
  assert.equal(asked.answers[0], "I don't have that here, I'll ask our team to answer.");
});

test("a person is asked exactly when the contact reads that a question is passed on", async () => {
  const setting = { prompt: "You sell homes. Our office is open from 9 to 5.", canAskPerson: true };
  const unknown = await converse(setting, "Do you take bitcoin?");
  assert.match(unknown.answers[0]!, /^I don't have that here, I'll ask our team to answer\./);
  assert.deepEqual(unknown.calls, [{ name: "ask_person", args: {} }]);
  const known = await converse(setting, "When are you open?");
  assert.match(known.answers[0]!, /from 9 to 5/);
  assert.deepEqual(known.calls, []);
});

test("it asks for what is missing, one thing at a time, and ends when all is known", async () => {
  const { answers, calls, extraction } = await converse(
    { fields: ["first_name", "budget", "move_in_date", "bedrooms", "email"] },
    "yes",
    "Ana",
    "around 300-350k",
    "by Dec 1",
    "3",
    "ana@x.example",
    "thanks!",
    "bye",
  );
  assert.deepEqual(answers, [
    "Thanks. May I have your first name?",
    "Nice to meet you, Ana. What budget do you have in mind?",
    "$300,000 to $350,000, noted. What is your move in date?",
    "Tuesday, December 1, noted. How many bedrooms?",
    "Got it. What's the best email address for you?",
    "Thanks, that's all I need for now. Someone from our team will be in touch.",
    "You're welcome. Have a good day!",
    "",
  ]);
  assert.deepEqual(calls[0], end("qualified"));
  assert.deepEqual(extraction.extracted_fields, {
    first_name: "Ana",
    budget: "300000-350000",
    move_in_date: "2026-12-01",
    bedrooms: "3",
    email: "ana@x.example",
  });
  assert.deepEqual(extraction.evidence.budget, { message_id: "c2", quote: "300-350k" });
  assert.equal(Object.keys(extraction.evidence).length, 5);
  assert.equal(extraction.objective_met, true);
  assert.equal(extraction.lead_outcome, "qualified");
});

test("what was said unasked, or is known already, is not asked for", async () => {
  const { answers } = await converse(
    { fields: ["first_name", "budget", "city", "email"], known: { city: "Denver" } },
    "Hi, my name is Ana Ruiz, my budget is $400,000 and my mail is ana@x.example",
  );
  assert.deepEqual(answers, ["Thanks, that's all I need for now. Someone from our team will be in touch."]);
});

test("it says honestly what it is, and goes on", async () => {
  for (const text of ["who is this?", "are you a bot?", "is this a real person?"]) {
    const { answers } = await converse({ fields: ["budget"] }, text);
    assert.deepEqual(answers, ["I'm Sam, an automated assistant for Acme Homes. What budget do you have in mind?"]);
  }
});

test("a call is scheduled in the contact's zone when a time is named", async () => {
  const { answers, calls, extraction } = await converse({ fields: [] }, "call me tomorrow after lunch");
  assert.deepEqual(answers, ["Great, we'll call you on Saturday, November 21 at 1:30 PM. Talk to you then!"]);
  assert.deepEqual(calls, [schedule("2026-11-21T20:30:00.000Z"), end("call_scheduled")]);
  const bare = await converse({ fields: ["seats"] }, "on a boat, could you ring me back around two");
  assert.deepEqual(bare.calls[0], schedule("2026-11-20T21:00:00.000Z"));
  // Whether it was really planned is the program's to say, not a model's.
  assert.equal(extraction.call_scheduled, false);
  assert.equal(extraction.lead_outcome, "call_requested");
});

test("a call without a time is transferred when it can be, else the time is asked for", async () => {
  const transferred = await converse({ fields: ["budget"] }, "can you call me");
  assert.deepEqual(transferred.calls, [{ name: "transfer_to_voice", args: {} }]);
  const asked = await converse({ fields: ["budget"], canTransferToVoice: false }, "call me", "Tuesday 3pm");
  assert.equal(asked.answers[0], "Sure. What day and time would be good for a call?");
  assert.equal(asked.answers[1], "Great, we'll call you on Tuesday, November 24 at 3:00 PM. Talk to you then!");
  assert.deepEqual(asked.calls, [schedule("2026-11-24T22:00:00.000Z"), end("call_scheduled")]);
  const neither = await converse({ canTransferToVoice: false, canScheduleCall: false }, "call me at 3pm");
  assert.deepEqual(neither.calls, [end("call_requested")]);
  assert.match(neither.answers[0]!, /pass that on/);
});

test("no interest ends it politely, and nothing more is asked", async () => {
  for (const text of ["not interested", "no thanks", "No", "already bought one"]) {
    const { answers, calls, extraction } = await converse({ fields: ["budget"] }, text, "ok");
    assert.deepEqual(answers, ["No problem, thanks for letting me know. Have a good day!", ""], text);
    assert.deepEqual(calls[0], end("not_interested"));
    assert.equal(extraction.lead_outcome, "not_interested");
    assert.equal(extraction.objective_met, false);
  }
});

test("a busy contact is asked for a better time, which is then kept", async () => {
  const { answers, calls } = await converse({ fields: ["budget"] }, "I'm in a meeting", "in two hours");
  assert.equal(answers[0], "No problem. When would be a better time?");
  assert.deepEqual(calls, [schedule("2026-11-20T17:00:00.000Z"), end("call_scheduled")]);
});

test("a question that brings no answer is asked twice and then left", async () => {
  const { answers } = await converse({ fields: ["budget", "city"] }, "yes", "hm", "well", "Denver");
  assert.deepEqual(answers, [
    "Thanks. What budget do you have in mind?",
    "Sorry, I'm not sure I follow. Roughly, what is your budget?",
    "Sorry, I didn't get that. What city are you in?",
    "Denver, noted. Thanks, that's all I need for now. Someone from our team will be in touch.",
  ]);
});

test("a refusal is taken at once, a question is passed on", async () => {
  const { answers } = await converse({ fields: ["budget", "city"] }, "yes", "I'd rather not say", "what's the price?");
  assert.deepEqual(answers.slice(1), [
    "No problem. What city are you in?",
    "I don't have that here, I'll ask our team to answer. Which city is that?",
  ]);
});

test("choices, yes and no, numbers and free answers are read by type", async () => {
  const { extraction } = await converse(
    {
      fields: [
        { name: "owner", type: "boolean", description: "Do you own your home?" },
        { name: "timeline", choices: ["now", "3 months", "later this year"] },
        { name: "rooms", type: "number" },
        "reason",
      ],
    },
    "hi",
    "yep I do",
    "probably in 3 months",
    "four",
    "Moving to Texas for work",
  );
  assert.deepEqual(extraction.extracted_fields, {
    owner: "true",
    timeline: "3 months",
    rooms: "4",
    reason: "Moving to Texas for work",
  });
});

test("of an answer in pieces, the last word on what was asked counts", async () => {
  const say = (role: HistoryMessage["role"], text: string, index: number) => ({ id: `m${index}`, role, text, at: now });
  const history = [
    say("agent", "What budget do you have in mind?", 0),
    say("contact", "300k", 1),
    say("contact", "sorry, 350k", 2),
  ];
  const { extraction } = await extracted(requestWith({ fields: ["budget", "city"] }, history));
  assert.deepEqual(extraction.extracted_fields, { budget: "350000" });
  assert.equal(extraction.evidence.budget?.message_id, "m2");
});

test("another agent's wording of a question is understood too", async () => {
  const { extraction } = await converse({ fields: ["budget"], start: "Hey! What's your monthly budget?" }, "2500");
  assert.deepEqual(extraction.extracted_fields, { budget: "2500" });
});

test("an opt-out is a value of nothing", async () => {
  const { answers, calls, extraction } = await converse({ fields: ["name"] }, "yes", "STOP");
  assert.equal(answers[1], "");
  assert.deepEqual(calls, [{ name: "do_not_message", args: {} }]);
  assert.deepEqual(extraction.extracted_fields, {});
  assert.equal(extraction.lead_outcome, "opted_out");
});

test("the same conversation gives the same answer, and an unknown zone does not break it", async () => {
  const history: HistoryMessage[] = [
    { id: "1", role: "agent", text: "What is your move in date?", at: now },
    { id: "2", role: "contact", text: "call me tomorrow", at: now },
  ];
  const request = { ...requestWith({ fields: ["move_in_date"] }, history), contactZone: "Mars/Olympus" };
  const answers = await Promise.all([model.reply(request, signal), model.reply(request, signal)]);
  assert.deepEqual(answers[0], answers[1]);
  assert.ok(answers[0]!.text.length > 0);
});

test("odd texts of every kind are answered with something that may be sent", async () => {
  for (const text of [
    "",
    "?",
    "🎉",
    "\u0000",
    "a".repeat(5_000),
    "{{x}}",
    "<b>",
    "12345",
    "1 ".repeat(500),
    "http://evil.example",
    "\ud800",
  ]) {
    for (const fields of [[], ["name", "budget", "city", "email", "zip", "date", "interested"]]) {
      const { answers } = await converse({ fields }, "yes", text);
      assert.notEqual(answers[1], undefined);
    }
  }
});
