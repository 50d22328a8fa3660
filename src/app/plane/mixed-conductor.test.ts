import assert from "node:assert/strict";
import { test } from "node:test";
import type { Conductor, ScriptedContact, TextCall } from "#ports/scripted-contact.ts";
import { aPlan, NOON } from "#test/support/calls/plan.ts";
import { until } from "#test/support/time/until.ts";
import { mixedConductor } from "./mixed-conductor.ts";

/** Calls with sound last until they are ended by hand; `held` has what became of each call, in order. */
function aMixed(atOnce: number, largest: number, room: () => number = () => atOnce) {
  const open: (() => void)[] = [];
  const held: string[] = [];
  const result = {} as Awaited<ReturnType<Conductor>>;
  const conduct = mixedConductor({
    audio: async ({ plan }) => {
      held.push(`audio ${plan.contactPhone}`);
      await new Promise<void>((resolve) => open.push(resolve));
      return result;
    },
    text: async ({ plan }) => {
      held.push(`text ${plan.contactPhone}`);
      return result;
    },
    atOnce,
    room,
    largest,
  });
  const call = (
    contactPhone: string,
    campaignSize?: number,
    stop = new AbortController().signal,
    more: Partial<ScriptedContact> = {},
  ) => {
    const plan = aPlan({ contactPhone, ...(campaignSize === undefined ? {} : { campaignSize }) });
    const contact = { answerer: "human" as const, says: [], ...more };
    const call: TextCall = {
      plan,
      contact,
      answeredAt: NOON,
      stop,
      stopReason: () => "manual_stopped",
      takeInjected: () => undefined,
      reach: async () => {},
    };
    return conduct(call, async () => {});
  };
  return { call, open, held };
}

test("a single call and those of a small campaign have audio, those of a large one have none", async () => {
  const { call, open, held } = aMixed(10, 5);
  const calls = [call("single"), call("small", 5), call("large", 6)];
  await until("all are held", async () => held.length >= 3);
  for (const end of open) end();
  await Promise.all(calls);
  assert.deepEqual(held.sort(), ["audio single", "audio small", "text large"]);
});

test("a call that the processes have no room for waits until one ends, and is text where none is held", async () => {
  let room = 0;
  const { call, open, held } = aMixed(10, 5, () => room);
  await call("nobody before it");
  assert.deepEqual(held, ["text nobody before it"]);
  room = 1;
  const first = call("first");
  await until("it is held", async () => held.length === 2);
  room = 0;
  const second = call("second");
  await new Promise(setImmediate);
  assert.equal(held.length, 2);
  open[0]!();
  await first;
  await until("the second is held", async () => held.length === 3);
  assert.deepEqual(held.slice(1), ["audio first", "audio second"]);
  open[1]!();
  await second;
});

test("where no call can have audio, every call is text", async () => {
  const { call, held } = aMixed(0, 5);
  await call("single");
  assert.deepEqual(held, ["text single"]);
});

test("calls beyond the audio capacity wait for their turn in order, and one that is stopped meanwhile ends at once", async () => {
  const { call, open, held } = aMixed(1, 5);
  const stop = new AbortController();
  const first = call("1");
  const stopped = call("2", 1, stop.signal);
  const third = call("3");
  stop.abort();
  await until("the second is over", async () => held[1] === "text 2");
  await stopped;
  open[0]!();
  await first;
  await until("the third has audio", async () => open.length >= 2);
  open[1]!();
  await third;
  assert.deepEqual(held, ["audio 1", "text 2", "audio 3"]);
});

test("calls that would wait behind as many as the largest campaign's are in words", async () => {
  const { call, open, held } = aMixed(1, 1);
  const calls = [call("1"), call("2")];
  calls.push(call("3"));
  await until("two are held", async () => held.length >= 2);
  assert.deepEqual(held.toSorted(), ["audio 1", "text 3"]);
  open[0]!();
  await until("the second has audio", async () => open.length >= 2);
  open[1]!();
  await Promise.all(calls);
});

test("a call by microphone has audio at once, and a place that becomes free only after it goes to no waiting call before", async () => {
  const { call, open, held } = aMixed(1, 1);
  const line = { listen() {}, send() {}, close() {} };
  const calls = [call("1"), call("2"), call("spoken", 900, undefined, { line })];
  await until("the spoken one has audio", async () => held.length >= 2);
  assert.deepEqual(held, ["audio 1", "audio spoken"]);
  open[0]!();
  await calls[0];
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(held.length, 2, "the second waits: one has audio, which is the limit");
  open[1]!();
  await until("the second has audio", async () => open.length >= 3);
  open[2]!();
  await Promise.all(calls);
});
