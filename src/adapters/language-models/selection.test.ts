import assert from "node:assert/strict";
import { test } from "node:test";
import { circuitBreaker } from "#domain/system/circuit-breaker.ts";
import {
  type ConversePart,
  type ConverseRequest,
  type LanguageModel,
  ModelError,
  type ReplyRequest,
} from "#ports/language-model.ts";
import { modelWithBreaker } from "./breaker-model.ts";
import { modelWithFallback } from "./fallback-model.ts";

const { signal } = new AbortController();
const NO_USAGE = { inputTokens: 0, outputTokens: 0 };
const failed = (vendorCode: string, retryable = true, retryAfterMs?: number) =>
  new ModelError(vendorCode, { retryable, vendorCode, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });

/** A model that answers with its name, or fails as `state.error` says; and what models its agents named. */
function aModel(name: string) {
  const state = { error: undefined as Error | undefined, asked: [] as (string | undefined)[] };
  const answer = (agentModel: string | undefined) => {
    state.asked.push(agentModel);
    if (state.error) throw state.error;
    return name;
  };
  const model: LanguageModel = {
    name,
    capabilities: { local: false, choosable: true },
    reply: async ({ agent }) => ({ text: answer(agent.model), toolCalls: [], usage: NO_USAGE }),
    extract: async ({ agent }) => ({ value: answer(agent.model), usage: NO_USAGE }),
    async *converse({ agent }): AsyncGenerator<ConversePart> {
      yield { kind: "text", text: answer(agent.model) };
      yield { kind: "usage", usage: NO_USAGE };
    },
  };
  return { model, state };
}

const request = (more: object = {}) => ({ agent: { name: "A", model: "large" }, ...more }) as unknown as ReplyRequest;
const say = async (model: LanguageModel) => (await model.reply(request(), signal)).text;
async function speak(model: LanguageModel, more: object = {}): Promise<string> {
  let text = "";
  for await (const part of model.converse(request(more) as unknown as ConverseRequest, signal))
    if (part.kind === "text") text += part.text;
  return text;
}

test("the second model answers where the first fails, by its own configured model", async () => {
  const [first, second] = [aModel("first"), aModel("second")];
  const both = modelWithFallback(first.model, second.model);
  assert.equal(await say(both), "first");
  for (const code of ["503", "401"]) {
    first.state.error = failed(code, code === "503");
    assert.equal(await say(both), "second");
    assert.equal((await both.extract(request(), signal)).value, "second");
  }
  assert.deepEqual(first.state.asked[0], "large");
  assert.deepEqual(new Set(second.state.asked), new Set([undefined]));
});

test("what the first refuses for its content, and a caller that left, reach no second", async () => {
  const [first, second] = [aModel("first"), aModel("second")];
  const both = modelWithFallback(first.model, second.model);
  first.state.error = failed("content_filter", false);
  await assert.rejects(say(both), { vendorCode: "content_filter" });
  first.state.error = new TypeError("bug");
  await assert.rejects(say(both), TypeError);
  first.state.error = failed("503");
  await assert.rejects(both.reply(request(), AbortSignal.abort()), { vendorCode: "503" });
  assert.deepEqual(second.state.asked, []);
});

test("when both fail it may be asked again where either may, after the shorter wait", async () => {
  const [first, second] = [aModel("first"), aModel("second")];
  const both = modelWithFallback(first.model, second.model);
  first.state.error = failed("429", true, 60_000);
  second.state.error = failed("429", true, 5_000);
  await assert.rejects(say(both), { vendorCode: "429", retryable: true, retryAfterMs: 5_000 });
  second.state.error = failed("400", false);
  await assert.rejects(say(both), { vendorCode: "429", retryable: true, retryAfterMs: undefined });
});

test("in a call the second is asked when the turn comes again, or the first is left alone", async () => {
  const [first, second] = [aModel("first"), aModel("second")];
  const breaker = circuitBreaker({ failures: 2, now: () => performance.now() });
  const both = modelWithFallback(modelWithBreaker(first.model, breaker), second.model);
  assert.equal(await speak(both), "first");
  assert.equal(await speak(both, { again: true }), "second");
  first.state.error = failed("500");
  await assert.rejects(speak(both), { vendorCode: "500" });
  await assert.rejects(speak(both), { vendorCode: "500" });
  assert.equal(await speak(both), "second", "at once");
  assert.equal(first.state.asked.length, 3);
});

test("a model that fails again and again is left alone for a while, then tried by one", async () => {
  let now = 0;
  const { model, state } = aModel("only");
  const guarded = modelWithBreaker(model, circuitBreaker({ failures: 3, restMs: 1_000, now: () => now }));
  state.error = failed("503");
  for (let n = 0; n < 3; n++) await assert.rejects(say(guarded), { vendorCode: "503" });
  now = 400;
  await assert.rejects(say(guarded), { vendorCode: "left_alone", retryable: true, retryAfterMs: 600 });
  await assert.rejects(speak(guarded), { vendorCode: "left_alone" });
  assert.equal(state.asked.length, 3);
  now = 1_000;
  await assert.rejects(say(guarded), { vendorCode: "503" });
  await assert.rejects(say(guarded), { vendorCode: "left_alone" });
  now = 2_000;
  state.error = undefined;
  assert.deepEqual([await say(guarded), await say(guarded)], ["only", "only"]);
});

test("a refusal of the content is an answer of a provider that is well, and an abort says nothing", async () => {
  const { model, state } = aModel("only");
  const guarded = modelWithBreaker(model, circuitBreaker({ failures: 2, now: () => performance.now() }));
  const answered = [failed("400", false), failed("invalid_json")];
  for (const error of [failed("503"), ...answered, failed("503"), new Error("aborted")]) {
    state.error = error;
    await assert.rejects(say(guarded), error);
  }
  state.error = undefined;
  assert.equal(await say(guarded), "only");
});
