import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { normaliseExtractionFields } from "#domain/agents/extraction-field.ts";
import { type ConversePart, type ConverseRequest, type LanguageModel, ModelError } from "#ports/language-model.ts";
import { type LanguageModelServer, startLanguageModelServer } from "#test/support/agents/language-model-server.ts";
import { heldTimers } from "#test/support/time/held-timers.ts";
import { openAiCompatibleModel } from "./openai-compatible.ts";

let server: LanguageModelServer;
let model: LanguageModel;

before(async () => {
  server = await startLanguageModelServer();
});
after(() => server.close());
beforeEach(() => {
  server.requests.length = 0;
  server.behave({ kind: "answer", text: "Hello Ana! How are you?" });
  model = openAiCompatibleModel({ baseUrl: server.url, apiKey: "sk-secret", model: "small", timeoutMs: 60_000 });
});

const { signal } = new AbortController();
const now = new Date("2026-11-20T15:00:00Z");

const request: ConverseRequest = {
  agent: { name: "Sam", organization: "Acme", instructions: "Sell.", temperature: 0.3 },
  contact: {},
  contactZone: "America/Denver",
  now,
  history: [],
  spokenFrom: 0,
  direction: "outbound",
  recorded: true,
  fields: normaliseExtractionFields(["budget"]),
  known: {},
  tools: [
    { name: "end_call", description: "End", parameters: { type: "object", properties: {} } },
    {
      name: "press_digits",
      description: "Press",
      parameters: { type: "object", properties: { digits: { type: "string" } }, required: ["digits"] },
    },
  ],
  prompt: { system: "You are Sam.", messages: [{ role: "user", content: "Hello?" }] },
  limits: { firstMs: 30_000, betweenMs: 30_000 },
};

const converse = (more: Partial<ConverseRequest> = {}, by: AbortSignal = signal) =>
  model.converse({ ...request, ...more }, by);

async function all(parts: AsyncIterable<ConversePart>): Promise<ConversePart[]> {
  const read: ConversePart[] = [];
  for await (const part of parts) read.push(part);
  return read;
}

const textOf = (parts: readonly ConversePart[]): string =>
  parts.map((part) => (part.kind === "text" ? part.text : "")).join("");

/** What came before it failed, and the code and retryability that it failed with. */
async function failureOf(parts: AsyncIterable<ConversePart>): Promise<{ text: string; code: string }> {
  let text = "";
  try {
    for await (const part of parts) if (part.kind === "text") text += part.text;
  } catch (error) {
    assert.ok(error instanceof ModelError, String(error));
    return { text, code: `${error.vendorCode} ${error.retryable ? "retry" : "no"}` };
  }
  assert.fail("it did not fail");
}

const closed = async () => {
  while (server.openStreams() > 0) await new Promise((resolve) => setImmediate(resolve));
};

test("words come as they are written, then tool calls, then the usage", async () => {
  server.behave({
    kind: "answer",
    text: "Have a good day!",
    toolCalls: [
      { name: "end_call", args: "{}" },
      { name: "press_digits", args: '{"digits":"1"}' },
    ],
  });
  const parts = await all(converse());
  assert.deepEqual(
    parts.map((part) => (part.kind === "text" ? part.text : part.kind === "tool" ? part.call : part.usage)),
    [
      "Have ",
      "a ",
      "good ",
      "day!",
      { name: "end_call", args: {} },
      { name: "press_digits", args: { digits: "1" } },
      { inputTokens: 42, outputTokens: 7 },
    ],
  );
  const { stream, temperature, messages, tools } = server.requests[0]!.body;
  assert.deepEqual([stream, temperature], [true, 0.3]);
  assert.deepEqual(messages, [{ role: "system", content: "You are Sam." }, ...request.prompt.messages]);
  assert.equal((tools as unknown[]).length, 2);
});

test("the first word is there before the second has been written", async () => {
  server.behave({ kind: "stall", afterText: "Hello " });
  const parts = converse()[Symbol.asyncIterator]();
  assert.deepEqual((await parts.next()).value, { kind: "text", text: "Hello " });
  await parts.return?.();
  await closed();
});

test("slow words are waited for as long as each comes within the limit", async () => {
  server.behave({ kind: "answer", text: "one two three four five six", everyMs: 40 });
  const parts = await all(converse());
  assert.equal(textOf(parts), "one two three four five six");
});

test("a first word that does not come, and a next one, are given up at their own limits", async () => {
  for (const behavior of [{ kind: "stall" }, { kind: "stall", afterHead: true }] as const) {
    server.behave(behavior);
    const failed = await failureOf(converse({ limits: { firstMs: 60, betweenMs: 30_000 } }));
    assert.deepEqual(failed, { text: "", code: "timeout retry" });
  }
  server.behave({ kind: "stall", afterText: "Hello. I" });
  const failed = await failureOf(converse({ limits: { firstMs: 30_000, betweenMs: 60 } }));
  assert.deepEqual(failed, { text: "Hello. I", code: "timeout retry" });
  await closed();
});

test("thinking is not speaking: it neither comes out nor counts as a first word", async () => {
  server.behave({ kind: "answer", text: "<think>The user is rude.\nHmm.</think>\n\nHi Ana!" });
  assert.equal(textOf(await all(converse())), "Hi Ana!");
  server.behave({ kind: "answer", text: "Hi Ana!", thoughts: "The user is rude." });
  assert.equal(textOf(await all(converse())), "Hi Ana!");
  for (const text of ["< 5 is fine", "<thin ice", "<"]) {
    server.behave({ kind: "answer", text });
    assert.equal(textOf(await all(converse())), text);
  }
  server.behave({ kind: "answer", text: "Hi", thoughts: "and so on ".repeat(100), everyMs: 20 });
  const failed = await failureOf(converse({ limits: { firstMs: 150, betweenMs: 30_000 } }));
  assert.deepEqual(failed, { text: "", code: "timeout retry" });
});

test("time that the reader takes to speak does not count", async (t) => {
  const limits = { firstMs: 20_000, betweenMs: 20_000 };
  const running = heldTimers(t, (ms) => ms > 10_000 && ms <= limits.betweenMs);
  let later = 0;
  const { now: real } = performance;
  t.mock.method(performance, "now", () => real.call(performance) + later);
  server.behave({ kind: "answer", text: "one two", everyMs: 5 });
  const read: string[] = [];
  for await (const part of converse({ limits })) {
    if (part.kind === "text") read.push(part.text);
    assert.equal(running(), 0);
    // What counted it would wait no longer for the next part.
    later += 2 * limits.betweenMs;
  }
  assert.deepEqual(read, ["one ", "two"]);
});

test("a stream that breaks gives what it had and fails", async () => {
  for (const cleanly of [false, true]) {
    server.behave({ kind: "close_early", text: "Your budget is", cleanly });
    const { text, code } = await failureOf(converse());
    assert.equal(text.replace("Your budget is", ""), "");
    assert.match(code, / retry$/);
  }
  server.behave({ kind: "answer", text: "Your budget", finish: "length" });
  assert.equal((await failureOf(converse())).code, "length no");
  server.behave({ kind: "status", status: 503 });
  assert.equal((await failureOf(converse())).code, "503 retry");
  server.behave({ kind: "status", status: 401 });
  assert.equal((await failureOf(converse())).code, "401 no");
  for (const events of [["not json"], ["null"], ['{"error":{"message":"overloaded"}}'], ["[DONE]"]]) {
    server.behave({ kind: "events", events });
    await failureOf(converse());
  }
});

test("a model that never ends is cut, and its connection closed", async () => {
  for (const behavior of [{ kind: "endless" }, { kind: "endless", token: "" }] as const) {
    server.behave(behavior);
    assert.equal((await failureOf(converse())).code, "too_large no");
  }
  await closed();
});

test("a tool call that lies comes back as it is, for the caller to judge", async () => {
  server.behave({
    kind: "answer",
    text: "ok",
    toolCalls: [
      { name: "wire_money", args: '{"to":"+1900"}' },
      { name: "end_call", args: "not json" },
    ],
  });
  const calls = (await all(converse())).flatMap((part) => (part.kind === "tool" ? [part.call] : []));
  assert.deepEqual(calls, [
    { name: "wire_money", args: { to: "+1900" } },
    { name: "end_call", args: "not json" },
  ]);
});

test("an abort ends it at once, before the first word and between two, and closes the connection", async () => {
  for (const behavior of [{ kind: "stall" }, { kind: "stall", afterText: "Hello " }] as const) {
    server.behave(behavior);
    server.requests.length = 0;
    const interrupted = new AbortController();
    const reading = all(converse({}, interrupted.signal));
    while (server.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    interrupted.abort(new Error("the contact speaks"));
    await assert.rejects(reading, /the contact speaks/);
  }
  const gone = AbortSignal.abort(new Error("hung up"));
  await assert.rejects(all(converse({}, gone)), /hung up/);
  await closed();
});

test("a reader that leaves closes the connection", async () => {
  server.behave({ kind: "stall", afterText: "Hello " });
  for await (const part of converse()) if (part.kind === "text") break;
  await closed();
});
