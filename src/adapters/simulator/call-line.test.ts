import assert from "node:assert/strict";
import { test } from "node:test";
import { conductInText } from "#conversation/calls/text-call.ts";
import type { CallPlan } from "#domain/calls/plan.ts";
import type { CallEvent } from "#domain/calls/report.ts";
import { createCallingWindows } from "#domain/compliance/calling-window.ts";
import type { HandsetScript } from "#ports/handset-network.ts";
import { memoryStore } from "#test/support/calls/memory-store.ts";
import { aDialog, aPlan, NOON } from "#test/support/calls/plan.ts";
import { until } from "#test/support/time/until.ts";
import { type SimulatedLineSettings, simulatedCallLine } from "./call-line.ts";

const windows = createCallingWindows();

function aLine(
  settings: Partial<SimulatedLineSettings> = {},
  parts: Partial<Parameters<typeof simulatedCallLine>[0]> = {},
) {
  const store = memoryStore();
  const line = simulatedCallLine(
    {
      store,
      conduct: (call, on) => conductInText(aDialog(call.plan), call, on),
      windows,
      now: () => NOON,
      random: () => 0.5,
      ...parts,
    },
    { latencyMs: 0, lostReplyRate: 0, reports: "lookup", profile: "strict", pace: "full", ...settings },
  );
  /** Holds a call to its end. */
  const held = async (plan: CallPlan, script?: HandsetScript, mayLeave = () => true) => {
    if (script) store.scripted.set(plan.contactPhone, script);
    const events: CallEvent[] = [];
    const call = line.begin(plan, async (event) => void events.push(event), mayLeave);
    const [placed, report] = await Promise.all([call.placed, call.report]);
    return { placed, report, events, stored: store.ended.get("1") };
  };
  return { line, store, held };
}

const scripted = (digits: number) => ({ contactPhone: `+121255501${digits}` });

test("a phone answers and speaks its lines, and what it heard is stored", async () => {
  const { held, store } = aLine();
  const { placed, report, events, stored } = await held(aPlan(), { says: ["Who is this?", "Okay, bye."] });

  assert.deepEqual(placed, { outcome: "placed", carrierId: "sim_1" });
  assert.deepEqual([report.status, report.reason, report.answerer], ["ended", "agent_hangup", "human"]);
  assert.deepEqual(
    report.utterances.filter(({ role }) => role === "contact").map(({ text }) => text),
    ["Hello?", "Who is this?", "Okay, bye."],
  );
  assert.deepEqual(stored?.heard, ["Hi, this is Ava from Acme. Do you have a minute?", "I see.", "I see."]);
  assert.deepEqual([stored?.outcome, stored?.durationMs], ["answered", report.durationMs]);
  assert.deepEqual(
    events.slice(0, 2).map(({ kind }) => kind),
    ["ringing", "answered"],
  );
  assert.equal(store.accepted[0]?.at.toISOString(), NOON.toISOString());
  assert.equal(Date.parse(report.endedAt) - Date.parse(report.answeredAt!), report.durationMs);
  const rang = Date.parse(report.answeredAt!) - NOON.getTime();
  assert.ok(rang >= 2_000 && rang < 8_000, `it rang for ${rang} ms`);
});

test("the same reference has the same course", async () => {
  const plan = aPlan();
  const [one, other] = [await aLine().held(plan), await aLine().held(plan)];

  assert.deepEqual(one.report, other.report);
});

for (const [digits, behavior, outcome, status, reason, code] of [
  [32, "no_answer", "no_answer", "not_connected", "dial_no_answer", "487"],
  [33, "busy", "busy", "not_connected", "dial_busy", "486"],
  [34, "decline", "declined", "not_connected", "user_declined", "603"],
  [20, "unreachable", "unreachable", "not_connected", "dial_failed", "480"],
] as const) {
  test(`${behavior}, by number ${digits} or by name: nobody takes the call`, async () => {
    for (const call of [await aLine().held(aPlan(scripted(digits))), await aLine().held(aPlan(), { behavior })]) {
      assert.equal(call.placed.outcome, "placed");
      assert.deepEqual([call.report.status, call.report.reason, call.report.carrierCode], [status, reason, code]);
      assert.deepEqual([call.report.durationMs, call.report.answeredAt], [0, undefined]);
      assert.deepEqual([call.stored?.outcome, call.stored?.heard], [outcome, []]);
    }
  });
}

test("nobody answers for as long as the agent lets it ring, and a slow phone is too slow for that", async () => {
  const plan = aPlan({ agent: { ring_duration_ms: 10_000 } });
  for (const script of [{ behavior: "no_answer" }, { answer_delay_ms: 10_000 }, { behavior: "voicemail" }]) {
    const { report } = await aLine().held(plan, script);
    assert.equal(report.reason, "dial_no_answer", JSON.stringify(script));
    assert.equal(Date.parse(report.endedAt) - Date.parse(report.dialedAt), 10_000);
  }
  const { report } = await aLine().held(plan, { answer_delay_ms: 9_999 });
  assert.equal(Date.parse(report.answeredAt!) - NOON.getTime(), 9_999);
});

for (const [digits, behavior, answerer, outcome] of [
  [30, "answer", "human", "answered"],
  [31, "voicemail", "voicemail", "voicemail"],
  [37, "ivr", "ivr", "answered"],
  [38, "call_screening", "call_screening", "answered"],
  [39, "full_mailbox", "full_mailbox", "voicemail"],
] as const) {
  test(`${behavior}, by number ${digits} or by name, is taken for what it is`, async () => {
    for (const call of [await aLine().held(aPlan(scripted(digits))), await aLine().held(aPlan(), { behavior })]) {
      const first = call.events.find((event) => event.kind === "answered_by");
      assert.equal(first?.kind === "answered_by" && first.answerer, answerer);
      assert.equal(call.report.inVoicemail, outcome === "voicemail");
      assert.equal(call.report.voicemailLeft, behavior === "voicemail");
      assert.equal(call.stored?.outcome, outcome);
      if (behavior === "voicemail") assert.deepEqual(call.stored?.heard, [aPlan().agent.voicemail_message]);
    }
  });
}

test("a phone hangs up in mid-call", async () => {
  const { report } = await aLine().held(aPlan(scripted(35)));
  assert.deepEqual([report.reason, report.durationMs], ["user_hangup", 8_000]);
  const script = await aLine().held(aPlan(), { hangs_up_after_ms: 3_000 });
  assert.deepEqual([script.report.reason, script.report.durationMs], ["user_hangup", 3_000]);
});

test("a phone that stays silent is left after the agent's patience", async () => {
  const { report } = await aLine().held(aPlan({ agent: { end_call_after_silence_ms: 20_000 } }), {
    behavior: "silent",
  });
  assert.equal(report.reason, "inactivity");
  assert.equal(report.utterances.filter(({ role }) => role === "contact").length, 0);
});

test("a phone speaks the lines of its script, and its greeting first", async () => {
  const saidBy = async (script: HandsetScript) =>
    (await aLine().held(aPlan(), script)).report.utterances.flatMap((utterance) =>
      utterance.role === "contact" ? [utterance.text] : [],
    );
  assert.deepEqual(await saidBy({ greeting: "Sam speaking.", says: ["Bye."] }), ["Sam speaking.", "Bye."]);
  assert.deepEqual(await saidBy({ greeting: "", says: ["Bye."] }), ["Bye."]);
  const { events } = await aLine().held(aPlan(), { greeting: "" });
  assert.deepEqual(
    events.slice(0, 3).map(({ kind }) => kind),
    ["ringing", "answered", "utterance"],
  );
  assert.match((await saidBy({ behavior: "call_back" }))[1]!, /call me back tomorrow/);
});

test("a name that is about texts leaves calls to the number's script", async () => {
  const { stored } = await aLine().held(aPlan(scripted(33)), { behavior: "landline" });
  assert.equal(stored?.outcome, "busy");
});

test("a phone talks over the agent", async () => {
  const { report } = await aLine().held(aPlan(), { behavior: "interrupt" });
  assert.ok(report.utterances.some((utterance) => utterance.interrupted));
});

for (const [what, script, phone] of [
  ["take me off your list", { behavior: "opt_out" }, {}],
  ["number 36, angry", undefined, scripted(36)],
] as const) {
  test(`${what}: the opt-out is heard before it is confirmed, and then the carrier notes it`, async () => {
    const { line, store } = aLine();
    const plan = aPlan(phone);
    if (script) store.scripted.set(plan.contactPhone, script);
    let hear = () => {};
    const heard = new Promise<void>((resolve) => {
      hear = resolve;
    });
    let asked = false;
    const call = line.begin(
      plan,
      async ({ kind }) => {
        if (kind !== "opt_out") return;
        asked = true;
        await heard;
      },
      () => true,
    );
    await until("it has asked", async () => asked);
    assert.deepEqual([store.acknowledged, store.ended.size], [[], 0]);
    hear();
    const report = await call.report;
    assert.match(report.requests.optOut!.quote, /off your list/);
    assert.deepEqual(store.acknowledged, ["1"]);
  });
}

test("an opt-out that could not be taken in is neither confirmed nor noted", async () => {
  const { line, store } = aLine();
  const plan = aPlan();
  store.scripted.set(plan.contactPhone, { behavior: "opt_out" });
  const call = line.begin(
    plan,
    async ({ kind }) => {
      if (kind === "opt_out") throw new Error("the database is away");
    },
    () => true,
  );
  assert.equal((await call.report).status, "error");
  assert.deepEqual(store.acknowledged, []);
  assert.ok(!store.ended.get("1")!.heard.some((text) => text.includes("won't hear")));
});

test("an invalid number is never dialled, and never to be", async () => {
  const { placed, report } = await aLine().held(aPlan(), { behavior: "invalid_number" });
  assert.deepEqual(placed, { outcome: "not_placed", code: "404" });
  assert.deepEqual([report.status, report.reason], ["not_connected", "invalid_destination"]);
});

test("a full network takes the call at another time", async () => {
  const { held, store } = aLine();
  const ref = (last: string) => `01900000-0000-7000-8000-00000000000${last}`;
  const full = await held(aPlan({ ...scripted(40), ref: ref("2") }));
  assert.deepEqual(full.placed, { outcome: "not_placed", code: "503", retryAfterMs: 200 });
  assert.equal(full.report.reason, "telephony_provider_unavailable");
  assert.equal(store.accepted.length, 0);
  const again = await held(aPlan({ ...scripted(40), ref: ref("3") }));
  assert.deepEqual([again.placed.outcome, again.stored?.outcome], ["placed", "answered"]);
});

test("a reply that was lost leaves the call uncertain, and it is found", async () => {
  for (const [settings, phone] of [
    [{}, scripted(42)],
    [{ lostReplyRate: 0.6 }, {}],
  ] as const) {
    const { held, line } = aLine(settings);
    const plan = aPlan(phone);
    const { placed, report, stored } = await held(plan);
    assert.deepEqual(placed, { outcome: "uncertain", code: "reply_lost" });
    assert.deepEqual([report.status, stored?.outcome], ["error", "lost"]);
    const found = await line.lookUp(plan.tenantId, [plan.ref, aPlan().ref], AbortSignal.abort());
    assert.deepEqual([...found], [[plan.ref, { carrierId: "sim_1" }]]);
  }
});

test("a database that fails while it stores a call leaves it uncertain", async () => {
  const { held, store } = aLine();
  store.losesNext = true;
  const { placed, report } = await held(aPlan());
  assert.deepEqual(placed, { outcome: "uncertain", code: "books_away" });
  assert.equal(report.status, "error");
});

test("nothing leaves once it may not, or the call was stopped", async () => {
  const { held, store, line } = aLine();
  const { placed, report } = await held(aPlan(), undefined, () => false);
  assert.deepEqual(placed, { outcome: "not_placed", code: "held_up", retryAfterMs: 0 });
  assert.equal(report.status, "not_connected");
  const call = line.begin(
    aPlan(),
    async () => {},
    () => true,
  );
  call.stop("manual_stopped");
  assert.deepEqual(await call.placed, { outcome: "not_placed", code: "stopped" });
  assert.equal((await call.report).reason, "manual_stopped");
  assert.equal(store.accepted.length, 0);
});

test("a call that was stopped is never placed, also while the database is away, and one of a process that stops by another", async () => {
  const { store, line } = aLine();
  const stopped = async (reason: "manual_stopped" | "agent_hangup" | "error_unknown") => {
    const call = line.begin(
      aPlan(),
      async () => {},
      () => true,
    );
    call.stop(reason);
    return call.placed;
  };
  const again = { outcome: "not_placed", code: "stopped", retryAfterMs: 0 };
  assert.deepEqual(await stopped("agent_hangup"), again);
  assert.deepEqual(await stopped("error_unknown"), again);
  store.scripts = async () => {
    throw new Error("the database is away");
  };
  assert.deepEqual(await stopped("manual_stopped"), { outcome: "not_placed", code: "stopped" });
  assert.equal(store.accepted.length, 0);
});

test("calls outside of the hours are noted, unless they were asked for", async () => {
  const { held, store } = aLine();
  const inHonolulu = { contactZone: "Pacific/Honolulu" };
  for (const plan of [aPlan(), aPlan(inHonolulu), aPlan({ ...inHonolulu, purpose: "callback" })]) await held(plan);
  assert.deepEqual(
    store.accepted.map((call) => call.outsideWindow),
    [false, true, false],
  );
});

test("many calls at once take a statement for some hundreds, and no more are begun than there is room for", async () => {
  const { line, store } = aLine();
  const room = line.room();
  const calls = Array.from({ length: room }, () =>
    line.begin(
      aPlan(),
      async () => {},
      () => true,
    ),
  );
  assert.equal(line.room(), 0);
  await Promise.all(calls.map((call) => call.report));
  assert.equal(line.room(), room);
  assert.deepEqual([store.accepted.length, store.ended.size], [room, room]);
  assert.deepEqual([store.runs.scripts, store.runs.accept], [2, 2]);
});

test("a phone's call is brought until it has been taken in, once", async () => {
  const { line, store } = aLine();
  const owed = { handset: "+12124540001", seq: "7", number: "+12125550100", says: ["Hi, it's Ann.", "Bye."], at: NOON };
  store.owed.push(owed);
  const { signal } = new AbortController();
  await assert.rejects(line.deliver(() => Promise.reject(new Error("the database is away")), NOON, signal));
  const reports: Promise<unknown>[] = [];
  const brought = await line.deliver(
    async (call) => {
      assert.deepEqual([call.from, call.to, call.carrierId], [owed.handset, owed.number, "sim_7"]);
      reports.push(call.answer(aPlan({ direction: "inbound" }), async () => {}).report);
    },
    NOON,
    signal,
  );
  assert.equal(brought, 1);
  await Promise.all(reports);
  assert.equal(store.ended.get("7")?.heard.length, 3);
  assert.equal(await line.deliver(async () => assert.fail("it was brought again"), NOON, signal), 0);
});

test("a phone's call that we turn away is over", async () => {
  const { line, store } = aLine();
  store.owed.push({ handset: "+12124540001", seq: "7", number: "+12125550100", says: [], at: NOON });
  await line.deliver(async (call) => void call.refuse("404") as undefined, NOON, new AbortController().signal);
  await until("it is stored", async () => store.ended.get("7")?.outcome === "rejected");
});

test("by the tenant's clock a call lasts as long as it says, and is stopped where it is", async () => {
  const { line, store } = aLine({ pace: "clock" });
  const plan = aPlan();
  store.scripted.set(plan.contactPhone, { behavior: "silent", answer_delay_ms: 5_000 });
  const events: string[] = [];
  const call = line.begin(
    plan,
    async ({ kind }) => void events.push(kind),
    () => true,
  );
  await until("it rings", async () => events.length > 0);
  await until("the clock was looked at", async () => store.runs.clock >= 3);
  assert.deepEqual(events, ["ringing"]);
  store.offsetMs = 5_000;
  await until("it is answered", async () => events.includes("answered"));
  assert.equal(call.inject("Say hello to Ben."), true);
  store.offsetMs = 60_000;
  await until("the agent spoke", async () => events.filter((kind) => kind === "utterance").length >= 2);
  call.stop("manual_stopped");
  const report = await call.report;
  assert.deepEqual([report.status, report.reason], ["ended", "manual_stopped"]);
  assert.ok(report.durationMs <= 60_000, `${report.durationMs} ms`);
  assert.ok(report.utterances.some(({ text }) => text === "Say hello to Ben."));
  assert.equal(call.inject("More"), false);
  assert.equal(store.ended.get("1")?.outcome, "answered");
});

test("a call that is stopped while it rings is cancelled", async () => {
  const { line, store } = aLine({ pace: "clock" });
  const events: string[] = [];
  const call = line.begin(
    aPlan(),
    async ({ kind }) => void events.push(kind),
    () => true,
  );
  await until("it rings", async () => events.length > 0);
  call.stop("manual_stopped");
  const report = await call.report;
  assert.deepEqual([report.status, report.reason, report.durationMs], ["not_connected", "manual_stopped", 0]);
  assert.equal(store.ended.get("1")?.outcome, "cancelled");
});

test("calls that ring count as begun where only so many are held with sound, and each is counted once", async () => {
  const hangUp = Promise.withResolvers<void>();
  let places = 5;
  const { line, store } = aLine(
    { pace: "clock" },
    {
      room: () => places,
      async conduct(call, on) {
        places--;
        await hangUp.promise;
        places++;
        return conductInText(aDialog(call.plan), { ...call, reach: async () => {} }, on);
      },
    },
  );
  const plans = [aPlan(), aPlan(), aPlan()];
  for (const plan of plans) store.scripted.set(plan.contactPhone, { answer_delay_ms: 5_000 });
  const calls = plans.map((plan) =>
    line.begin(
      plan,
      async () => {},
      () => true,
    ),
  );
  assert.equal(line.room(), 2);
  await until("they ring", async () => store.runs.clock >= 3);
  assert.equal(line.room(), 2);
  calls[0]!.stop("manual_stopped");
  await calls[0]!.report;
  assert.equal(line.room(), 3);
  store.offsetMs = 5_000;
  await until("the others are answered", async () => places === 3);
  assert.equal(line.room(), 3);
  places = 1;
  assert.equal(line.room(), 1);
  places = 3;
  hangUp.resolve();
  await Promise.all(calls.map((call) => call.report));
  assert.equal(line.room(), 5);
});
