import assert from "node:assert/strict";
import { test } from "node:test";
import type { SipAgent } from "#adapters/sip-calls/agent.ts";
import type { CallEnd, CallEvents, InboundCall, SipCall } from "#adapters/sip-calls/call.ts";
import { notPlaced } from "#adapters/sip-calls/outbound-call.ts";
import type { LocalMedia, RemoteMedia } from "#adapters/sip-messages/offer-answer.ts";
import type { Trunk } from "#adapters/sip-transport/trunk.ts";
import type { DisconnectionReason } from "#domain/calls/call.ts";
import { aPlan, NOON } from "#test/support/calls/plan.ts";
import type { Plane } from "./plane.ts";
import { NOTHING_SAID, type SoundResult } from "./protocol.ts";
import { sipLine } from "./sip-line.ts";

const UNREACHABLE: CallEnd = {
  cause: "unreachable",
  text: "no answer from the trunk",
  reason: "telephony_provider_unavailable",
  mayHaveArrived: false,
};
const SILENT: CallEnd = { ...UNREACHABLE, mayHaveArrived: true };

type Trunks = (events: CallEvents) => SipCall;

/** A line whose audio and trunk are controlled by the test; calls end when the audio does. */
function aLine(signal?: Trunks) {
  const local = Promise.withResolvers<LocalMedia | undefined>();
  const ended = Promise.withResolvers<SoundResult>();
  const ends: DisconnectionReason[] = [];
  const trunk = { hungUp: 0, events: undefined as CallEvents | undefined };
  const plane = {
    open: () => ({
      local: local.promise,
      ended: ended.promise,
      begin() {},
      move() {},
      receiveAudio() {},
      digit() {},
      inject: () => true,
      end(reason: DisconnectionReason) {
        ends.push(reason);
        ended.resolve({ ...NOTHING_SAID, reason });
      },
    }),
    room: () => 1,
  } as unknown as Plane;
  const placed: Trunks = (events) => {
    trunk.events = events;
    return {
      callId: "c",
      trunk: "peer",
      hangup: () => void trunk.hungUp++,
      hold: async () => true,
      refer() {},
      press() {},
    };
  };
  const agent = { call: (_name: string, _it: unknown, events: CallEvents) => (signal ?? placed)(events) };
  const line = sipLine({
    agent: agent as unknown as SipAgent,
    trunk: { name: "peer", srtp: "off" } as Trunk,
    plane,
    store: undefined as never,
    mayCallFrom: async () => true,
    now: () => NOON,
    log: { info() {}, warn() {}, error() {} },
  });
  const begin = () =>
    line.begin(
      aPlan(),
      async () => {},
      () => true,
    );
  const opened = async () => {
    local.resolve({} as LocalMedia);
    await local.promise;
  };
  /** A call to us. */
  const take = () => {
    const call = {
      ...placed({ ended() {} }),
      listen(events: CallEvents) {
        trunk.events = events;
      },
      answer() {},
    };
    return line.take(call as unknown as InboundCall, aPlan({ direction: "inbound" }), async () => {});
  };
  return { begin, take, trunk, ends, opened, local };
}

test("a call that is stopped before it has begun is never placed, and ends as stopped", async () => {
  const { begin, trunk, opened } = aLine();
  const call = begin();
  call.stop("manual_stopped");
  await opened();
  assert.deepEqual(await call.placed, { outcome: "not_placed", code: "not begun" });
  const { status, reason } = await call.report;
  assert.deepEqual([status, reason, trunk.events], ["not_connected", "manual_stopped", undefined]);
});

for (const [what, end] of [
  ["while the trunk cannot be reached", UNREACHABLE],
  ["before its INVITE has left", notPlaced("the call was called off")],
] as const) {
  test(`a call that is stopped ${what} is not to be placed again`, async () => {
    const { begin, trunk, opened } = aLine();
    const call = begin();
    await opened();
    call.stop("manual_stopped");
    assert.equal(trunk.hungUp, 1);
    trunk.events!.ended(end);
    assert.deepEqual(await call.placed, { outcome: "not_placed", code: end.text });
    assert.equal((await call.report).reason, "manual_stopped");
  });
}

test("one that ends so by itself, or with a process that stops, is placed again", async () => {
  for (const stop of [undefined, "agent_hangup", "error_unknown"] as const) {
    const { begin, trunk, opened } = aLine();
    const call = begin();
    await opened();
    if (stop) call.stop(stop);
    trunk.events!.ended(UNREACHABLE);
    assert.deepEqual(await call.placed, { outcome: "not_placed", code: UNREACHABLE.text, retryAfterMs: 5_000 });
  }
});

test("of one that is stopped while the trunk is silent nobody can say whether it rang", async () => {
  const { begin, trunk, opened } = aLine();
  const call = begin();
  await opened();
  call.stop("manual_stopped");
  trunk.events!.ended(SILENT);
  assert.deepEqual(await call.placed, { outcome: "uncertain", code: SILENT.text });
  assert.equal((await call.report).reason, "manual_stopped");
});

test("the report says what carried the sound last, and that it was encrypted only where it always was", async () => {
  const plain = { codec: "PCMU" } as RemoteMedia;
  const sealed = { codec: "opus", srtp: { localKey: "a", remoteKey: "b" } } as RemoteMedia;
  for (const [remotes, carried] of [
    [[plain], { codec: "pcmu", encrypted: false }],
    [[sealed], { codec: "opus", encrypted: true }],
    [[sealed, { ...sealed, codec: "G722" }], { codec: "g722", encrypted: true }],
    [[sealed, plain, sealed], { codec: "opus", encrypted: false }],
  ] as const) {
    const { begin, trunk, opened } = aLine();
    const call = begin();
    await opened();
    trunk.events!.answered!(remotes[0]);
    for (const remote of remotes.slice(1)) trunk.events!.media!(remote);
    trunk.events!.ended({ cause: "they_hung_up", text: "BYE", reason: "user_hangup", mayHaveArrived: true });
    assert.deepEqual((await call.report).carried, carried);
  }
});

test("a call that cannot be signalled, or has no sound, has an end", async () => {
  const unsignalled = aLine(() => {
    throw new Error("the agent is closed");
  });
  const one = unsignalled.begin();
  await unsignalled.opened();
  const silent = aLine();
  const other = silent.begin();
  silent.local.reject(new Error("no port is free"));
  for (const [call, code] of [
    [one, "the agent is closed"],
    [other, "no port is free"],
  ] as const) {
    assert.deepEqual(await call.placed, { outcome: "not_placed", code, retryAfterMs: 1_000 });
    assert.deepEqual([(await call.report).status, (await call.report).reason], ["not_connected", "dial_failed"]);
  }
});

test("a call to us that has no sound, or is stopped before it has one, is turned away", async () => {
  const silent = aLine();
  const one = silent.take();
  silent.local.reject(new Error("no port is free"));
  assert.equal((await one.report).status, "not_connected");
  const early = aLine();
  const other = early.take();
  other.stop("manual_stopped");
  await early.opened();
  assert.equal((await other.report).reason, "manual_stopped");
  assert.ok(silent.trunk.hungUp > 0 && early.trunk.hungUp > 0);
});
