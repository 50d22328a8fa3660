import assert from "node:assert/strict";
import { test } from "node:test";
import type { Transferred, TwilioCalls } from "#adapters/twilio-calls/calls.ts";
import type { CallPlan } from "#domain/calls/plan.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { CallNews, StreamSocket } from "#ports/call-streams.ts";
import { streamLine } from "./stream-line.ts";

const [ACCOUNT, CALL, STREAM] = [`AC${"0".repeat(32)}`, `CA${"1".repeat(32)}`, `MZ${"0".repeat(32)}`] as const;
const ID = "00000000-0000-7000-8000-000000000001" as Uuid;
const START = {
  ...{ event: "start", streamSid: STREAM },
  start: {
    ...{ accountSid: ACCOUNT, callSid: CALL },
    mediaFormat: { encoding: "audio/x-mulaw", sampleRate: 8000, channels: 1 },
  },
};

/** A call that was answered, and a transfer that is asked for and has the given outcome, once it is let go. */
async function asking({ status }: { status: string | undefined }) {
  const heldEnd = Promise.withResolvers<unknown>();
  const hungUp: string[] = [];
  const asked = Promise.withResolvers<Transferred>();
  const joined = Promise.withResolvers<StreamSocket>();
  const begun = Promise.withResolvers<void>();
  let put: ((to: string) => Promise<boolean>) | undefined;
  let say: ((text: string) => void) | undefined;
  const sound = { durationMs: 1, usage: {}, requests: {}, utterances: [], latencies: [] };
  const held = {
    ...{ local: Promise.resolve(), ended: heldEnd.promise, receiveAudio() {}, digit() {}, inject() {} },
    begin: () => begun.resolve(),
    end: (reason: string) => heldEnd.resolve({ ...sound, reason }),
  };
  const calls: Partial<TwilioCalls> = {
    ...{ accountSid: ACCOUNT, isReachable: true },
    place: async () => ({ outcome: "placed", sid: CALL }),
    hangUp: async (sid) => hungUp.push(sid) > 0,
    transfer: () => asked.promise,
    read: async (sid) => (status === undefined ? undefined : { sid, status }),
  };
  const streams = {
    held: new Map<Uuid, (carrier: string, news: CallNews) => boolean>(),
    bridge: { address: "one:1", expect: () => ({ ticket: "one", taken: joined.promise, withdraw() {} }) },
  };
  const plane = {
    room: () => 1,
    open(_: unknown, __: unknown, on: { transfer: typeof put }) {
      put = on.transfer;
      return held;
    },
  };
  const line = streamLine({
    ...{ account: { carrier: "one", revision: 1 }, callsPerSecond: 1, calls, plane, streams, store: {} },
    ...{ mayCallFrom: async () => true, now: () => new Date(), log: { warn() {}, error() {} } },
  } as unknown as Parameters<typeof streamLine>[0]);
  const plan = { callId: ID, clockOffsetMs: 0, number: "+1", contactPhone: "+2", agent: { ring_duration_ms: 5_000 } };
  const live = line.begin(
    plan as CallPlan,
    async () => {},
    () => true,
  );
  void live.report.catch(() => {});
  await live.placed;
  joined.resolve({
    listen: ({ text }) => {
      say = text;
    },
    send() {},
    close() {},
  });
  await joined.promise;
  while (!say) await Promise.resolve();
  say(JSON.stringify(START));
  await begun.promise;
  const isThrough = put!("+3");
  return {
    ...{ live, hungUp, isThrough, ended: heldEnd.promise },
    isHeld: () => streams.held.has(ID),
    has: (outcome: Transferred) => asked.resolve(outcome),
    stops: () => say!(JSON.stringify({ event: "stop", streamSid: STREAM })),
    reports: (word: string) => streams.held.get(ID)?.("one", { ref: ID, carrierId: CALL, status: word }),
  };
}

test("who hangs up while a transfer is asked for, which then fails, is gone", async () => {
  const call = await asking({ status: "completed" });
  call.stops();
  call.reports("completed");
  assert.ok(call.isHeld());
  call.has("refused");
  assert.equal(await call.isThrough, false);
  assert.equal(((await call.ended) as { reason: string }).reason, "user_hangup");
  assert.equal(call.isHeld(), false);
});

test("who may have been put through by a transfer without an answer is not hung up on", async () => {
  for (const status of ["in-progress", undefined]) {
    const call = await asking({ status });
    call.stops();
    call.has("unclear");
    assert.equal(await call.isThrough, true);
    call.live.stop("manual_stopped");
    await call.ended;
    await Promise.resolve();
    assert.equal(call.isHeld(), false);
    assert.deepEqual(call.hungUp, []);
  }
});

test("a transfer without an answer has failed where the call is over, by Twilio's word", async () => {
  const call = await asking({ status: "completed" });
  call.has("unclear");
  call.stops();
  assert.equal(await call.isThrough, false);
  assert.equal(((await call.ended) as { reason: string }).reason, "user_hangup");
});

test("a call whose agent stops while a transfer is under way, its stream over, is not hung up on", async () => {
  const call = await asking({ status: undefined });
  call.stops();
  call.live.stop("manual_stopped");
  await call.ended;
  await Promise.resolve();
  assert.deepEqual(call.hungUp, []);
  call.has("through");
  assert.equal(await call.isThrough, true);
});
