import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { until } from "#test/support/api/parley.ts";
import { startBalancer } from "#test/support/processes/balancer.ts";
import { assertPromises } from "./checkers.ts";
import { asker, isOverloaded, startClients } from "./clients.ts";
import {
  callsOf,
  callThem,
  idleSpeechToText,
  nodesOf,
  phonesTake,
  servedMs,
  talking,
  withSound,
} from "./live-calls.ts";
import { aRun, drained, newPhones, noon } from "./load.ts";
import { options, scenario, size, wants } from "./scenario.ts";
import { startWorld, type World } from "./world.ts";

/** A recording, against its call's duration: a busy machine answers before it has a sound. */
const RECORDING_OFF_BY = 0.2;
/** How long the phone stays on the line that is called before a restart. */
const STAYS_MS = 5_000;

/** Replaces a media node by SIGTERM while somebody is on the phone: that call goes on until the phone hangs up, and only then the node is gone. */
async function callOverRestart(t: TestContext, world: World) {
  const env = withSound(await idleSpeechToText(t));
  const old = await world.startMedia(env);
  const [phone] = newPhones(world, 1);
  await phonesTake(world, [phone!], STAYS_MS);
  const campaignId = await callThem(world, [phone!]);
  const callIs = (status: string) =>
    until(`the call is ${status}`, async () =>
      (await callsOf(world, campaignId)).find((call) => call.status === status),
    );
  await callIs("ongoing");
  const begin = performance.now();
  const [next] = await Promise.all([world.startMedia(env), old.kill("SIGTERM")]);
  const outlivedMs = Math.round(performance.now() - begin);
  assert.equal(old.ended(), "0", old.said.join("").slice(-500));
  const call = await callIs("ended");
  assert.ok(call.duration_ms >= STAYS_MS * 0.9, `it was cut off after ${call.duration_ms} ms`);
  await next.kill("SIGTERM");
  assert.equal(next.ended(), "0");
  return { found: { outlivedMs, reason: call.reason }, stopped: [old.nodeId(), next.nodeId()] };
}

/** Calls that are up on a node when it is stopped, and how long their phones stay on: another node has started by then. */
const CALLS_AT_FIRST = 6;
const STAY_FOR_ANOTHER_MS = 60_000;
const CALLS_AFTERWARDS = 4;

/** That every call of a campaign came to its own end, once a phone, with a recording that is as long as it was. */
async function assertWhole(world: World, campaignId: string, count: number, staysMs: number): Promise<number[]> {
  const ended = await until(
    `${count} calls have ended`,
    async () => {
      const calls = await callsOf(world, campaignId);
      return calls.length >= count && calls.every(({ status }) => !["registered", "ongoing"].includes(status)) && calls;
    },
    2 * STAY_FOR_ANOTHER_MS,
  );
  assert.deepEqual(
    ended.map(({ status, reason }) => `${status} ${reason}`),
    Array.from({ length: count }, () => "ended user_hangup"),
  );
  assert.equal(new Set(ended.map(({ phone }) => phone)).size, count);
  const served: number[] = [];
  for (const { id, duration_ms } of ended) {
    assert.ok(duration_ms >= staysMs * 0.9, `one was cut off after ${duration_ms} ms`);
    const ms = await until(`the recording of ${id} is served`, () => servedMs(world, id));
    assert.ok(Math.abs(ms - duration_ms) <= duration_ms * RECORDING_OFF_BY, `${ms} ms of ${duration_ms} are recorded`);
    served.push(ms);
  }
  return served;
}

test("instances are stopped and replaced", async (t) => {
  if (!wants("F38", "F38-media", "F38-late")) return;
  const world = await startWorld(t, { workers: 2, env: { PARLEY_SIMULATOR_LATENCY_MS: "50" } });
  await noon(world);

  await scenario(t, "F38", "rolling restarts (SIGTERM) of api and workers behind a balancer", async (t) => {
    const restarts = size(options.kills, 2, 30);
    const balancer = await startBalancer(t);
    // Longer than the balancer may take to look on a machine that has much else to do.
    const grace = { PARLEY_SHUTDOWN_GRACE_MS: "2000" };
    let old = await world.startApi(grace);
    balancer.instances.add(old.url!);
    const stopMs: number[] = [];
    const stopped: string[] = [];
    const clients = await startClients(t, balancer.url);
    await aRun(world, { phones: newPhones(world, 200 * restarts), agent: { drip_schedule: [] } });
    for (let i = 0; i < restarts; i++) {
      const [next] = await Promise.all([world.startApi(grace), world.startWorker()]);
      balancer.instances.add(next.url!);
      await until("the balancer uses the new one", async () => balancer.uses(next.url!));
      const worker = world.workers.shift()!;
      const begin = performance.now();
      await Promise.all([old.kill("SIGTERM"), worker.kill("SIGTERM")]);
      stopMs.push(performance.now() - begin);
      assert.equal(old.ended(), "0", old.said.join("").slice(-500));
      assert.equal(worker.ended(), "0", worker.said.join("").slice(-500));
      stopped.push(worker.nodeId());
      balancer.instances.delete(old.url!);
      old = next;
    }
    await clients.stop();
    const { failures, asked, turnedAway } = clients.seen;
    const call = await callOverRestart(t, world);
    await drained(world);
    stopped.push(...call.stopped);
    const left = await world.sql("select id, process_id, lost_at from nodes where id = any($1)", [stopped]);
    const found = await assertPromises(world);
    assert.deepEqual(failures, [], "no request was lost");
    assert.deepEqual(left, [], "every node has left by itself, with nothing to be looked up");
    return {
      tried: { restarts, requests: asked },
      found: {
        ...found,
        failedRequests: failures.length,
        turnedAway,
        leftBehind: left.length,
        call: call.found,
        stopMs: Math.round(Math.max(...stopMs)),
      },
      says: `${restarts} instances and as many workers were replaced while ${asked} requests came: 0 failed, none of the nodes left anything to be looked up, and a live call outlived its media node's SIGTERM by ${call.found.outlivedMs} ms.`,
    };
  });

  await scenario(t, "F38-media", "SIGTERM of one of two media nodes that have calls with sound", async (t) => {
    const env = { ...withSound(await idleSpeechToText(t)), PARLEY_CALL_GRACE_MS: String(2 * STAY_FOR_ANOTHER_MS) };
    const going = await world.startMedia(env);
    const phones = newPhones(world, CALLS_AT_FIRST + CALLS_AFTERWARDS);
    await phonesTake(world, phones.slice(0, CALLS_AT_FIRST), STAY_FOR_ANOTHER_MS);
    await phonesTake(world, phones.slice(CALLS_AT_FIRST), STAYS_MS);
    const first = await callThem(world, phones.slice(0, CALLS_AT_FIRST));
    await talking(world, first, CALLS_AT_FIRST);
    const staying = await world.startMedia(env);
    const up = (await callsOf(world, first)).filter(({ status }) => status === "ongoing").length;
    assert.equal(up, CALLS_AT_FIRST, "all of them are up when it is stopped");
    const begin = performance.now();
    const gone = going.kill("SIGTERM");
    const afterwards = await callThem(world, phones.slice(CALLS_AT_FIRST));
    const meanwhile = await assertWhole(world, afterwards, CALLS_AFTERWARDS, STAYS_MS);
    await gone;
    const outlivedMs = Math.round(performance.now() - begin);
    assert.equal(going.ended(), "0", going.said.join("").slice(-500));
    const recorded = [...meanwhile, ...(await assertWhole(world, first, CALLS_AT_FIRST, STAY_FOR_ANOTHER_MS))];
    const placed = await nodesOf(world, afterwards);
    assert.deepEqual([...new Set(placed.map(({ node_id }) => node_id))], [staying.nodeId()]);
    await staying.kill("SIGTERM");
    assert.equal(staying.ended(), "0");
    await drained(world);
    await assertPromises(world);
    return {
      tried: { upAtTheSignal: up, afterwards: CALLS_AFTERWARDS },
      found: { outlivedMs, shortestRecordingMs: Math.round(Math.min(...recorded)) },
      says: `a media node with ${up} calls got SIGTERM: each came to its own end with a recording of its length, ${CALLS_AFTERWARDS} new ones went to the other node, none was placed twice, and the node was gone after ${outlivedMs} ms.`,
    };
  });

  await scenario(t, "F38-late", "an instance that was late when it was stopped", async () => {
    // Of its three seconds it is half that late in the first moment, and a machine that is busy with other things is not for as long as it stops.
    const process = await world.startApi({ PARLEY_SHUTDOWN_GRACE_MS: "5000", PARLEY_OVERLOAD_MS: "1000" });
    const { ask, end } = asker(process.url!);
    // It wakes three seconds late for everything, and gets SIGTERM in the same moment.
    process.freeze();
    await pause(3_000);
    const gone = process.kill("SIGTERM");
    process.thaw();
    const begin = performance.now();
    let turnedAway = 0;
    await until("a list is made by an instance that stops", async () => {
      const answer = await ask("/v1/organizations");
      if (isOverloaded(answer)) turnedAway++;
      return answer.status === 200 && answer.headers.connection === "close";
    });
    const backMs = Math.round(performance.now() - begin);
    end();
    await gone;
    assert.equal(process.ended(), "0", process.said.join("").slice(-500));
    return {
      tried: { frozenMs: 3_000 },
      found: { turnedAway, backMs },
      says: `an instance that had stood still for 3 s when it was stopped turned ${turnedAway} lists away and made them again after ${backMs} ms.`,
    };
  });
});
