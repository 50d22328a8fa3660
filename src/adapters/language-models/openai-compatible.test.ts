import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { inspect } from "node:util";
import { normaliseExtractionFields } from "#domain/agents/extraction-field.ts";
import { type LanguageModel, ModelError, type ReplyRequest } from "#ports/language-model.ts";
import { type LanguageModelServer, startLanguageModelServer } from "#test/support/agents/language-model-server.ts";
import { openAiCompatibleModel } from "./openai-compatible.ts";

let server: LanguageModelServer;
let model: LanguageModel;

before(async () => {
  server = await startLanguageModelServer();
});
after(() => server.close());
beforeEach(() => {
  server.requests.length = 0;
  server.behave({ kind: "answer", text: "Hello!" });
  model = openAiCompatibleModel({ baseUrl: server.url, apiKey: "sk-secret", model: "small", timeoutMs: 60_000 });
});

const { signal } = new AbortController();
const now = new Date("2026-11-20T15:00:00Z");

const request: ReplyRequest = {
  agent: { name: "Sam", organization: "Acme", instructions: "Sell." },
  contact: {},
  contactZone: "America/Denver",
  now,
  history: [{ id: "1", role: "contact", text: "Hi", at: now }],
  fields: normaliseExtractionFields(["budget"]),
  known: {},
  tools: [
    {
      name: "end_conversation",
      description: "End",
      parameters: { type: "object", properties: { outcome: { type: "string" } }, required: ["outcome"] },
    },
    { name: "do_not_message", description: "Stop", parameters: { type: "object", properties: {} } },
  ],
  maxCharacters: 600,
  prompt: {
    system: "You are Sam.",
    messages: [
      { role: "user", content: "<contact_data>{}" },
      { role: "assistant", content: "Hi" },
      { role: "user", content: "Hello" },
    ],
  },
};

const reply = (more: Partial<ReplyRequest> = {}) => model.reply({ ...request, ...more }, signal);

/** The code and retryability that a call fails with. */
async function failureOf(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => assert.fail("it did not fail"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ModelError, String(error));
  return `${error.vendorCode} ${error.retryable ? "retry" : "no"}`;
}

test("an answer is streamed, with its tools and its usage", async () => {
  server.behave({
    kind: "answer",
    text: "Great, what is your budget?",
    toolCalls: [{ name: "end_conversation", args: '{"outcome":"qualified"}' }],
  });
  const result = await reply();
  assert.deepEqual(result, {
    text: "Great, what is your budget?",
    toolCalls: [{ name: "end_conversation", args: { outcome: "qualified" } }],
    usage: { inputTokens: 42, outputTokens: 7 },
  });
});

test("the request is what the protocol wants: model, messages, tools, key", async () => {
  await reply();
  const [received] = server.requests;
  assert.equal(received!.path, "/v1/chat/completions");
  assert.equal(received!.authorization, "Bearer sk-secret");
  const { model: name, stream, messages, tools, temperature, response_format } = received!.body;
  assert.deepEqual([name, stream, temperature, response_format], ["small", true, undefined, undefined]);
  assert.deepEqual(messages, [{ role: "system", content: "You are Sam." }, ...request.prompt.messages]);
  assert.deepEqual(
    (tools as { function: { name: string; parameters: unknown } }[]).map((offer) => offer.function.name),
    ["end_conversation", "do_not_message"],
  );
});

test("an agent's own model and temperature are asked for", async () => {
  await reply({ agent: { ...request.agent, model: "large", temperature: 0.3 } });
  const { model: name, temperature } = server.requests[0]!.body;
  assert.deepEqual([name, temperature], ["large", 0.3]);
});

test("a tool call that lies comes back as it is, for the caller to judge", async () => {
  server.behave({
    kind: "answer",
    text: "ok",
    toolCalls: [
      { name: "wire_money", args: '{"to":"+1900"}' },
      { name: "end_conversation", args: '{"outcome":5}' },
      { name: "do_not_message", args: "" },
      { name: "end_conversation", args: "not json" },
    ],
  });
  const { toolCalls } = await reply();
  assert.deepEqual(
    toolCalls.map((call) => call.name),
    ["wire_money", "end_conversation", "do_not_message", "end_conversation"],
  );
  assert.deepEqual(toolCalls[0]!.args, { to: "+1900" });
  assert.deepEqual(toolCalls[3]!.args, "not json");
});

test("thinking aloud is cut from the text", async () => {
  server.behave({ kind: "answer", text: "<think>The user is rude.\nHmm.</think>\n\nHi Ana!" });
  assert.equal((await reply()).text.trim(), "Hi Ana!");
});

test("every status has its code, and says whether to come back", async () => {
  for (const [status, expected] of [
    [400, "400 no"],
    [401, "401 no"],
    [404, "404 no"],
    [408, "408 retry"],
    [429, "429 retry"],
    [500, "500 retry"],
    [503, "503 retry"],
  ] as const) {
    server.requests.length = 0;
    server.behave({ kind: "status", status });
    assert.equal(await failureOf(reply()), expected);
    assert.equal(server.requests.length, 1, "retries are the job's, not the adapter's");
  }
});

test("Retry-After is passed on, in seconds or as a date by the provider's own clock, bounded", async () => {
  const after = async (value: string, date = "Tue, 01 Dec 2026 12:00:00 GMT") => {
    server.behave({ kind: "status", status: 429, headers: { "retry-after": value, date } });
    const error = (await reply().catch((reason: unknown) => reason)) as ModelError;
    return error.retryAfterMs;
  };
  assert.equal(await after("7"), 7_000);
  assert.equal(await after("3600"), 3_600_000);
  assert.equal(await after("999999"), 86_400_000);
  assert.equal(await after("Tue, 01 Dec 2026 12:01:30 GMT"), 90_000);
  assert.equal(await after("Tue, 01 Dec 2026 11:00:00 GMT"), 0);
  assert.equal(await after("soon"), undefined);
});

test("an error names the provider's code, and says nothing of the prompt or the key", async () => {
  const body = '{"error":{"message":"bad prompt: You are Sam. sk-secret","code":"model_not_found"}}';
  server.behave({ kind: "status", status: 404, body });
  const error = (await reply().catch((reason: unknown) => reason)) as ModelError;
  assert.equal(error.message, "The language model failed: 404 (model_not_found)");
  assert.doesNotMatch(inspect(error, { depth: 10 }), /Sam|sk-/);
});

test("an HTML page, an empty body and a body of a megabyte as error harm nothing", async () => {
  for (const body of ["<html>Bad gateway</html>", "", "x".repeat(1_000_000)]) {
    server.behave({ kind: "status", status: 502, body });
    assert.equal(await failureOf(reply()), "502 retry");
  }
  server.behave({ kind: "status", status: 500, body: "x".repeat(5 * 1024 * 1024) });
  assert.match(await failureOf(reply()), /^(?:500|too_large)/);
});

test("a redirect is not followed: the key goes nowhere else", async () => {
  server.behave({ kind: "status", status: 307, headers: { location: `${server.url}/elsewhere` } });
  await failureOf(reply());
  assert.equal(server.requests.length, 1);
});

test("a server that stalls, before or after its head, is left at the limit", async () => {
  model = openAiCompatibleModel({ baseUrl: server.url, model: "small", timeoutMs: 60 });
  for (const afterHead of [false, true]) {
    server.behave({ kind: "stall", afterHead });
    assert.equal(await failureOf(reply()), "timeout retry");
  }
});

test("an endless stream is cut, with or without line ends, and its connection is closed", async () => {
  for (const behavior of [
    { kind: "endless" },
    { kind: "endless", token: "x".repeat(10_000) },
    { kind: "endless", withoutLineEnd: true },
    // Nothing that counts as text, only volume.
    { kind: "endless", token: "" },
  ] as const) {
    server.behave(behavior);
    assert.equal(await failureOf(reply()), "too_large no", JSON.stringify(behavior).slice(0, 60));
  }
  while (server.openStreams() > 0) await new Promise((resolve) => setImmediate(resolve));
});

test("a stream that ends early is no answer, however it ends", async () => {
  server.behave({ kind: "close_early", text: "Your budget is" });
  assert.match(await failureOf(reply()), / retry$/);
  server.behave({ kind: "close_early", text: "Your budget is", cleanly: true });
  assert.match(await failureOf(reply()), / retry$/);
});

test("an answer that was cut off by length, or withheld, is no answer", async () => {
  server.behave({ kind: "answer", text: "Your budget", finish: "length" });
  assert.equal(await failureOf(reply()), "length no");
  server.behave({ kind: "answer", text: "No", finish: "content_filter" });
  assert.equal(await failureOf(reply()), "content_filter no");
});

test("garbage in the stream is a failure, not a crash", async () => {
  for (const events of [
    [],
    ["[DONE]"],
    ["not json"],
    ["{}"],
    ["null"],
    ["[]"],
    ['{"choices":"x"}'],
    ['{"choices":[{"delta":{"content":5},"finish_reason":"stop"}]}'],
    ['{"error":{"message":"overloaded"}}'],
    ['{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]},"finish_reason":"stop"}]}'],
    ['{"__proto__":{"x":1},"choices":[]}'],
  ]) {
    server.behave({ kind: "events", events });
    await failureOf(reply());
  }
});

test("a server that is not there is a network failure that may pass", async () => {
  const gone = await startLanguageModelServer();
  await gone.close();
  model = openAiCompatibleModel({ baseUrl: gone.url, model: "small", timeoutMs: 5_000 });
  assert.equal(await failureOf(reply()), "ECONNREFUSED retry");
});

test("the caller's abort is thrown as it is, before and during the answer", async () => {
  server.behave({ kind: "stall", afterHead: true });
  const overtaken = new AbortController();
  const waiting = model.reply(request, overtaken.signal);
  while (server.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
  overtaken.abort(new Error("a newer text came"));
  await assert.rejects(waiting, /a newer text came/);
  await assert.rejects(model.reply(request, overtaken.signal), /a newer text came/);
  assert.equal(server.requests.length, 1);
});

test("an extraction asks for JSON and reads the object, with or without a fence around it", async () => {
  for (const text of [
    '{"lead_outcome":"qualified"}',
    '```json\n{"lead_outcome":"qualified"}\n```',
    'Here you are: {"lead_outcome":"qualified"}.',
  ]) {
    server.behave({ kind: "answer", text });
    const { value, usage } = await model.extract(request, signal);
    assert.deepEqual(value, { lead_outcome: "qualified" });
    assert.deepEqual(usage, { inputTokens: 42, outputTokens: 7 });
  }
  assert.deepEqual(server.requests[0]!.body.response_format, { type: "json_object" });
  assert.equal(server.requests[0]!.body.tools, undefined);
});

test("a server without JSON mode is asked without it, and remembered", async () => {
  server.behave({ kind: "status", status: 400 }, { kind: "answer", text: '{"a":1}' });
  assert.deepEqual((await model.extract(request, signal)).value, { a: 1 });
  await model.extract(request, signal);
  assert.deepEqual(
    server.requests.map(({ body }) => body.response_format !== undefined),
    [true, false, false],
  );
});

test("an extraction that is no JSON fails, and a prototype does not come through", async () => {
  for (const text of ["I cannot do that", "{", "}{", '{"a":']) {
    server.behave({ kind: "answer", text });
    assert.equal(await failureOf(model.extract(request, signal)), "invalid_json retry", text);
  }
  server.behave({ kind: "answer", text: '{"__proto__":{"admin":true},"a":1}' });
  const { value } = await model.extract(request, signal);
  assert.deepEqual(Object.keys(value as object), ["a"]);
  assert.equal((value as { admin?: boolean }).admin, undefined);
});
