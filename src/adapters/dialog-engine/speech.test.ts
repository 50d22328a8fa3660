import assert from "node:assert/strict";
import { test } from "node:test";
import { type ExtractionFieldInput, normaliseExtractionFields } from "#domain/agents/extraction-field.ts";
import {
  type ConverseRequest,
  type HistoryMessage,
  VOICE_TOOL_NAMES,
  type VoiceToolName,
} from "#ports/language-model.ts";
import { dialogEngine } from "./engine.ts";

const model = dialogEngine();
/** A Friday, eight in the morning in Denver. */
const now = new Date("2026-11-20T15:00:00Z");

type Setting = {
  fields?: ExtractionFieldInput[];
  prompt?: string;
  without?: VoiceToolName;
  recorded?: boolean;
  instruction?: string;
  greeting?: string;
  known?: Record<string, string>;
};

/** Leads a call through every turn: what the agent says to each line, its tools in brackets behind. */
async function talk(setting: Setting, ...lines: string[]): Promise<string[]> {
  const history: HistoryMessage[] = [];
  const greeting = setting.greeting ?? "Hi, this is Ava. Do you have a minute?";
  if (greeting) history.push({ id: "g", role: "agent", text: greeting, at: now });
  const answers: string[] = [];
  for (const [index, text] of lines.entries()) {
    history.push({ id: `c${index}`, role: "contact", text, at: now });
    const request: ConverseRequest = {
      agent: { name: "Ava", organization: "Acme", instructions: setting.prompt ?? "Qualify the lead." },
      contact: {},
      contactZone: "America/Denver",
      now,
      history: [...history],
      spokenFrom: 0,
      fields: normaliseExtractionFields(setting.fields ?? ["budget"]),
      known: setting.known ?? {},
      ...(setting.instruction ? { instruction: setting.instruction } : {}),
      direction: "outbound",
      recorded: setting.recorded ?? true,
      tools: VOICE_TOOL_NAMES.filter((name) => name !== setting.without).map((name) => ({
        name,
        description: name,
        parameters: {},
      })),
      prompt: { system: "", messages: [] },
      limits: { firstMs: 1_000, betweenMs: 1_000 },
    };
    let answer = "";
    for await (const part of model.converse(request, new AbortController().signal)) {
      if (part.kind === "text") answer += part.text;
      else if (part.kind === "tool") answer += ` [${part.call.name}]`;
    }
    answers.push(answer.trim());
    const spoken = answer.replace(/ ?\[\w+\]/g, "");
    if (spoken) history.push({ id: `a${index}`, role: "agent", text: spoken, at: now });
  }
  return answers;
}

const QUESTION = "What budget do you have in mind?";

test("it asks for what is missing, one thing at a time, and hangs up when nothing is", async () => {
  assert.deepEqual(await talk({ fields: ["first_name", "budget"] }, "yes", "Ana", "about 350k"), [
    "Thanks. May I have your first name?",
    `Nice to meet you, Ana. ${QUESTION}`,
    "Thanks, that's all I need for now. Someone from our team will be in touch. Goodbye. [end_call]",
  ]);
  assert.deepEqual(await talk({ known: { budget: "300k" } }, "yes"), [
    "Thanks, that's all I need for now. Someone from our team will be in touch. Goodbye. [end_call]",
  ]);
});

test("it says what it is, and whether it is recorded, and then goes on where it was", async () => {
  for (const asked of ["who is this", "are you a robot", "What is this about?", "why are you calling"]) {
    const [answer] = await talk({}, asked);
    assert.equal(answer, `I'm Ava, an automated assistant calling for Acme. ${QUESTION}`, asked);
  }
  assert.deepEqual(await talk({}, "is this call recorded"), [`Yes, this call is recorded. ${QUESTION}`]);
  assert.deepEqual(await talk({ recorded: false }, "are you recording this"), [
    `No, this call is not recorded. ${QUESTION}`,
  ]);
});

test("however often the contact asks back, a field is asked for twice at most, and its answer counts all the same", async () => {
  const answers = await talk({}, "yes", "who are you", "is this recorded", "sorry what", "around 200k");
  assert.deepEqual(
    answers.slice(1, 4).map((answer) => answer.endsWith(QUESTION)),
    [false, false, false],
  );
  assert.match(answers[4]!, /\[end_call\]$/);
});

test("it repeats itself, waits, and says that it is there", async () => {
  assert.deepEqual(await talk({}, "pardon"), ["Hi, this is Ava. Do you have a minute?"]);
  assert.deepEqual(await talk({}, "yes", "could you say that again please"), [`Thanks. ${QUESTION}`, QUESTION]);
  assert.deepEqual(await talk({}, "hold on a second"), ["Sure, take your time."]);
  assert.deepEqual(await talk({}, "hello? are you there?"), [`Yes, I'm here. ${QUESTION}`]);
});

test("a call at another time is noted in the contact's zone, and asked for once", async () => {
  assert.deepEqual(await talk({}, "I'm driving", "tomorrow after lunch"), [
    "No problem. When would be a better time?",
    "Great, we'll call you on Saturday, November 21 at 1:30 PM. Talk to you then! Goodbye. [schedule_callback] [end_call]",
  ]);
  assert.match(
    (await talk({}, "call me back on Tuesday at 3pm"))[0]!,
    /Tuesday, November 24 at 3 PM.*\[schedule_callback\]/,
  );
  assert.match((await talk({}, "I'm busy", "no"))[1]!, /I'll leave it there.*\[end_call\]$/);
  assert.match(
    (await talk({ without: "schedule_callback" }, "call me tomorrow at 3"))[0]!,
    /pass that on.*\[end_call\]$/,
  );
});

test("a person is put through to where there is one, else offered a call", async () => {
  assert.deepEqual(await talk({}, "can I talk to a real person"), ["Sure, I'll put you through now. [transfer_call]"]);
  const [answer] = await talk({ without: "transfer_call" }, "let me speak to a manager");
  assert.match(answer!, /can't put you through.*What day and time/);
});

test("a no, a goodbye and a wish to be left alone end the call", async () => {
  assert.match(
    (await talk({}, "no thanks, not interested"))[0]!,
    /^No problem, thanks for your time\. Goodbye\. \[end_call\]$/,
  );
  assert.match((await talk({}, "okay bye"))[0]!, /Goodbye\. \[end_call\]$/);
  assert.deepEqual(await talk({}, "take me off your list"), ["[do_not_call]"]);
});

test("what it did not understand it asks again, once, and then leaves", async () => {
  assert.deepEqual(await talk({}, "yes", "the dog is green", "the cat too"), [
    `Thanks. ${QUESTION}`,
    "Sorry, I'm not sure I follow. Roughly, what is your budget?",
    "Thanks, that's all I need for now. Someone from our team will be in touch. Goodbye. [end_call]",
  ]);
  assert.deepEqual(await talk({}, ""), [`Sorry, I'm not sure I follow. ${QUESTION}`]);
});

test("it says what an operator instructs it to", async () => {
  for (const text of ["Tell them that we have a new offer.", "say: we have a new offer.", "we have a new offer."]) {
    assert.deepEqual(await talk({ instruction: text }, "hm"), ["we have a new offer."], text);
  }
});

test("it asks what an operator instructs it to ask, as a question", async () => {
  for (const [text, question] of [
    ["Ask for the postcode", "What is the postcode?"],
    ["please ask them for their postal code.", "What is your postal code?"],
    ["Ask whether they own the home.", "Do you own the home?"],
    ["ask her: are you at home?", "Are you at home?"],
  ] as const) {
    assert.deepEqual(await talk({ instruction: text }, "hm"), [question], text);
  }
});

test("without a greeting its first words say who it is", async () => {
  assert.deepEqual(await talk({ greeting: "" }, "Hello?"), [
    `I'm Ava, an automated assistant calling for Acme. ${QUESTION}`,
  ]);
});
