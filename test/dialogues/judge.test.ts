import assert from "node:assert/strict";
import { test } from "node:test";
import { type Agent, alternatives, type Dialogue, dialogueIn } from "./dialogue.ts";
import { fieldFaults, holds, judge } from "./judge.ts";
import type { Answer } from "./play.ts";

const agent: Agent = {
  id: "loans",
  name: "Max",
  organization: "Summit",
  start: "How much would you like to borrow?",
  instructions: "Loans run from 12 to 84 months. We lend up to 50,000 dollars.",
  fields: ["amount", "email"],
  asks: { amount: "how much|borrow", email: "e-?mail" },
};
const answer = (text: string, more: Partial<Answer> = {}): Answer => ({ text, tools: [], ms: 0, known: {}, ...more });
const passes = (condition: string, text: string, more?: Partial<Answer>): boolean =>
  holds(condition, answer(text, more), { agent });

/** The rules that a dialogue broke: what was said and expected, and what was answered to that. */
function broken(channel: Dialogue["channel"], ...turns: [say: string, answer: string | Answer, expect?: string][]) {
  const dialogue: Dialogue = {
    id: "x",
    agent,
    channel,
    tools: [],
    turns: turns.map(([say, , expect]) => ({ say, expect: expect ? [expect] : [] })),
    fields: {},
    may: {},
  };
  const answers = turns.map(([, given]) => (typeof given === "string" ? answer(given) : given));
  return judge({ dialogue, answers, fields: {} }).broken.map(({ turn, rule }) => `${turn} ${rule}`);
}

test("`ask:FIELD` holds for one question about that field, and not for another, for two or for none", () => {
  assert.ok(passes("ask:email", "Thanks! What is your e-mail?"));
  assert.ok(!passes("ask:email", "Thanks! How much is it?"));
  assert.ok(!passes("ask:email", "How much? And your email?"));
  assert.ok(!passes("ask:email", "Send me your email."));
  assert.ok(!passes("ask:email", "We send an email. How much is it?"));
});

test("`ask:` holds for one question about anything", () => {
  assert.ok(passes("ask:", "When suits you?"));
  assert.ok(!passes("ask:", "When? Where?"));
  assert.ok(!passes("ask:", ""));
});

test("a Spanish question counts for any field, as long as it is one", () => {
  assert.ok(passes("ask:email", "¿Cuál es su correo?"));
  assert.ok(!passes("ask:email", "¿Cuál es su correo? ¿Y cuánto?"));
  assert.ok(!passes("ask:email", "¡Gracias!"));
});

test("`no-question` holds for a text that asks nothing, and not for silence", () => {
  assert.ok(passes("no-question", "We will be in touch."));
  assert.ok(!passes("no-question", "Shall we?"));
  assert.ok(!passes("no-question", ""));
});

test("`silent` holds for no text, whatever is called", () => {
  assert.ok(passes("silent", "", { tools: [{ name: "end" }] }));
  assert.ok(!passes("silent", "Bye."));
});

test("`says:` and `not:` look for their pattern in any case", () => {
  assert.ok(passes("says:sorry", "Sorry to hear that."));
  assert.ok(!passes("says:sorry", "Great!"));
  assert.ok(passes("not:%", "I can't say."));
  assert.ok(!passes("not:APPROVED", "You are approved."));
});

test("`tool:` holds when the tool is called, `time:` when the call is scheduled for that time in Denver", () => {
  const tools = [{ name: "schedule", at: new Date("2026-11-24T22:00:00Z") }];
  assert.ok(passes("tool:schedule", "", { tools }));
  assert.ok(!passes("tool:transfer", "", { tools }));
  assert.ok(passes("time:2026-11-24T15:00", "", { tools }));
  assert.ok(!passes("time:2026-11-24T22:00", "", { tools }));
  assert.ok(!passes("time:2026-11-24T15:00", "Tuesday at 3 PM."));
});

test("of `a|b` one has to hold, and a bar within a pattern parts nothing", () => {
  assert.ok(passes("tool:end|silent", ""));
  assert.ok(passes("tool:end|silent", "Bye.", { tools: [{ name: "end" }] }));
  assert.ok(!passes("tool:end|silent", "Bye."));
  assert.deepEqual(alternatives("says:a|b|says:c|silent"), ["says:a|b", "says:c", "silent"]);
});

test("a model that failed holds no condition", () => {
  assert.ok(!passes("silent", "", { failure: "Error: broken" }));
  assert.deepEqual(broken("sms", ["hi", answer("", { failure: "Error: broken" })]), [
    "1 the model failed: Error: broken",
  ]);
});

test("a field is wrong with another value or when nobody expects it, and missing when it is not there", () => {
  const expected = { fields: { amount: ["20000", "20k"], email: "/@x\\.example$/" }, may: {} };
  assert.deepEqual(fieldFaults(expected, { amount: " 20K ", email: "ANN@X.EXAMPLE" }), []);
  assert.deepEqual(fieldFaults(expected, { amount: "2000" }), [
    { name: "amount", kind: "wrong", value: "2000" },
    { name: "email", kind: "missing" },
  ]);
  const nothing = { fields: {}, may: {} };
  assert.deepEqual(fieldFaults(nothing, { amount: "1" }), [{ name: "amount", kind: "wrong", value: "1" }]);
});

test("a field that may be known is neither missing without a value nor wrong with the right one", () => {
  const open = { fields: {}, may: { amount: ["1", "2"] } };
  assert.deepEqual(fieldFaults(open, {}), []);
  assert.deepEqual(fieldFaults(open, { amount: "2" }), []);
  assert.deepEqual(fieldFaults(open, { amount: "3" }), [{ name: "amount", kind: "wrong", value: "3" }]);
});

test("a sentence may be said once, and again only when the contact asks for that", () => {
  const twice = "1 said twice: how much would you like to borrow";
  assert.deepEqual(broken("sms", ["hm", "How much would you like to borrow?"]), [twice]);
  assert.deepEqual(broken("sms", ["pardon?", "How much would you like to borrow?"]), []);
  assert.deepEqual(broken("voice", ["bye", "Goodbye."], ["bye", "Goodbye."]), []);
});

test("a field may be asked for twice, the start included, and not a third time", () => {
  const more = broken("sms", ["hm", "So how much is it?"], ["hm", "Roughly how much?"], ["ok", "What is your email?"]);
  assert.deepEqual(more, ["2 asked 3 times: amount"]);
});

test("one question, 300 characters in a text and three sentences in a call are the most", () => {
  assert.deepEqual(broken("sms", ["hm", "Shall we? Or not?"]), ["1 more than one question"]);
  assert.deepEqual(broken("sms", ["hm", "a".repeat(301)]), ["1 301 characters"]);
  assert.deepEqual(broken("sms", ["hm", "a".repeat(300)]), []);
  assert.deepEqual(broken("voice", ["hm", "One. Two. Three at 3 p.m. then. Four."]), ["1 4 sentences"]);
  assert.deepEqual(broken("voice", ["hm", "One. Two. Three at 3 p.m. then."]), []);
});

test("a figure has to be the agent's, the contact's or a date", () => {
  assert.deepEqual(broken("sms", ["hm", "It costs $75."]), ["1 a figure that nobody named: 75"]);
  const fine = [
    "12 to 84 months, up to $50000.",
    "20,000 it is.",
    "Tuesday, November 24 at 3:45 PM.",
    "Call 303-5550100.",
  ];
  for (const text of fine) assert.deepEqual(broken("sms", ["20k, 303 555 0100", text]), [], text);
  assert.deepEqual(broken("sms", ["thirty grand", answer("30,000, noted.", { known: { amount: "30000" } })]), []);
});

test("bad news and anger get no word of joy", () => {
  assert.deepEqual(broken("sms", ["he died", "Great! So sorry.", "says:sorry"]), ["1 joy at bad news or anger"]);
  assert.deepEqual(broken("sms", ["he died", "I am so sorry.", "says:sorry"]), []);
  assert.deepEqual(broken("sms", ["yes", "Great!", "says:great"]), []);
});

test("a line with anything unknown in it is not a dialogue", () => {
  const turns = [{ say: "hi", expect: ["ask:email"] }];
  const line = { id: "a", agent: "loans", channel: "sms", turns, fields: { email: "/x/" } };
  const read = (more: object) => dialogueIn(JSON.stringify({ ...line, ...more }), [agent]);
  assert.deepEqual(read({}), { ...line, agent, may: {}, tools: ["schedule", "transfer"] });
  assert.deepEqual((read({ tools: [] }) as Dialogue).tools, []);
  assert.equal(dialogueIn("{", [agent]), "it is not JSON");
  for (const wrong of [
    { agent: "cars" },
    { channel: "fax" },
    { turns: [] },
    { tools: ["dance"] },
    { fields: { age: "1" } },
    { fields: { email: "/(/" } },
    { may: { age: "1" } },
    ...["ask:age", "says:(", "sing", "tool:dance", "time:3pm"].map((condition) => ({
      turns: [{ say: "hi", expect: [condition] }],
    })),
  ])
    assert.equal(typeof read(wrong), "string", JSON.stringify(wrong));
});
