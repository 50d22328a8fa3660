import assert from "node:assert/strict";
import { test } from "node:test";
import { type OpeningParts, opening } from "./opening.ts";

function anOpening(more: Partial<OpeningParts> = {}) {
  const calls: string[] = [];
  const subject = opening({
    direction: "outbound",
    detectVoicemail: true,
    session: {
      greet: () => void calls.push("greet"),
      answeredBy: (answerer) => void calls.push(answerer),
      leaveMessage: () => void calls.push("message"),
      stopMessage: () => void calls.push("stop"),
    },
    turnTranscript: { isWaiting: () => false },
    ...more,
  });
  let nowMs = 0;
  return {
    subject,
    calls,
    now: () => nowMs,
    pass(ms: number) {
      for (const until = nowMs + ms; nowMs < until; nowMs += 20) subject.tick(nowMs);
    },
  };
}

test("nobody is left in silence: without a hello the agent speaks after 1.2 s", () => {
  const { calls, pass } = anOpening();
  pass(1_180);
  assert.deepEqual(calls, []);
  pass(100);
  assert.deepEqual(calls, ["human", "greet"]);
});

test("a hello is answered half a second after it, and once", () => {
  const { subject, calls, pass, now } = anOpening();
  pass(400);
  subject.speech("onset", now());
  pass(500);
  subject.speech("offset", now());
  subject.words("hello");
  pass(360);
  assert.deepEqual(calls, []);
  pass(2_000);
  assert.deepEqual(calls, ["human", "greet"]);
});

test("a mailbox's greeting is waited out, and the message left after its beep", () => {
  const { subject, calls, pass, now } = anOpening();
  subject.speech("onset", now());
  pass(2_000);
  subject.words("hi you've reached sam please leave a message after the tone");
  pass(1_000);
  assert.deepEqual(calls, ["voicemail"]);
  subject.speech("offset", now());
  pass(300);
  subject.tone({ kind: "beep", hz: 1_000, startMs: now() - 400, endMs: now() });
  pass(360);
  assert.deepEqual(calls, ["voicemail"]);
  pass(100);
  assert.deepEqual(calls, ["voicemail", "message"]);
});

test("an agent without voicemail detection greets whatever answers, and an inbound caller is greeted at once", () => {
  const blind = anOpening({ detectVoicemail: false });
  blind.subject.speech("onset", 0);
  blind.pass(1_000);
  blind.subject.words("please leave a message after the tone");
  blind.pass(1_000);
  assert.ok(blind.calls.includes("greet") && !blind.calls.includes("message"), blind.calls.join());

  const inbound = anOpening({ direction: "inbound" });
  inbound.pass(20);
  assert.deepEqual(inbound.calls, ["greet"]);
  assert.equal(inbound.subject.wantsTones(0), false);
});

test("nobody is greeted between a recording's last word and its transcript", () => {
  let isWaiting = false;
  const { subject, calls, pass, now } = anOpening({ turnTranscript: { isWaiting: () => isWaiting } });
  subject.speech("onset", now());
  pass(4_600);
  subject.speech("offset", now());
  pass(600);
  isWaiting = true;
  pass(2_400);
  assert.deepEqual(calls, ["voicemail"]);
  subject.words("the mailbox is full and cannot accept any messages at this time");
  isWaiting = false;
  pass(100);
  // At the first of these the session hangs up: the greeting that follows is none.
  assert.deepEqual(calls, ["voicemail", "full_mailbox", "greet"]);
});

test("a person who greets at length is not left in silence for words that do not come", () => {
  const { subject, calls, pass, now } = anOpening({ turnTranscript: { isWaiting: () => true } });
  subject.speech("onset", now());
  pass(4_600);
  subject.speech("offset", now());
  pass(3_900);
  assert.deepEqual(calls, ["voicemail"]);
  pass(200);
  assert.deepEqual(calls, ["voicemail", "human", "greet"]);
});
