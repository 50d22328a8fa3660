import assert from "node:assert/strict";
import { test } from "node:test";
import { smsAgent } from "#domain/agents/agent.ts";
import type { ExtractRequest, LanguageModel } from "#ports/language-model.ts";
import { ModelError } from "#ports/language-model.ts";
import { type ExtractInput, extractFields } from "./extract.ts";

const now = new Date("2026-11-20T15:00:00Z");
const { signal } = new AbortController();

function input(more: Partial<ExtractInput> = {}): ExtractInput {
  return {
    agent: smsAgent({
      agent_name: "Sam",
      prompt: "Sell homes.",
      extraction_fields: ["budget", { name: "rooms", type: "number" }],
    }),
    organization: "Acme",
    contact: { first_name: "Ana" },
    contactZone: "America/Denver",
    now,
    history: [
      { id: "uuid-1", role: "agent", text: "What is your budget?", at: now },
      { id: "uuid-2", role: "contact", text: "About 300k for 3 rooms", at: now },
    ],
    facts: { doNotMessage: false, callTransferred: false },
    ...more,
  };
}

function answering(value: unknown): LanguageModel & { asked: ExtractRequest[] } {
  const asked: ExtractRequest[] = [];
  return {
    name: "stub",
    capabilities: { local: false, choosable: true },
    asked,
    reply: () => Promise.reject(new Error("not asked for")),
    converse: () => assert.fail("no call is held"),
    extract: async (request) => {
      asked.push(request);
      return { value: typeof value === "function" ? value() : value, usage: { inputTokens: 7, outputTokens: 3 } };
    },
  };
}

test("an extraction names our own messages, under the short names of the prompt or their ids", async () => {
  for (const id of ["m2", "uuid-2"]) {
    const model = answering({
      extracted_fields: { budget: "300k", rooms: 3 },
      evidence: { budget: { message_id: id, quote: "About 300k" } },
      lead_outcome: "qualified",
      objective_met: true,
    });
    const { extraction, usage } = await extractFields(model, input(), { signal });
    assert.deepEqual(extraction?.extracted_fields, { budget: "300k", rooms: "3" });
    assert.deepEqual(extraction?.evidence, { budget: { message_id: "uuid-2", quote: "About 300k" } });
    assert.equal(extraction?.objective_met, true);
    assert.deepEqual(usage, { inputTokens: 7, outputTokens: 3 });
  }
});

test("the prompt holds the conversation as data with short names", async () => {
  const model = answering({});
  await extractFields(model, input(), { signal });
  const [message] = model.asked[0]!.prompt.messages;
  assert.match(message!.content, /"id":"m2","from":"contact"/);
  assert.doesNotMatch(message!.content, /uuid-/);
});

test("an agent's temperature is for talking: an extraction is asked for at 0", async () => {
  const model = answering({});
  await extractFields(model, input(), { signal });
  await extractFields(model, input({ agent: { ...input().agent, temperature: 1.5 } }), { signal });
  assert.deepEqual(
    model.asked.map(({ agent }) => agent.temperature),
    [undefined, 0],
  );
});

test("a conversation without a word of the contact costs no model", async () => {
  const model = answering({});
  const history = input().history.slice(0, 1);
  const { extraction } = await extractFields(model, input({ history }), { signal });
  assert.equal(model.asked.length, 0);
  assert.equal(extraction?.lead_outcome, "no_reply");
  assert.deepEqual(extraction?.extracted_fields, {});
});

test("a model that fails leaves no extraction, and its code", async () => {
  const failing = answering(() => {
    throw new ModelError("no", { retryable: true, vendorCode: "500" });
  });
  const outcome = await extractFields(failing, input(), { signal });
  assert.equal(outcome.extraction, null);
  assert.deepEqual(outcome.failure, { vendorCode: "500", retryable: true });
});

test("garbage gives an empty extraction with what we know", async () => {
  for (const value of [
    null,
    "text",
    5,
    [],
    { evidence: 5 },
    { evidence: { budget: { message_id: {} } } },
    { extracted_fields: [] },
  ]) {
    const facts = { doNotMessage: true, callTransferred: true, callScheduledAt: new Date("2026-11-24T22:00:00Z") };
    const { extraction } = await extractFields(answering(value), input({ facts }), { signal });
    assert.deepEqual(extraction, {
      extracted_fields: {},
      lead_outcome: "unknown",
      objective_met: false,
      do_not_message: true,
      call_transferred: true,
      call_scheduled: true,
      call_scheduled_time: "2026-11-24T22:00:00.000Z",
      evidence: {},
    });
  }
});
