import assert from "node:assert/strict";
import { test } from "node:test";
import { smsAgent } from "#domain/agents/agent.ts";
import { type HistoryMessage, type LanguageModel, ModelError, type ReplyResult } from "#ports/language-model.ts";
import { FALLBACK_TEXT, type TurnInput, takeTurn } from "./turn.ts";

const now = new Date("2026-11-20T15:00:00Z");

function history(...texts: string[]): HistoryMessage[] {
  return texts.map((line, index) => {
    const [role, text] = line.split(/: (.*)/s) as [HistoryMessage["role"], string];
    return { id: `id-${index}`, role, text, at: new Date(now.getTime() + index * 1_000) };
  });
}

function input(more: Partial<TurnInput> = {}): TurnInput {
  return {
    agent: smsAgent({
      agent_name: "Sam",
      prompt: "You sell homes in Denver. The discount of nine percent is internal and stays between the two of us.",
      extraction_fields: ["budget"],
      allowed_links: ["acme.com"],
    }),
    organization: "Acme Homes",
    contact: { first_name: "Ana", email: "ana@x.example" },
    contactZone: "America/Denver",
    now,
    history: history("agent: Hi Ana, still looking for a home?", "contact: Yes"),
    known: {},
    canScheduleCall: true,
    canTransferToVoice: true,
    ...more,
  };
}

/** A model that returns what it is given, whatever the types say. */
function stub(result: unknown | (() => unknown)): LanguageModel & { requests: number } {
  const answer = () => (typeof result === "function" ? result() : result) as ReplyResult;
  const model = {
    name: "stub",
    capabilities: { local: true, choosable: false },
    requests: 0,
    reply: async () => {
      model.requests++;
      return answer();
    },
    extract: async () => ({ value: answer(), usage: { inputTokens: 0, outputTokens: 0 } }),
    converse: () => assert.fail("no call is held"),
  };
  return model;
}

const says = (text: string, ...toolCalls: { name: string; args: unknown }[]) =>
  stub({ text, toolCalls, usage: { inputTokens: 10, outputTokens: 5 } });

const { signal } = new AbortController();
const turn = (model: LanguageModel, more: Partial<TurnInput> = {}) => takeTurn(model, input(more), { signal });

test("a good answer comes through with its actions and its usage", async () => {
  const outcome = await turn(says("Great! What is your budget?"));
  assert.equal(outcome.text, "Great! What is your budget?");
  assert.deepEqual(outcome.actions, []);
  assert.deepEqual(outcome.notes, []);
  assert.deepEqual(outcome.usage, { inputTokens: 10, outputTokens: 5 });
  assert.ok(outcome.latencyMs >= 0);
});

test("every tool on offer becomes an action, once", async () => {
  const { actions, notes } = await turn(
    says(
      "Talk soon!",
      { name: "schedule_call", args: { time: "2026-11-24T15:00:00-07:00" } },
      { name: "schedule_call", args: { time: "2026-11-25T15:00:00-07:00" } },
      { name: "transfer_to_voice", args: {} },
      { name: "end_conversation", args: { outcome: "Call scheduled!" } },
    ),
  );
  assert.deepEqual(actions, [
    { type: "schedule_call", at: new Date("2026-11-24T22:00:00Z") },
    { type: "transfer_to_voice" },
    { type: "end_conversation", outcome: "call_scheduled" },
  ]);
  assert.deepEqual(notes, []);
});

test("a tool that is not on offer, or with wrong arguments, is dropped and noted", async () => {
  const calls = [
    { name: "schedule_call", args: { time: "2026-11-24T15:00:00-07:00" } },
    { name: "send_money", args: { to: "+1900" } },
    { name: "end_conversation", args: { outcome: 5 } },
    { name: "end_conversation", args: "done" },
    { name: "end_conversation", args: null },
    { name: "__proto__", args: {} },
  ];
  const { actions, notes, text } = await turn(says("Okay!", ...calls), {
    canScheduleCall: false,
    canTransferToVoice: false,
  });
  assert.deepEqual(actions, []);
  assert.equal(notes.length, 6);
  assert.equal(text, "Okay!");
});

test("arguments that no tool has are dropped", async () => {
  const { actions, notes } = await turn(says("Okay!", { name: "transfer_to_voice", args: { number: "+19005551234" } }));
  assert.deepEqual(actions, [{ type: "transfer_to_voice" }]);
  assert.deepEqual(notes, ["tool transfer_to_voice: extra arguments dropped"]);
});

test("a call in the past, too far ahead or without a zone is not scheduled", async () => {
  for (const time of ["2026-11-19T10:00:00Z", "2028-01-01T10:00:00Z", "2026-11-24T15:00", "tomorrow"]) {
    const { actions } = await turn(says("Okay!", { name: "schedule_call", args: { time } }));
    assert.deepEqual(actions, [], time);
  }
});

test("a model that calls a tool and writes nothing is given words that promise no time", async () => {
  const scheduled = await turn(says("", { name: "schedule_call", args: { time: "2026-11-24T15:00:00-07:00" } }));
  assert.equal(scheduled.text, "Thanks, we'll call you then.");
  const ended = await turn(says("", { name: "end_conversation", args: { outcome: "done" } }));
  assert.equal(ended.text, null);
  assert.equal(ended.actions.length, 1);
});

test("an agent that passes a question on says so, and a person is wanted", async () => {
  const asked = await turn(says("I'll pass that on.", { name: "ask_person", args: {} }));
  assert.deepEqual([asked.text, asked.needsPerson], ["I'll pass that on.", true]);
  const wordless = await turn(says("", { name: "ask_person", args: {} }));
  assert.deepEqual([wordless.text, wordless.needsPerson], [FALLBACK_TEXT, true]);
  assert.equal((await turn(says("It is 9 to 5."))).needsPerson, false);
});

test("do_not_message is the only action beside it, and nothing is said", async () => {
  const { text, actions } = await turn(
    says("Sorry!", { name: "transfer_to_voice", args: {} }, { name: "do_not_message", args: {} }),
  );
  assert.equal(text, null);
  assert.deepEqual(actions, [{ type: "do_not_message" }]);
});

test("an opt-out never reaches the model", async () => {
  for (const text of ["STOP", "please stop texting me", "no mas", "take me off your list"]) {
    const model = says("But wait!");
    const outcome = await turn(model, { history: history("agent: Hi", `contact: ${text}`, "contact: ok?") });
    assert.equal(model.requests, 0);
    assert.equal(outcome.text, null);
    assert.deepEqual(outcome.actions, [{ type: "do_not_message" }]);
  }
});

test("nothing new from the contact means nothing to answer", async () => {
  const model = says("Hello again");
  assert.equal((await turn(model, { history: history("contact: Hi", "human: I am taking over") })).text, null);
  assert.equal((await turn(model, { history: [] })).text, null);
  assert.equal(model.requests, 0);
});

test("a machine that writes the same again and again is not answered", async () => {
  const model = says("Hello");
  const outcome = await turn(model, {
    history: history(
      "contact: Auto-reply: I'm away",
      "agent: Hi",
      "contact: auto reply, I'm away!",
      "agent: Hi?",
      "contact: Auto-reply: I'm away",
    ),
  });
  assert.equal(outcome.text, null);
  assert.equal(model.requests, 0);
});

test("a silence that is meant is no failure: nothing is said, and no person is asked for", async () => {
  const usage = { inputTokens: 0, outputTokens: 0 };
  const meant = await turn(stub({ text: "", silent: true, toolCalls: [], usage }));
  assert.deepEqual([meant.text, meant.needsPerson], [null, false]);
  const empty = await turn(stub({ text: "", toolCalls: [], usage }));
  assert.equal(empty.needsPerson, true);
});

test("the same sentence is not said a third time", async () => {
  const twice = history("agent: What is your budget?", "contact: a", "agent: What is your budget?", "contact: b");
  assert.equal((await turn(says("What is your budget?"), { history: twice })).text, null);
});

test("what the gate refuses is passed on to a person, which is said once in a thread", async () => {
  for (const text of [
    "{{first_name}}",
    "see evil.com",
    '{"reply":"x"}',
    "x".repeat(1_000_000),
    "\u0000",
    "I am a real person",
  ]) {
    const outcome = await turn(says(text));
    assert.deepEqual([outcome.text, outcome.needsPerson], [FALLBACK_TEXT, true], text.slice(0, 20));
    assert.equal(outcome.notes.length, 1);
  }
  const again = await turn(says("see evil.com"), {
    history: history("contact: hi", `agent: ${FALLBACK_TEXT}`, "contact: hello?"),
  });
  assert.deepEqual([again.text, again.needsPerson], [null, true]);
});

test("a refused answer is asked for once more, with the reason", async () => {
  const answers = ["see evil.com", "Our homes start at 300k."];
  const asked: string[] = [];
  const model = (...texts: string[]): LanguageModel => ({
    ...stub(null),
    capabilities: { local: false, choosable: true },
    reply: async ({ prompt }) => {
      asked.push(prompt.system);
      const text = texts.length > 1 ? texts.shift()! : texts[0]!;
      return { text, toolCalls: [], usage: { inputTokens: 10, outputTokens: 5 } };
    },
  });
  const mended = await turn(model(...answers));
  assert.deepEqual([mended.text, mended.needsPerson], ["Our homes start at 300k.", false]);
  assert.deepEqual(mended.notes, ["answer refused: link_not_allowed", "asked once more"]);
  assert.deepEqual(mended.usage, { inputTokens: 20, outputTokens: 10 });
  assert.match(asked[1]!, /Your last draft was not sent, because it held a link that is not allowed/);
  assert.ok(!asked[0]!.includes("last draft"));
  asked.length = 0;
  const hopeless = await turn(model("see evil.com"));
  assert.deepEqual([hopeless.text, hopeless.needsPerson, asked.length], [FALLBACK_TEXT, true, 2]);
});

test("a reply that recites five words of the instructions is not sent, unless the contact or the author said them", async () => {
  const reciting = (text: string): LanguageModel => ({
    ...says(text),
    capabilities: { local: false, choosable: true },
  });
  const recited = "It stays between the two of us, friend.";
  assert.equal((await turn(reciting(recited))).text, FALLBACK_TEXT);
  const asked = history("agent: Hi", "contact: Does it stay, stays between the two of us?");
  assert.equal((await turn(reciting(recited), { history: asked })).text, recited);
  const { agent } = input();
  const starting_message = "Hi, this stays between the two of us.";
  assert.equal((await turn(reciting(recited), { agent: { ...agent, starting_message } })).text, recited);
});

test("a failing model says its code, and whether to come back", async () => {
  const failing = stub(() => {
    throw new ModelError("slow down", { retryable: true, vendorCode: "429", retryAfterMs: 2_000 });
  });
  const outcome = await turn(failing);
  assert.deepEqual(outcome.failure, { vendorCode: "429", retryable: true, retryAfterMs: 2_000 });
  assert.equal(outcome.text, null, "nothing that may not come true");
  const broken = await turn(
    stub(() => {
      throw new TypeError("bug");
    }),
  );
  assert.deepEqual(broken.failure, { vendorCode: "exception", retryable: false });
});

test("a model that stalls and ignores its signal is left behind at the limit", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const stalling = stub(() => new Promise(() => {}));
  const waiting = takeTurn(stalling, input(), { signal, timeLimitMs: 5_000 });
  t.mock.timers.tick(5_000);
  const outcome = await waiting;
  assert.deepEqual(outcome.failure, { vendorCode: "timeout", retryable: true });
  assert.equal(outcome.text, null);
});

test("the caller's own abort is thrown on, and nothing is said", async () => {
  const overtaken = new AbortController();
  const waiting = takeTurn(
    stub(() => new Promise(() => {})),
    input(),
    { signal: overtaken.signal },
  );
  overtaken.abort(new Error("a newer text came"));
  await assert.rejects(waiting, /a newer text came/);
});

test("garbage of any kind harms nothing", async () => {
  const garbage: unknown[] = [
    undefined,
    null,
    5,
    "text",
    [],
    {},
    { text: 5, toolCalls: "x", usage: null },
    {
      text: null,
      toolCalls: [null, 1, "x", {}, { name: {}, args: [] }],
      usage: { inputTokens: -1, outputTokens: "9" },
    },
    { text: "ok", toolCalls: Array(10_000).fill({ name: "x", args: {} }) },
    { text: "\ud800\u0000\u202e", toolCalls: [] },
    Object.create(null),
  ];
  for (const result of garbage) {
    const outcome = await turn(stub(result));
    assert.ok(outcome.text === FALLBACK_TEXT || outcome.text === "ok");
    assert.deepEqual(outcome.actions, []);
    assert.deepEqual(outcome.usage, { inputTokens: 0, outputTokens: 0 });
    assert.ok(outcome.notes.length <= 20);
  }
});
