import assert from "node:assert/strict";
import { test } from "node:test";
import { anOwner, wrongFields } from "#test/support/accounts/owner.ts";
import { type Behavior, startLanguageModelServer } from "#test/support/agents/language-model-server.ts";
import { startParley } from "#test/support/api/parley.ts";

type Turn = Record<string, unknown> & { actions: { type: string }[]; notes: string[] };

const ANA = { first_name: "Ana", phone_number: "+13035550123" };

const text = (kind: string, day: number | null, said: string, encoding: string) => ({
  kind,
  day,
  text: said,
  missing_variable: null,
  segments: 1,
  encoding,
});

test("the playground", async (t) => {
  const model = await startLanguageModelServer();
  t.after(() => model.close());
  const api = await startParley(
    t,
    {
      PARLEY_LLM_BASE_URL: model.url,
      PARLEY_LLM_MODEL: "stand-in",
      PARLEY_PRICE_MODEL_MILLION_INPUT: "1000",
      PARLEY_PRICE_MODEL_MILLION_OUTPUT: "2000",
      PARLEY_PRICE_PER_SEGMENT: "0.01",
    },
    ["api"],
  );
  const owner = await anOwner(api);
  const sms = {
    ...owner,
    agent_type: "sms",
    agent_name: "Sam",
    prompt: "Find out the budget.",
    starting_message: "Hi {{first_name}}, it is Sam.",
    extraction_fields: ["budget"],
  };
  const { agent_id } = (await api.post("/v1/agents", sms)).body;
  const voice = (
    await api.post("/v1/agents", {
      ...sms,
      agent_type: "voice",
      agent_name: "Vera",
      voice_id: "slt",
      transfer_to: "+12125550199",
    })
  ).body;
  const play = async (body: Record<string, unknown>): Promise<Turn> => {
    const { status, body: answer } = await api.post("/v1/playground/turns", { contact: ANA, ...body });
    assert.equal(status, 200, JSON.stringify(answer));
    return answer.turn;
  };
  const first = { role: "agent", text: "Hi Ana, it is Sam." };

  await t.test("the agent has the first word, with the contact's fields, and no model is asked for it", async () => {
    const turn = await play({ agent_id });
    assert.equal(turn.reply, "Hi Ana, it is Sam.");
    assert.deepEqual([turn.prompt, turn.extraction, turn.segments], [null, null, 1]);
    const nameless = await play({ agent_id, contact: { phone_number: ANA.phone_number } });
    assert.equal(nameless.reply, null);
    assert.deepEqual(nameless.notes, ["first text not sent: the contact has no first_name"]);
    assert.match(String((await play({ agent_id: voice.agent_id })).reply), /Hi Ana, it is Sam/);
    assert.equal(model.requests.length, 0);
  });

  await t.test("a turn returns its reply, prompt, tokens, time, cost and what it has extracted", async () => {
    const found = {
      extracted_fields: { budget: "500k" },
      evidence: { budget: { message_id: "m2", quote: "around 500k" } },
      lead_outcome: "qualified",
      objective_met: true,
    };
    model.behave(
      { kind: "answer", text: "Thanks! When would you like to move?" },
      { kind: "answer", text: JSON.stringify(found) },
    );
    const turn = await play({ agent_id, history: [first], text: "We have around 500k" });
    assert.equal(turn.reply, "Thanks! When would you like to move?");
    assert.equal(turn.model, "openai-compatible:stand-in");
    assert.deepEqual(turn.actions, []);
    const { system, messages } = turn.prompt as { system: string; messages: { content: string }[] };
    assert.match(system, /Find out the budget/);
    assert.deepEqual(messages.at(-1), { role: "user", content: "We have around 500k" });
    // As it was sent, to the word.
    assert.deepEqual(model.requests[0]!.body.messages, [{ role: "system", content: system }, ...messages]);
    const { input_tokens, output_tokens } = turn.usage as Record<string, number>;
    assert.ok(input_tokens! > 0 && output_tokens! > 0);
    const millionths = input_tokens! * 1_000 + output_tokens! * 2_000;
    const { total, model: paid, texts } = turn.cost as Record<string, string>;
    assert.equal(Math.round(Number(paid) * 1_000_000), millionths);
    assert.equal(texts, "0.01");
    assert.equal(Math.round(Number(total) * 1_000_000), millionths + 10_000);
    assert.ok(Number.isInteger(turn.latency_ms));
    const extraction = turn.extraction as Record<string, unknown>;
    assert.deepEqual(extraction.extracted_fields, { budget: "500k" });
    assert.deepEqual(extraction.evidence, { budget: { line: 1, quote: "around 500k" } });
    assert.deepEqual([extraction.lead_outcome, extraction.objective_met], ["qualified", true]);
  });

  await t.test("actions are reported and not carried out: an opt-out, a call", async () => {
    const stop = await play({ agent_id, history: [first], text: "STOP", extract: false });
    assert.deepEqual([stop.reply, stop.actions], [null, [{ type: "do_not_message" }]]);
    const may = await api.get(`/v1/contactability?channel=sms&phone_number=${encodeURIComponent(ANA.phone_number)}`);
    assert.equal(may.status, 200);
    assert.doesNotMatch(JSON.stringify(may.body), /opted_out/);
    const wish: Behavior = { kind: "answer", toolCalls: [{ name: "transfer_to_voice", args: "{}" }] };
    model.behave(wish);
    const called = await play({ agent_id, history: [first], text: "Call me now", extract: false, can_call: true });
    assert.deepEqual(called.actions, [{ type: "transfer_to_voice" }]);
    model.behave(wish);
    const uncalled = await play({ agent_id, history: [first], text: "Call me now", extract: false });
    assert.deepEqual(uncalled.actions, []);
  });

  await t.test("a call is played in words, with what was said in it before", async () => {
    model.behave({ kind: "answer", text: "Lovely. What is your budget?" });
    const history = [first, { role: "contact", text: "Yes I am" }, { role: "agent", text: "Shall I go on?" }];
    const turn = await play({ agent_id: voice.agent_id, history, text: "Sure", extract: false });
    assert.equal(turn.reply, "Lovely. What is your budget?");
    assert.deepEqual([turn.agent_type, turn.segments], ["voice", null]);
    const { messages } = turn.prompt as { messages: { content: string }[] };
    assert.deepEqual(
      messages.slice(-4).map(({ content }) => content),
      ["Hi Ana, it is Sam.", "Yes I am", "Shall I go on?", "Sure"],
    );
    const stop = await play({ agent_id: voice.agent_id, history, text: "Take me off your list", extract: false });
    assert.deepEqual(
      stop.actions.map(({ type }) => type),
      ["do_not_call", "end_call"],
    );
  });

  await t.test("a draft is tried before it is saved: changes of an agent, or one that is not there yet", async () => {
    const changed = await play({ agent_id, draft: { starting_message: "Hello {{first_name}}!" } });
    assert.equal(changed.reply, "Hello Ana!");
    assert.equal((await api.get(`/v1/agents/${agent_id}`)).body.agent.version, 1);
    const draft = { agent_type: "sms", agent_name: "Nia", prompt: "Ask.", starting_message: "Nia here." };
    assert.equal((await play({ organization_id: owner.organization_id, draft })).reply, "Nia here.");
  });

  await t.test("an agent's own texts are shown as a contact would get them", async () => {
    const drips = [
      { day: 7, message: "Last try, {{first_name}}: {{offer}}" },
      { day: 2, message: "Any news? \u2014 Sam" },
    ];
    const { status, body } = await api.post("/v1/playground/preview", {
      agent_id,
      contact: ANA,
      draft: { drip_schedule: drips },
    });
    assert.equal(status, 200);
    assert.deepEqual(body.preview, {
      agent_type: "sms",
      texts: [
        text("starting_message", null, "Hi Ana, it is Sam.", "GSM-7"),
        text("drip", 2, "Any news? \u2014 Sam", "UCS-2"),
        { kind: "drip", day: 7, text: null, missing_variable: "offer", segments: null, encoding: null },
      ],
      variables: ["first_name", "offer"],
    });
    const spoken = (await api.post("/v1/playground/preview", { agent_id: voice.agent_id, contact: ANA })).body.preview;
    assert.deepEqual(
      spoken.texts.map((text: { kind: string; segments: number | null }) => [text.kind, text.segments]),
      [["starting_message", null]],
    );
    assert.deepEqual(wrongFields(await api.post("/v1/playground/preview", {})), ["agent_id"]);
  });

  await t.test("wrong fields are named, and what is not there is not found", async () => {
    const wrong = async (body: object) => wrongFields(await api.post("/v1/playground/turns", body));
    assert.deepEqual(await wrong({ text: "Hi" }), ["agent_id"]);
    assert.deepEqual(await wrong({ draft: {} }), ["organization_id"]);
    assert.deepEqual(await wrong({ ...owner, user_id: undefined, draft: { agent_type: "voice", agent_name: "A" } }), [
      "draft.prompt",
    ]);
    assert.deepEqual(await wrong({ agent_id, draft: { agent_type: "voice" } }), ["draft.agent_type"]);
    assert.deepEqual(await wrong({ agent_id, draft: { starting_message: "Hi {{" } }), ["draft.starting_message"]);
    assert.deepEqual(await wrong({ agent_id, history: [first] }), ["text"]);
    assert.deepEqual(await wrong({ agent_id, text: "x".repeat(1_601) }), ["text"]);
    assert.deepEqual(await wrong({ agent_id, history: Array(61).fill(first), text: "Hi" }), ["history"]);
    assert.deepEqual(await wrong({ agent_id, contact: { phone_number: "12" } }), ["contact.phone_number"]);
    const unknown = await api.post("/v1/playground/turns", { agent_id: "agt_00000000000000000000000001" });
    assert.deepEqual([unknown.status, unknown.body.error], [404, "Agent not found"]);
  });

  await t.test("the failure of a model is reported as it is", async () => {
    model.behave({ kind: "status", status: 500 });
    const turn = await play({ agent_id, history: [first], text: "Hello?", extract: false });
    assert.equal(turn.reply, null);
    assert.deepEqual(turn.failure, { code: "500", retryable: true });
  });

  await t.test("nothing is sent or stored", async () => {
    assert.equal((await api.get("/v1/simulator/traffic")).body.messages?.length ?? 0, 0);
    const { body } = await api.get(`/v1/contacts/leads?organization_id=${owner.organization_id}`);
    assert.deepEqual(body.leads, []);
  });
});
