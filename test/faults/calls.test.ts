import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { isAlive } from "#app/embedded-postgres/process.ts";
import { publicId } from "#domain/values/id.ts";
import { until } from "#test/support/api/parley.ts";
import { moveClock, traffic } from "#test/support/messaging/handset.ts";
import { childrenOf } from "#test/support/processes/children.ts";
import {
  callsOf,
  callThem,
  idleSpeechToText,
  type KnownCall,
  phonesTake,
  recordedBy,
  servedMs,
  talking,
  withSound,
} from "./live-calls.ts";
import { newPhones } from "./load.ts";
import { options, promised, scenario, size, wants } from "./scenario.ts";
import { startWorld, type World } from "./world.ts";

/** The limits: from the death to the record, and of each recording. */
const ENDS_WITHIN_MS = promised(30_000);
const MAY_LOSE_MS = 5_000;
/** Every answered call's recording, against its duration. */
const OFF_BY = 0.02;
/** For a node that has been started anew to find what it had left behind. */
const ADOPTED_WITHIN_MS = 60_000;
/** How long redials talk: too short for our first word to be late. */
const TALK_AGAIN_MS = 500;
/** On a machine so slow that calls were abandoned (domain/calls/abandonment.ts) these are placed one by one. */
const REDIALED_WITHIN_MS = 240_000;

/**
 * For how long the main thread of a process was ready to run and had to wait for a processor, in milliseconds: so much may its sound be late
 * where a short run has others beside it. Linux only.
 */
const waitedMs = (pid: number): number =>
  options.long ? 0 : Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[1]) / 1e6;

type Cut = { ended: KnownCall[]; endedMs: number };

/** Waits until as many calls of a campaign as are wanted have ended as errors, and says how long after the death that was. */
async function endAsErrors(world: World, campaignId: string, count: number, killedAt: number): Promise<Cut> {
  const ended = await until(
    `${count} calls have ended as errors`,
    async () => {
      const errors = (await callsOf(world, campaignId)).filter(({ status }) => status === "error");
      return errors.length === count && errors;
    },
    ENDS_WITHIN_MS,
  );
  assert.deepEqual([...new Set(ended.map(({ reason }) => reason))], ["error_unknown"]);
  return { ended, endedMs: Date.now() - killedAt };
}

/**
 * What each recording lacks at its end, in milliseconds, most first: from the death back to the last sound that is served. A machine that is late
 * answers before it has a sound, so that time counts from when the recording began; and its sound is late by `lateMs` at most.
 */
async function lostSound(
  world: World,
  begun: ReadonlyMap<string, number>,
  cut: Cut,
  { killedAt, lateMs }: { killedAt: number; lateMs: number },
) {
  const lost: number[] = [];
  for (const { id } of cut.ended) {
    const ms = await until(`the recording of ${id} is served`, () => servedMs(world, id), ADOPTED_WITHIN_MS);
    lost.push(Math.round(killedAt - begun.get(id)! - ms));
  }
  lost.sort((a, b) => b - a);
  world.t.diagnostic(`sound that is lost, ms by call: ${lost.join(" ")}`);
  assert.ok(lost[0]! <= MAY_LOSE_MS + lateMs, `a recording lost ${lost[0]} ms, its process was ${lateMs} ms late`);
  return { max: lost[0]!, median: lost[lost.length >> 1]! };
}

/** Lets the planned redials be placed and come to their end. How many were planned, and what the carrier's own records say of all of it. */
async function redial(world: World, campaignId: string, phones: readonly string[], cut: readonly KnownCall[]) {
  const planned = await world.sql<{ thread_id: string; purpose: string; n: number }>(
    `select dial.thread_id, dial.purpose, dial.n from dials dial
     join campaigns on campaigns.tenant_id = dial.tenant_id and campaigns.id = dial.campaign_id
     where campaigns.campaign_id = $1 and dial.state = 'scheduled'`,
    [campaignId],
  );
  assert.deepEqual([planned.length, new Set(planned.map((dial) => dial.thread_id)).size], [cut.length, cut.length]);
  assert.ok(planned.every(({ purpose, n }) => purpose === "redial" && n === 2));
  await phonesTake(world, phones, TALK_AGAIN_MS);
  await moveClock(world.api, { advance_ms: 120_000 });
  await until(
    "the campaign is over",
    async () => (await world.api.get(`/v1/voice/campaigns/${campaignId}`)).body.campaign.status === "completed",
    REDIALED_WITHIN_MS,
  );
  const rang = await world.sql<{ handset: string; times: number; dials: number }>(
    `select handset, count(*)::int as times, count(distinct n)::int as dials from simulator_calls where campaign = $1 group by handset`,
    [campaignId],
  );
  const again = new Set(cut.map(({ phone }) => phone));
  assert.equal(rang.length, phones.length);
  for (const { handset, times, dials } of rang) {
    assert.deepEqual([handset, times, dials], [handset, again.has(handset) ? 2 : 1, again.has(handset) ? 2 : 1]);
  }
  const { calls } = await traffic(world.api, campaignId);
  assert.deepEqual([calls.duplicates, calls.outside_window], [0, 0]);
  return { redials: planned.length, placed: calls.accepted as number, doubles: calls.duplicates as number };
}

async function aWorld(t: TestContext): Promise<World> {
  return startWorld(t, { workers: 1, env: withSound(await idleSpeechToText(t)) });
}

test("processes that hold live calls with sound and are killed", async (t) => {
  const count = size(options.texts, 50, 200);
  if (!wants("F41-node", "F41-process")) return;
  const world = await aWorld(t);
  const phones = () => newPhones(world, count);

  await scenario(t, "F41-node", "kill -9 of a media node with live calls, and another in its place", async () => {
    const them = phones();
    await phonesTake(world, them);
    const media = await world.startMedia();
    const campaignId = await callThem(world, them);
    const begun = await talking(world, campaignId, count);
    const children = childrenOf(media.pid);
    const death = { killedAt: Date.now(), lateMs: Math.max(...children.map(waitedMs)) };
    const { killedAt } = death;
    await media.kill();
    const next = world.startMedia();
    next.catch(() => {});
    const cut = await endAsErrors(world, campaignId, count, killedAt);
    const { ended, endedMs } = cut;
    await next;
    const lostMs = await lostSound(world, begun, cut, death);
    await until("nobody talks on behind the node's back", async () => !children.some(isAlive));
    const found = await redial(world, campaignId, them, ended);
    await (await next).kill();
    return {
      tried: { calls: count, processes: children.length },
      found: { ...found, endedMs, lostMs, adopted: ended.length },
      says:
        `a media node died with ${count} live calls: all records ended as error within ${endedMs} ms, ${ended.length} recordings were adopted and lack ` +
        `${lostMs.max} ms at most, ${found.redials} redials were planned and placed, ${found.doubles} calls were double.`,
    };
  });

  await scenario(t, "F41-process", "kill -9 of one of two processes that hold a node's sound", async () => {
    const them = phones();
    await phonesTake(world, them);
    const media = await world.startMedia();
    const campaignId = await callThem(world, them);
    const begun = await talking(world, campaignId, count);
    const held = childrenOf(media.pid).map((pid) => ({ pid, calls: recordedBy(pid) }));
    assert.deepEqual([held.length, held.flatMap(({ calls }) => calls).length], [2, count]);
    const [victim] = held.toSorted((a, b) => b.calls.length - a.calls.length);
    const death = { killedAt: Date.now(), lateMs: waitedMs(victim!.pid) };
    const { killedAt } = death;
    process.kill(victim!.pid, "SIGKILL");
    const cut = await endAsErrors(world, campaignId, victim!.calls.length, killedAt);
    const { ended, endedMs } = cut;
    assert.deepEqual(ended.map(({ id }) => id).sort(), victim!.calls);
    const lostMs = await lostSound(world, begun, cut, death);
    const spared = (await callsOf(world, campaignId)).filter(({ status }) => status === "ongoing");
    assert.equal(spared.length, count - ended.length);
    for (const { id } of spared) await world.api.post(`/v1/voice/calls/${publicId("call", id)}/stop`);
    const whole = await until("the others end as they should", async () => {
      const ids = new Set(spared.map(({ id }) => id));
      const over = (await callsOf(world, campaignId)).filter((call) => ids.has(call.id) && call.status === "ended");
      return over.length === spared.length && over;
    });
    const lateMs = Math.max(...held.filter((worker) => worker !== victim).map(({ pid }) => waitedMs(pid)));
    for (const { id, duration_ms } of whole) {
      const ms = await servedMs(world, id);
      const mayBeOff = Math.max(duration_ms * OFF_BY, lateMs);
      assert.ok(Math.abs(ms! - duration_ms) <= mayBeOff, `${ms} ms recorded of ${duration_ms}`);
    }
    const found = await redial(world, campaignId, them, ended);
    assert.equal(media.ended(), undefined);
    await media.kill();
    return {
      tried: { calls: count, killed: ended.length },
      found: { ...found, endedMs, lostMs, whole: whole.length },
      says:
        `a process died with ${ended.length} of ${count} live calls: their records ended as error within ${endedMs} ms, their recordings lack ${lostMs.max} ms at ` +
        `most, ${found.redials} redials were placed, ${found.doubles} double; the other ${whole.length} calls went on and are recorded whole.`,
    };
  });
});
