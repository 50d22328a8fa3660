import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { test } from "node:test";
import { until } from "#test/support/api/parley.ts";
import { createDatabase } from "#test/support/database/database.ts";
import { isInstalled, startPgBouncer } from "#test/support/database/pgbouncer.ts";
import { runLanes } from "#test/support/messaging/lane-jobs.ts";
import { startProcess } from "#test/support/processes/processes.ts";
import { aFolder } from "#test/support/source/folder.ts";
import { assertPromises } from "./checkers.ts";
import { holdCarrier } from "./hold.ts";
import { aRun, drained, newPhones, noon } from "./load.ts";
import { scenario, wants } from "./scenario.ts";
import { startWorld, type Worker, type World } from "./world.ts";

/** Debian's; the wrapper that comes with it would be the process that we kill, and not the worker. */
const [FAKETIME] = globSync("/usr/lib/*/faketime/libfaketimeMT.so.1");

/** In each of them it looks for nodes that died: worker.ts. */
const ROUNDS = 4;

/** Waits until a worker has proved its place so many times, which is twice a second of its own time. */
async function goesRound(world: World, worker: Worker): Promise<void> {
  const seen = new Set<string>();
  await until(`it has gone round ${ROUNDS} times`, async () => {
    const rows = await world.sql<{ at: string }>(
      `select query_start::text as at from pg_stat_activity
       where datname = current_database() and application_name = 'parley node ' || $1`,
      [worker.nodeId()],
    );
    for (const { at } of rows) seen.add(at);
    return seen.size > ROUNDS;
  });
}

test("clocks that are wrong, and clocks that jump by law", async (t) => {
  if (!wants("F19", "F20")) return;
  const world = await startWorld(t, { workers: 0 });
  const taken = async () =>
    (
      await world.sql<{ n: number }>("select count(*)::int as n from simulator_texts where direction = 'to_handset'")
    )[0]!.n;

  const onTheirWay = async (worker: Worker) =>
    (
      await world.sql<{ n: number }>(
        "select count(*)::int as n from attempts where node_id = $1 and state = 'in_flight'",
        [worker.nodeId()],
      )
    )[0]!.n;
  /** In seconds from the database's now: when its death was found, and when the last of its texts is looked up. */
  const deathOf = async (worker: Worker) =>
    (
      await world.sql<{ lostS: number | null; checkS: number | null }>(
        `select extract(epoch from lost_at - clock_timestamp())::float8 as "lostS",
           (select max(extract(epoch from check_at - clock_timestamp()))::float8 from attempts where node_id = nodes.id) as "checkS"
         from nodes where id = $1`,
        [worker.nodeId()],
      )
    )[0]!;

  await scenario(t, "F19", "a worker's clock hours ahead of the database's, and hours behind", async () => {
    if (!FAKETIME) return { skip: "faketime is not installed" };
    // Two hours from a noon are within calling hours, either way: nothing but the wrong clock holds the texts.
    await noon(world);
    const { campaignId } = await aRun(world, { phones: newPhones(world, 40), agent: { drip_schedule: [] } });
    const alarms: string[] = [];
    const startWrong = async (offset: string) => {
      const worker = await world.startWorker({
        LD_PRELOAD: FAKETIME,
        FAKETIME: offset,
        FAKETIME_DONT_FAKE_MONOTONIC: "1",
      });
      await until("it says what is wrong", async () => /clock is wrong/.test(worker.said.join("")));
      return worker;
    };
    for (const offset of ["+2h", "-2h"]) {
      const before = await taken();
      const worker = await startWrong(offset);
      await runLanes(world.sql);
      assert.equal((await taken()) - before, 0, `nothing is sent by a clock that is ${offset} off`);
      alarms.push(/"skewMs":(-?\d+)/.exec(worker.said.join(""))?.[1] ?? "");
      world.workers.splice(world.workers.indexOf(worker), 1);
      await worker.kill();
    }
    const postOnce = () =>
      world.api.post("/v1/organizations", { name: "Once" }, { headers: { "idempotency-key": "an hour ago" } });
    const { body: made } = await postOnce();
    await world.sql("update idempotency_keys set started_at = started_at - interval '1 hour'");
    const wrong = await startWrong("+25h");
    const release = await holdCarrier(world);
    const killed = await world.startWorker();
    await until("a worker with a right clock has texts on their way", async () => (await onTheirWay(killed)) > 0);
    world.workers.splice(world.workers.indexOf(killed), 1);
    await killed.kill();
    await release();
    await goesRound(world, wrong);
    assert.equal((await deathOf(killed)).lostS, null, "a wrong clock dates nobody's death");
    await world.startWorker();
    await until("a right one has found it dead", async () => (await deathOf(killed)).lostS !== null);
    const { lostS, checkS } = await deathOf(killed);
    assert.ok(Math.abs(lostS!) < 60, `its death is dated ${lostS} s from now`);
    // Null: it has been looked up already.
    assert.ok(checkS === null || Math.abs(checkS) < 60, `what it had in flight is looked up ${checkS} s from now`);
    await until("a worker with a right clock has dealt with them", async () => {
      const { body } = await world.api.get(`/v1/campaigns/${campaignId}`);
      return body.campaign.counts.scheduled + body.campaign.counts.sending === 0;
    });
    await drained(world);
    assert.equal((await postOnce()).body.unique_id, made.unique_id, "a repeat is known an hour later");
    world.workers.splice(world.workers.indexOf(wrong), 1);
    await wrong.kill();
    return {
      tried: { offsets: ["+2h", "-2h", "+25h"], texts: 40 },
      found: { ...(await assertPromises(world)), skewMs: alarms, lostS, checkS },
      says: "a worker hours off, either way, said so, sent nothing, found nobody dead and forgot nothing; one with a right clock went on.",
    };
  });

  await scenario(t, "F20", "the clocks change while texts wait for the morning", async () => {
    if (world.workers.length === 0) await world.startWorker();
    // The nights before both changes: held over the Sunday in the zones that change, and in those that do not.
    const zones = ["212", "312", "602", "808", "317", "787", "305", "415"];
    let n = 0;
    const phones = () => zones.flatMap((zone) => Array.from({ length: 10 }, () => `+1${zone}667${1_000 + n++}`));
    const runs: string[] = [];
    for (const [evening, change] of [
      ["2027-03-14T03:30:00Z", "2027-03-14"],
      ["2027-11-07T03:30:00Z", "2027-11-07"],
    ] as const) {
      await world.api.post("/v1/simulator/clock", { to: evening });
      const { campaignId } = await aRun(world, { phones: phones(), agent: { drip_schedule: [] }, name: change });
      runs.push(campaignId);
      // Half an hour at a time, through the night, the Sunday, and Monday morning.
      for (let half = 0; half < 90; half++) {
        await world.api.post("/v1/simulator/clock", { advance_ms: 1_800_000 });
        await drained(world);
      }
    }
    const found = await assertPromises(world);
    for (const campaignId of runs) {
      const { body } = await world.api.get(`/v1/campaigns/${campaignId}`);
      assert.equal(body.campaign.counts.delivered, zones.length * 10, JSON.stringify(body.campaign.counts));
    }
    return {
      tried: { texts: zones.length * 20, zones: zones.length, changes: 2 },
      found,
      says: `${zones.length * 20} texts waited over both nights on which the clocks change, in ${zones.length} places: each was sent once, none in a forbidden hour by the carrier's own reckoning.`,
    };
  });
});

test("a pooler that shares sessions", async (t) => {
  await scenario(
    t,
    "F18",
    "PgBouncer in transaction mode before the database, and no address for sessions of one's own",
    async (t) => {
      if (!isInstalled()) return { skip: "pgbouncer is not installed" };
      const { url, drop } = await createDatabase();
      t.after(drop);
      const folder = aFolder("pooler");
      const pooler = await startPgBouncer(t, url);
      const worker = await startProcess(t, "worker", { DATABASE_URL: pooler.url, PARLEY_DATA_DIR: folder });
      await until("it ends", async () => worker.ended() !== undefined);
      const said = worker.said.join("");
      assert.match(said, /pooler that shares sessions.*set DATABASE_SESSION_URL/);
      assert.equal(worker.ended(), "1");
      return {
        tried: { poolMode: "transaction" },
        found: { exit: worker.ended() },
        says: `refused to start: "${said.trim().split("\n").at(-1)}"`,
      };
    },
  );
});
