import assert from "node:assert/strict";
import { test } from "node:test";
import { dialogEngine } from "#adapters/dialog-engine/engine.ts";
import type { AgentInput } from "#domain/agents/agent.ts";
import { type CallEvent, transcriptOf } from "#domain/calls/report.ts";
import type { CallDialog, DialogPart } from "#ports/call-dialog.ts";
import type { ConductedCall, ScriptedContact, TextCall } from "#ports/scripted-contact.ts";
import { aDialog, aPlan, NOON } from "#test/support/calls/plan.ts";
import { callDialogs } from "./dialog.ts";
import { conductInText, textConductor } from "./text-call.ts";

type Setting = {
  agent?: AgentInput;
  dialog?: CallDialog;
  call?: Partial<TextCall>;
  onEvent?: (event: CallEvent) => void;
};

const human: ScriptedContact = { answerer: "human", greeting: "Hello?", says: ["Yes", "Bye"] };

async function conduct(
  contact: Partial<ScriptedContact>,
  { agent, dialog, call, onEvent }: Setting = {},
): Promise<ConductedCall & { events: CallEvent[] }> {
  const plan = aPlan({ ...(agent ? { agent } : {}) });
  const events: CallEvent[] = [];
  const ended = await conductInText(
    dialog ?? aDialog(plan),
    {
      plan,
      contact: { ...human, ...contact },
      answeredAt: NOON,
      stop: new AbortController().signal,
      stopReason: () => "manual_stopped",
      takeInjected: () => undefined,
      reach: async () => {},
      ...call,
    },
    async (event) => {
      events.push(event);
      onEvent?.(event);
    },
  );
  return { ...ended, events };
}

const linesOf = ({ utterances }: ConductedCall): string[] =>
  utterances.map(({ role, text }) => `${role === "agent" ? "A" : "C"}: ${text}`);

test("a call goes from hello to goodbye, with times that only grow", async () => {
  const call = await conduct({});
  assert.deepEqual(linesOf(call), [
    "C: Hello?",
    "A: Hi, this is Ava from Acme. Do you have a minute?",
    "C: Yes",
    "A: I see.",
    "C: Bye",
    "A: I see.",
  ]);
  assert.deepEqual([call.status, call.reason, call.answerer], ["ended", "agent_hangup", "human"]);
  let last = 0;
  for (const { words, startMs, endMs, text } of call.utterances) {
    assert.equal(words.map(({ word }) => word).join(" "), text);
    assert.deepEqual([words[0]!.startMs, words.at(-1)!.endMs], [startMs, endMs]);
    for (const word of words) {
      assert.ok(word.startMs >= last && word.endMs > word.startMs, JSON.stringify(word));
      last = word.endMs;
    }
  }
  assert.equal(call.durationMs, last);
});

test("words come at about 150 a minute, faster with a faster voice", async () => {
  const spoken = async (voice_speed: number) => {
    const { utterances } = await conduct({}, { agent: { voice_speed } });
    const { startMs, endMs, words } = utterances[1]!;
    return (words.length * 60_000) / (endMs - startMs);
  };
  const [plain, fast] = [await spoken(1), await spoken(2)];
  assert.ok(plain > 130 && plain < 190, `${plain}`);
  assert.ok(Math.abs(fast / plain - 2) < 0.05, `${fast}`);
});

test("events come in order, in the tenant's time", async () => {
  const { events, utterances } = await conduct({});
  assert.deepEqual(
    events.map(({ kind }) => kind),
    ["utterance", "answered_by", ...utterances.slice(1).map(() => "utterance")],
  );
  const answered = events.find((event) => event.kind === "answered_by");
  assert.equal(answered?.at, new Date(NOON.getTime() + utterances[0]!.endMs).toISOString());
});

test("a voicemail gets its message after the beep, and a full one or none configured is left", async () => {
  const greeting = "Hi, you've reached Ann. Please leave a message after the tone.";
  const left = await conduct({ answerer: "voicemail", greeting, says: [] });
  assert.deepEqual(
    [left.reason, left.answerer, left.inVoicemail, left.voicemailLeft],
    ["voicemail_reached", "voicemail", true, true],
  );
  assert.deepEqual(linesOf(left)[1], "A: Hi, this is Ava from Acme. Please call us back.");
  assert.equal(left.utterances[1]!.startMs - left.utterances[0]!.endMs, 900, "a beep and a breath");

  const none = await conduct({ answerer: "voicemail", greeting, says: [] }, { agent: { voicemail_message: "" } });
  assert.deepEqual(
    [none.reason, none.inVoicemail, none.voicemailLeft, none.utterances.length],
    ["voicemail_reached", true, false, 1],
  );
  const full = await conduct({ answerer: "full_mailbox", greeting: "The mailbox is full. Goodbye.", says: [] });
  assert.deepEqual([full.reason, full.answerer, full.voicemailLeft], ["voicemail_reached", "full_mailbox", false]);
  const asleep = await conduct({ answerer: "voicemail", greeting, says: [] }, { agent: { detect_voicemail: false } });
  assert.deepEqual([asleep.inVoicemail, asleep.reason], [false, "inactivity"]);
});

test("an interrupted agent stops, its utterance and its memory keep what was heard", async () => {
  const played: string[] = [];
  const dialog = { ...aDialog(aPlan()), played: (text: string) => void played.push(text) };
  const call = await conduct({ interruptsAfterMs: 900, says: ["Wait a moment please", "Bye"] }, { dialog });
  const cut = call.utterances[1]!;
  assert.equal(cut.interrupted, true);
  assert.equal(cut.text, played[0]);
  assert.ok("Hi, this is Ava from Acme.".startsWith(cut.text) && cut.text.length > 3, cut.text);
  assert.equal(call.utterances[2]!.text, "Wait a moment please");
  assert.equal(call.utterances[2]!.startMs - cut.endMs < 1_000, true);
});

test("a contact who hangs up in the middle ends the call there", async () => {
  const call = await conduct({ hangsUpAtMs: 2_500 });
  assert.deepEqual([call.reason, call.durationMs, call.utterances.at(-1)!.interrupted], ["user_hangup", 2_500, true]);
  const done = await conduct({ says: ["Yes"], hangsUpWhenDone: true });
  assert.equal(done.reason, "user_hangup");
});

test("silence is broken twice or thrice, and ends the call; so does the longest duration", async () => {
  const silent = await conduct({ says: [] }, { agent: { end_call_after_silence_ms: 15_000 } });
  assert.deepEqual(linesOf(silent).slice(2), ["A: Are you still there?"]);
  assert.equal(silent.reason, "inactivity");
  const mute = await conduct({ greeting: undefined, says: [] }, { agent: { end_call_after_silence_ms: 60_000 } });
  assert.deepEqual([mute.reason, mute.answerer], ["inactivity", "unknown"]);
  const long = await conduct(
    { says: Array.from({ length: 100 }, () => "go on") },
    { agent: { max_call_duration_ms: 60_000 } },
  );
  assert.deepEqual([long.reason, long.durationMs], ["max_duration_reached", 60_000]);
});

test("an opt-out is committed before it is confirmed, and not confirmed when it could not be", async () => {
  const says = ["Take me off your list"];
  const call = await conduct({ says });
  const kinds = call.events.map((event) => (event.kind === "utterance" ? event.utterance.text : event.kind));
  assert.deepEqual(kinds.slice(-3), ["Take me off your list", "opt_out", "You won't hear from us again."]);
  assert.deepEqual(call.requests, { optOut: { quote: "Take me off your list" } });

  const lost = await conduct(
    { says },
    {
      onEvent: (event) => {
        if (event.kind === "opt_out") throw new Error("the database is away");
      },
    },
  );
  assert.deepEqual([lost.status, lost.reason], ["error", "error_unknown"]);
  assert.deepEqual(lost.requests, { optOut: { quote: "Take me off your list" } });
  assert.equal(linesOf(lost).at(-1), "C: Take me off your list");
});

test("a stop ends it where it is, also in the middle of a sentence", async () => {
  const stop = new AbortController();
  const reached: number[] = [];
  const call = await conduct(
    {},
    {
      call: {
        stop: stop.signal,
        reach: async (atMs) => {
          reached.push(atMs);
          if (reached.length === 4) stop.abort();
        },
      },
    },
  );
  assert.deepEqual([call.status, call.reason], ["ended", "manual_stopped"]);
  assert.ok(call.durationMs <= reached[3]!);
  assert.ok(call.utterances.every(({ endMs }) => endMs <= call.durationMs));
});

test("what an operator injects is said between two turns", async () => {
  const waiting = ["We have an offer."];
  const call = await conduct({}, { call: { takeInjected: () => waiting.shift() } });
  assert.deepEqual(linesOf(call)[2], "A: We have an offer.");
});

test("what an operator injects while the contact is silent is said after the next reminder", async () => {
  let now = 0;
  const waiting = ["We have an offer."];
  const call = await conduct(
    { says: [] },
    {
      agent: { end_call_after_silence_ms: 15_000 },
      call: {
        reach: async (atMs) => {
          now = atMs;
        },
        takeInjected: () => (now > 12_000 ? waiting.shift() : undefined),
      },
    },
  );
  assert.deepEqual(linesOf(call).slice(2, 4), ["A: Are you still there?", "A: We have an offer."]);
  assert.equal(call.reason, "inactivity");
});

test("a menu is hung up on without a word, and talked to by an agent that does not look for machines", async () => {
  const menu: Partial<ScriptedContact> = { answerer: "ivr", greeting: "For sales, press 1.", says: ["Bye"] };
  const left = await conduct(menu);
  assert.deepEqual(
    [left.reason, left.answerer, left.inVoicemail, left.utterances.length],
    ["ivr_reached", "ivr", false, 1],
  );
  const late = await conduct({ ...menu, greeting: undefined, says: ["For sales, press 1."] });
  assert.deepEqual([late.reason, linesOf(late).at(-1)], ["ivr_reached", "C: For sales, press 1."]);
  const talked = await conduct(menu, { agent: { detect_voicemail: false } });
  assert.deepEqual(linesOf(talked), ["C: For sales, press 1.", "A: I see.", "C: Bye", "A: I see."]);
  assert.equal(talked.reason, "agent_hangup");
});

test("a transfer and a callback are wishes; a dialog that throws ends the call as an error", async () => {
  const doing = (...parts: DialogPart[]): CallDialog => ({
    ...aDialog(aPlan()),
    async *turn() {
      yield* parts;
    },
  });
  const moved = await conduct(
    {},
    {
      dialog: doing({ kind: "sentence", text: "One moment." }, { kind: "transfer", to: "+12125550199" }),
    },
  );
  assert.deepEqual([moved.reason, moved.requests], ["call_transfer", { transferredTo: "+12125550199" }]);
  const later = await conduct(
    {},
    { dialog: doing({ kind: "callback", at: "2026-03-03T20:00:00.000Z", quote: "Later" }, { kind: "goodbye" }) },
  );
  assert.deepEqual(later.requests.callback, { at: "2026-03-03T20:00:00.000Z", quote: "Later" });
  const promise = { at: "2026-03-02T17:30:00.000Z", quote: "We'll call you back. Goodbye." };
  const leaving = doing(
    { kind: "callback", ...promise, isPromise: true },
    { kind: "sentence", text: promise.quote },
    { kind: "goodbye" },
  );
  assert.deepEqual((await conduct({}, { dialog: leaving })).requests, { callback: promise });
  let turns = 0;
  const answering: CallDialog = {
    ...leaving,
    turn: (said, signal) =>
      turns++ === 0 ? leaving.turn(said, signal) : doing({ kind: "goodbye" }).turn(said, signal),
  };
  const cut = await conduct({ interruptsAfterMs: 100 }, { dialog: answering });
  assert.deepEqual([turns, cut.requests], [2, {}], "they went on before they heard of it");
  const broken = await conduct(
    {},
    {
      dialog: {
        ...aDialog(aPlan()),
        turn() {
          throw new Error("the dialog failed");
        },
      },
    },
  );
  assert.deepEqual([broken.status, broken.reason], ["error", "error_unknown"]);
});

test("the offline agent holds a whole call by itself: it asks, understands, and hangs up", async () => {
  const conductor = textConductor(callDialogs({ forMode: () => dialogEngine() }, () => NOON));
  const run = (contact: Partial<ScriptedContact>, agent: AgentInput = {}) =>
    conductor(
      {
        plan: aPlan({ agent: { extraction_fields: ["budget", "move_in_date"], ...agent } }),
        contact: { ...human, ...contact },
        answeredAt: NOON,
        stop: new AbortController().signal,
        stopReason: () => "manual_stopped",
        takeInjected: () => undefined,
        reach: async () => {},
      },
      async () => {},
    );
  const sold = await run({ says: ["Yes sure", "about 350k", "next Friday", "bye"] });
  assert.equal(
    transcriptOf(sold.utterances),
    [
      "User: Hello?",
      "Agent: Hi, this is Ava from Acme. Do you have a minute?",
      "User: Yes sure",
      "Agent: Thanks. What budget do you have in mind?",
      "User: about 350k",
      "Agent: $350,000, noted. What is your move in date?",
      "User: next Friday",
      "Agent: Thanks, that's all I need for now. Someone from our team will be in touch. Goodbye.",
      "",
    ].join("\n"),
  );
  assert.equal(sold.reason, "agent_hangup");

  const later = await run({ says: ["I'm driving right now", "Call me tomorrow after lunch"] });
  assert.equal(later.requests.callback?.at, "2026-03-03T18:30:00.000Z");
  const angry = await run({ says: ["Stop calling me!"] });
  assert.deepEqual(angry.requests.optOut, { quote: "Stop calling me" });
  const menu = await run({ answerer: "ivr", greeting: "For sales, press 1. For support, press 2.", says: [] });
  assert.deepEqual([menu.reason, menu.answerer], ["ivr_reached", "ivr"]);
  const screened = await run({
    answerer: "call_screening",
    greeting: "Please state your name and why you are calling.",
    says: ["Hello, this is Ann", "about 200k", "no idea"],
  });
  assert.match(linesOf(screened)[1]!, /automated assistant calling for Acme\. I'm calling for Ann\.$/);
  assert.equal(screened.answerer, "human");
});
