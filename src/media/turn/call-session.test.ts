import assert from "node:assert/strict";
import { test } from "node:test";
import { aCall, aDialog } from "#test/support/calls/session.ts";

const answering = (text: string) => aDialog(() => [{ kind: "sentence", text }]);

test("the greeting is spoken, an answer is given, and the report has both sides and how long it took", async () => {
  const dialog = answering("Great, what is your budget?");
  const call = aCall(dialog);
  call.session.greet();
  await call.pass(1_500);
  await call.say("yes I am interested");
  await call.pass(2_000);
  call.session.end("user_hangup");
  const { utterances, latencies, reason } = call.result()!;
  assert.deepEqual(
    utterances.map((utterance) => `${utterance.role}: ${utterance.text}`),
    [
      "agent: Hi, this is Ann from Acme calling about your loan.",
      "contact: yes I am interested",
      "agent: Great, what is your budget?",
    ],
  );
  assert.equal(reason, "user_hangup");
  assert.deepEqual(dialog.received.said, ["yes I am interested"]);
  assert.equal(dialog.received.played.at(-1), "Great, what is your budget?");
  assert.equal(latencies.length, 1);
  const [latency] = latencies;
  assert.ok(
    latency!.totalMs - latency!.endpointingMs! <= 100,
    `${latency!.totalMs} ms, of them endpointing ${latency!.endpointingMs}`,
  );
});

test("who speaks into the agent's words takes the turn, and the agent has said only what was heard", async () => {
  const dialog = answering("Fine.");
  const call = aCall(dialog);
  call.session.greet();
  await call.pass(500);
  await call.say("wait who is this", 800);
  await call.pass(1_000);
  call.session.end("user_hangup");
  const [greeting, said] = call.result()!.utterances;
  assert.equal(greeting!.interrupted, true);
  assert.match(greeting!.text, /^Hi, this is Ann/);
  assert.ok(!greeting!.text.endsWith("loan."), greeting!.text);
  assert.equal(dialog.received.played[0], greeting!.text);
  assert.equal(said!.text, "wait who is this");
  assert.deepEqual(dialog.received.said, ["wait who is this"]);
});

test("a hello into the greeting neither stops it nor is answered", async () => {
  const dialog = answering("Fine.");
  const call = aCall(dialog);
  call.session.greet();
  await call.pass(200);
  await call.say("hello", 400);
  await call.pass(4_000);
  call.session.end("user_hangup");
  const greeting = call.result()!.utterances.find((utterance) => utterance.role === "agent")!;
  assert.equal(greeting.text, "Hi, this is Ann from Acme calling about your loan.");
  assert.equal(greeting.interrupted, undefined);
  assert.deepEqual(dialog.received.said, []);
});

test("an uh-huh does not take the turn, and is not answered", async () => {
  const dialog = answering("Fine.");
  const call = aCall(dialog, { agent: { interruption_sensitivity: 0.6 } });
  call.session.greet();
  await call.pass(300);
  await call.say("uh-huh", 200);
  await call.pass(3_000);
  call.session.end("user_hangup");
  const greeting = call.result()!.utterances.find((utterance) => utterance.role === "agent")!;
  assert.equal(greeting.interrupted, undefined);
  assert.deepEqual(dialog.received.said, []);
});

test("an agent that never yields answers afterwards what was said into its words", async () => {
  const dialog = answering("Fine.");
  const call = aCall(dialog, { agent: { interruption_sensitivity: 0 } });
  call.session.greet();
  await call.pass(100);
  await call.say("hold on please", 200);
  await call.pass(3_000);
  assert.deepEqual(dialog.received.said, ["hold on please"]);
  call.session.end("user_hangup");
  assert.equal(call.result()!.utterances.filter((utterance) => utterance.interrupted).length, 0);
});

test("what the contact goes on to say before they are answered is answered with it", async () => {
  let turns = 0;
  const dialog = aDialog(() => [], {
    async *turn(said, signal) {
      dialog.received.said.push(said);
      if (turns++ === 0) await new Promise((resolve) => signal.addEventListener("abort", resolve));
      if (!signal.aborted) yield { kind: "sentence", text: "Noted." };
    },
  });
  const call = aCall(dialog);
  call.session.greet();
  await call.pass(1_500);
  await call.say("my budget is");
  await call.pass(100);
  await call.say("about three hundred thousand");
  await call.pass(1_000);
  call.session.end("user_hangup");
  assert.deepEqual(dialog.received.said, ["my budget is", "about three hundred thousand"]);
  assert.equal(
    call
      .result()!
      .utterances.filter((utterance) => utterance.role === "agent")
      .at(-1)!.text,
    "Noted.",
  );
});

test("a goodbye is spoken whole before the agent hangs up, and a wish is in the report", async () => {
  const dialog = aDialog(() => [
    { kind: "callback", at: "2026-06-02T18:00:00.000Z", quote: "tomorrow after lunch" },
    { kind: "sentence", text: "Talk to you tomorrow then." },
    { kind: "goodbye" },
  ]);
  const call = aCall(dialog);
  call.session.greet();
  await call.pass(1_500);
  await call.say("call me tomorrow after lunch");
  await call.pass(3_000);
  const result = call.result()!;
  assert.equal(result.reason, "agent_hangup");
  assert.equal(result.utterances.at(-1)!.text, "Talk to you tomorrow then.");
  assert.equal(result.utterances.at(-1)!.interrupted, undefined);
  assert.deepEqual(result.requests.callback, { at: "2026-06-02T18:00:00.000Z", quote: "tomorrow after lunch" });
});

for (const [what, waitMs, isPlaced] of [
  ["before it was heard is not in the report", 0, false],
  ["after it was heard is", 3_000, true],
] as const) {
  test(`a callback that nobody asked for, promised to a contact who hangs up ${what}`, async () => {
    const promised = { at: "2026-06-01T17:30:00.000Z", quote: "We'll call you back. Goodbye." };
    const dialog = aDialog(() => [
      { kind: "callback", ...promised, isPromise: true },
      { kind: "sentence", text: promised.quote },
      { kind: "goodbye" },
    ]);
    const call = aCall(dialog);
    call.session.greet();
    await call.pass(1_500);
    await call.say("are you there");
    await call.pass(waitMs);
    call.session.end("user_hangup");
    assert.deepEqual(call.result()!.requests, isPlaced ? { callback: promised } : {});
  });
}

test("who speaks into the goodbye hears it to its end, and the agent hangs up", async () => {
  const dialog = aDialog(() => [
    { kind: "sentence", text: "Someone from our team will be in touch. Goodbye." },
    { kind: "goodbye" },
  ]);
  const call = aCall(dialog);
  call.session.greet();
  await call.pass(1_500);
  await call.say("I want to sell it");
  await call.pass(300);
  await call.say("great thank you bye", 400);
  await call.pass(5_000);
  const result = call.result();
  assert.equal(result?.reason, "agent_hangup");
  assert.deepEqual(
    result.utterances
      .slice(-2)
      .map((utterance) => [utterance.text, utterance.interrupted])
      .sort(),
    [
      ["Someone from our team will be in touch. Goodbye.", undefined],
      ["great thank you bye", undefined],
    ],
  );
});

test("an opt-out is committed before it is confirmed", async () => {
  let commit = () => {};
  const committed = new Promise<void>((resolve) => {
    commit = resolve;
  });
  const dialog = aDialog(() => [
    { kind: "opt_out", quote: "take me off your list" },
    { kind: "sentence", text: "You won't hear from us again." },
    { kind: "goodbye" },
  ]);
  const call = aCall(dialog, { report: (event) => (event.kind === "opt_out" ? committed : Promise.resolve()) });
  call.session.greet();
  await call.pass(1_500);
  await call.say("take me off your list");
  assert.equal(await call.pass(1_000), 0, "nothing is said before the commit");
  commit();
  assert.ok((await call.pass(3_000)) > 0);
  assert.deepEqual(call.result()!.requests.optOut, { quote: "take me off your list" });
});

for (const [what, text, optOut] of [
  ["a wish to be left alone", "no take me off your list", { quote: "no take me off your list" }],
  ["anything else", "okay bye", undefined],
] as const) {
  test(`${what} whose words come once the contact has hung up is in the report, and what was said before stays`, async () => {
    const call = aCall(answering("Great, what is your budget?"));
    call.session.greet();
    await call.pass(1_500);
    call.session.end("user_hangup");
    assert.deepEqual(call.result()!.requests, {});
    const at = { startMs: 900, endMs: 1_400, overMs: 1_500, wordsMs: 9_000 };
    const late = call.session.late({ text, words: [], ...at });
    assert.deepEqual(late.requests.optOut, optOut);
    assert.deepEqual(
      late.utterances.map(({ role }) => role),
      ["agent", "contact"],
    );
    assert.deepEqual(call.events.at(-1), { kind: "utterance", utterance: late.utterances.at(-1) });
  });
}

test("a mailbox gets its message after the greeting was begun, and the call is a voicemail", async () => {
  const dialog = answering("Fine.");
  const call = aCall(dialog);
  call.session.greet();
  await call.pass(400);
  call.session.answeredBy("voicemail");
  assert.equal(await call.pass(2_000), 0, "silent until the beep");
  call.session.leaveMessage();
  await call.pass(200);
  call.session.leaveMessage();
  await call.pass(2_000);
  const result = call.result()!;
  assert.deepEqual([result.reason, result.inVoicemail, result.voicemailLeft], ["voicemail_reached", true, true]);
  assert.equal(result.utterances.at(-1)!.text, "Please call us back.");
});

test("what a mailbox says after it was known for one is in the report, and is not answered", async () => {
  const dialog = answering("Fine.");
  const call = aCall(dialog);
  call.session.answeredBy("voicemail");
  await call.say("leave a message after the tone", 2_000);
  call.session.leaveMessage();
  await call.pass(2_000);
  assert.deepEqual(
    call.result()!.utterances.map((utterance) => `${utterance.role}: ${utterance.text}`),
    ["contact: leave a message after the tone", "agent: Please call us back."],
  );
  assert.deepEqual(dialog.received.said, []);
});

test("without a message a mailbox is hung up on, and an agent that does not look for mailboxes talks on", async () => {
  const silent = aCall(aDialog(() => [], { voicemailMessage: () => undefined }));
  silent.session.answeredBy("voicemail");
  assert.deepEqual([silent.result()!.reason, silent.result()!.voicemailLeft], ["voicemail_reached", false]);

  const other = aCall(answering("Fine."), { agent: { detect_voicemail: false } });
  other.session.greet();
  other.session.answeredBy("voicemail");
  await other.pass(500);
  assert.equal(other.result(), undefined);
});

test("a silence is asked about twice, and in the end the call", async () => {
  const dialog = answering("Fine.");
  const call = aCall(dialog, { agent: { end_call_after_silence_ms: 40_000 } });
  call.session.greet();
  await call.pass(90_000);
  assert.deepEqual(dialog.received.prompted, ['{"kind":"silence","reminder":1}', '{"kind":"silence","reminder":2}']);
  assert.equal(call.result()!.reason, "inactivity");
});

test("keys pressed within the pause are passed on together as one number", async () => {
  const dialog = answering("Fine.");
  const call = aCall(dialog);
  call.session.greet();
  await call.pass(1_500);
  for (const digit of "123") {
    call.session.digit(digit);
    await call.pass(300);
  }
  await call.pass(2_000);
  assert.deepEqual(dialog.received.prompted, ['{"kind":"dtmf","digits":"123"}']);
});

test("an operator's words from before the first ones are taken up after them", async () => {
  const dialog = answering("Fine.");
  const call = aCall(dialog);
  assert.ok(call.session.inject("Offer a discount") && call.session.inject("of 10 %"));
  await call.pass(500);
  assert.deepEqual(dialog.received.prompted, []);
  call.session.greet();
  await call.pass(3_000);
  assert.deepEqual(dialog.received.played.slice(0, 1), ["Hi, this is Ann from Acme calling about your loan."]);
  assert.deepEqual(dialog.received.prompted, ['{"kind":"injected","text":"Offer a discount\\nof 10 %"}']);
});

test("an operator's text that is interrupted before it was played is taken up afterwards", async () => {
  const dialog = answering("Fine.");
  const call = aCall(dialog);
  call.session.greet();
  await call.pass(4_000);
  call.session.speech("onset", call.now());
  await call.pass(400);
  call.session.inject("Offer a discount");
  await call.say("wait a moment please", 1_200);
  await call.pass(4_000);
  const prompted = '{"kind":"injected","text":"Offer a discount"}';
  assert.deepEqual([dialog.received.said, dialog.received.prompted], [["wait a moment please"], [prompted, prompted]]);
  const said = call.events.flatMap((event) => (event.kind === "utterance" ? [event.utterance.text] : []));
  assert.equal(said.at(-1), "Are you there?");
});

test("an operator's word reaches the agent at once, and not a call that is over", async () => {
  const dialog = answering("Fine.");
  const call = aCall(dialog);
  call.session.greet();
  await call.pass(200);
  assert.equal(call.session.inject("Offer a discount"), true);
  await call.pass(1_000);
  assert.deepEqual(dialog.received.prompted, ['{"kind":"injected","text":"Offer a discount"}']);
  call.session.end("manual_stopped");
  assert.equal(call.session.inject("More"), false);
  assert.equal(call.result()!.reason, "manual_stopped");
});
