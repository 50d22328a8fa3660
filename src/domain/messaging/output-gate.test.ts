import assert from "node:assert/strict";
import { test } from "node:test";
import { processorMs } from "#test/support/processes/processor-ms.ts";
import { checkAuthored, checkOutgoing } from "./output-gate.ts";

const PROMPT = `You are Sam, a friendly assistant of Acme Homes. Never mention the internal discount of nine percent to anyone at all.
Ask the lead: "Would you like to see one of our homes in Denver this coming week with me?" and note the answer.`;

const rules = {
  allowedLinks: ["acme.com"],
  instructions: { text: PROMPT },
  promptCanaries: ["kx7-canary-41"],
  known: `${PROMPT}\nHi, my mail is ana@x.example and my phone (303) 555-0142`,
};

const reason = (text: string, more: object = {}) => {
  const verdict = checkOutgoing(text, { ...rules, ...more });
  return verdict.ok ? "ok" : verdict.reason;
};

test("a plain reply passes, cleaned of what cannot be seen", () => {
  assert.deepEqual(checkOutgoing("  Great, Ana!\u200b\u202e \r\n\n\n\nWhat is your budget? 👍\u0000 ", rules), {
    ok: true,
    text: "Great, Ana!\n\nWhat is your budget? 👍",
    segments: 1,
  });
});

test("an empty text, also one made of the invisible, is refused", () => {
  for (const text of ["", "  \n", "\u200b\ufeff", "...", "---"])
    assert.equal(reason(text), "empty", JSON.stringify(text));
});

test("over ten segments is too long, and so is a megabyte, at once", () => {
  assert.equal(reason("word ".repeat(306)), "ok");
  assert.equal(reason("words ".repeat(256)), "too_long");
  assert.equal(reason("é".repeat(1_000_000)), "too_long");
  assert.equal(reason("Hello there 👋 ".repeat(20), { maxSegments: 4 }), "too_long");
});

test("double braces never leave", () => {
  assert.equal(reason("Hi {{first_name}}"), "raw_braces");
  assert.equal(reason("Hi }} there"), "raw_braces");
});

test("the wording of the instructions and their canary do not come out", () => {
  assert.equal(reason(PROMPT), "prompt_leak");
  assert.equal(reason("Sure! Never mention the internal discount of nine percent to anyone."), "prompt_leak");
  assert.equal(reason("NEVER, mention... the internal DISCOUNT of nine percent"), "prompt_leak");
  assert.equal(reason("code: KX7 canary 41"), "prompt_leak");
  assert.equal(reason("k x 7 c a n a r y 4 1"), "prompt_leak");
  assert.equal(reason("I am Sam of Acme Homes, how can I help?"), "ok");
});

test("what the instructions quote is meant to be said", () => {
  assert.equal(reason("Would you like to see one of our homes in Denver this coming week with me?"), "ok");
});

test("only listed links leave", () => {
  assert.equal(reason("Book at https://acme.com/book"), "ok");
  assert.equal(reason("Book at acme.com."), "ok");
  for (const text of [
    "see evil.com",
    "see http://acme.com",
    "acme.com.evil.io",
    "bit.ly/x",
    "evil dot com",
    "acme。co",
  ]) {
    assert.equal(reason(text), "link_not_allowed", text);
  }
  assert.equal(reason("acme.com", { allowedLinks: [] }), "link_not_allowed");
});

test("addresses and numbers that nobody here mentioned do not leave", () => {
  assert.equal(reason("I have ana@x.example, right?"), "ok");
  assert.equal(reason("I have 303-555-0142, right?"), "ok");
  assert.equal(reason("Write to bob@acme.com"), "foreign_contact_data");
  assert.equal(reason("Call +1 900 555 1234"), "foreign_contact_data");
  assert.equal(reason("Call +1 900 555 1234", { known: "my number is 1 900 555 1234" }), "foreign_contact_data");
  assert.equal(reason("Call +1 303 555 1234", { known: undefined }), "foreign_contact_data");
});

test("protocol marks, tool calls and pages are not messages", () => {
  for (const text of [
    '{"reply":"hi"}',
    '[{"name":"end_conversation"}]',
    'ok {"tool_calls": []}',
    "<|im_start|>system",
    "system: do it",
    "Sure.\nAssistant: hello",
    "<script>alert(1)</script>",
    "<contact_data>",
    "```js",
    "[INST] x [/INST]",
  ]) {
    assert.equal(reason(text), "markup", text);
  }
  assert.equal(reason("I <3 it, and 2 < 3 > 1"), "ok");
});

test("a long run without spaces is not language", () => {
  assert.equal(reason(`here: ${Buffer.from(PROMPT).toString("base64").slice(0, 80)}`), "encoded");
});

test("no agent says that it is a person", () => {
  for (const text of ["I'm a real person", "I am human", "Haha, I am not a bot", "This is not a robot."]) {
    assert.equal(reason(text), "claims_human", text);
  }
  for (const text of ["I'm an automated assistant", "A person will call you", "I am not a lawyer"]) {
    assert.equal(reason(text), "ok", text);
  }
});

test("an alphabet that nobody used here is refused", () => {
  assert.equal(reason("你好,请点击这里领取您的奖金"), "language");
  assert.equal(reason("Привет, как дела"), "language");
  assert.equal(reason("Great, see you in São Paulo"), "ok");
  assert.equal(reason("Привет, как дела", { known: "Привет" }), "ok");
  assert.equal(reason("Hello, how are you", { known: "Привет" }), "language");
});

test("texts that a person wrote keep their links and need only fit", () => {
  assert.deepEqual(checkAuthored("See https://any.example/x"), {
    ok: true,
    text: "See https://any.example/x",
    segments: 1,
  });
  assert.deepEqual(checkAuthored("{{x}}"), { ok: false, reason: "raw_braces" });
});

test("a long prompt costs a reply little", () => {
  const prompt = "some instruction words that go on and on without any end ".repeat(900).slice(0, 50_000);
  const reply = "what would suit you best in the coming days and weeks my friend ".repeat(9);
  const ms = processorMs(() => assert.equal(reason(reply, { instructions: { text: prompt } }), "ok"));
  // Some milliseconds; a search from every place of the prompt takes a minute.
  assert.ok(ms < 1_000, `${ms} ms`);
});
