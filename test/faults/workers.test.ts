import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { until } from "#test/support/api/parley.ts";
import { startProxy, targetOf } from "#test/support/database/tcp-proxy.ts";
import { assertPromises } from "./checkers.ts";
import { holdBeforeCarrier, type Release } from "./hold.ts";
import { killRun, LATE_RECEIPTS_MS, rateFor } from "./kill-run.ts";
import { aRun, type Campaign, drained, newPhones, noon, say } from "./load.ts";
import { options, promised, scenario, size, wants } from "./scenario.ts";
import { startWorld, type Worker, type World } from "./world.ts";

/** A node that vanished without a word is settled within this. */
const LOST_WITHIN_MS = promised(30_000);

/** One of these is enough to start, and not for much more. */
const SMALL_HEAPS_MB = [36, 44, 52, 60, 72];

/** A worker with so little memory that it only just starts. */
async function aSmallWorker(world: World): Promise<{ small: Worker; heapMb: number }> {
  for (const heapMb of SMALL_HEAPS_MB) {
    const small = await world.startWorker({ NODE_OPTIONS: `--max-old-space-size=${heapMb}` }).catch(() => undefined);
    if (small) return { small, heapMb };
  }
  throw new Error(`no worker starts with ${SMALL_HEAPS_MB.at(-1)} MB`);
}

/**
 * Has a campaign go out until a worker has claimed texts, which then stands before its last look whether it may hand them over, and does not
 * go on before `release`. That worker, and how many texts.
 */
async function caught(
  world: World,
  campaign: () => Promise<Campaign>,
): Promise<{ worker: Worker; texts: number; release: Release }> {
  const release = await holdBeforeCarrier(world);
  const { campaignId } = await campaign();
  const open = await until("a worker has texts on their way", async () => {
    const rows = await world.sql<{ node_id: string; n: number }>(
      `select attempts.node_id, count(*)::int as n from attempts
       join campaigns on campaigns.tenant_id = attempts.tenant_id and campaigns.id = attempts.campaign_id
       where campaigns.campaign_id = $1 and attempts.state = 'in_flight' group by attempts.node_id`,
      [campaignId],
    );
    return rows[0];
  });
  const worker = world.workers.find((worker) => worker.nodeId() === open.node_id);
  assert.ok(worker, "they are of a worker that we started");
  return { worker, texts: open.n, release };
}

const openOf = async (world: World, worker: Worker) =>
  (
    await world.sql<{ n: number }>(
      "select count(*)::int as n from attempts where node_id = $1 and state in ('in_flight', 'uncertain')",
      [worker.nodeId()],
    )
  )[0]!.n;

/** Stops a worker where it stands in the transaction of a claim, with everything that it has locked. */
async function freezeInClaim(world: World, begin: () => Promise<unknown>): Promise<Worker> {
  const holder = new pg.Client(world.databaseUrl);
  await holder.connect();
  await holder.query("begin; lock table attempts in share mode");
  await begin();
  const claiming = await until("a worker waits to enter what it has claimed", async () => {
    const rows = await world.sql<{ id: string }>(
      `select nodes.id from pg_stat_activity join nodes on process_id::text = right(application_name, 36) and lost_at is null
       where datname = current_database() and wait_event_type = 'Lock' and query like '%insert into attempts%'
         and application_name like 'parley worker %'`,
    );
    return rows[0];
  });
  const worker = world.workers.find((worker) => worker.nodeId() === claiming.id);
  assert.ok(worker, "it is one that we started");
  worker.freeze();
  await holder.end();
  return worker;
}

test("workers that die, stop and vanish under load", async (t) => {
  const kills: Parameters<typeof killRun>[1] = {
    texts: size(options.texts, 1_000, 20_000),
    kills: size(options.kills, 6, 100),
    everyMs: options.minutes ? (options.minutes * 60_000) / size(options.kills, 6, 100) : 2_000,
    seed: options.seed,
  };

  await scenario(t, "F05", "kill -9 of workers, again and again, with 3 % of the carrier's replies lost", async (t) => {
    const world = await startWorld(t, {
      workers: 2,
      env: {
        PARLEY_SIMULATOR_LOST_REPLY_RATE: String(options.lost),
        PARLEY_SIMULATOR_RATE: String(rateFor(kills)),
        PARLEY_SIMULATOR_LATENCY_MS: "200",
        PARLEY_SIMULATOR_RECEIPT_MS: LATE_RECEIPTS_MS,
      },
    });
    return killRun(world, kills);
  });

  await scenario(
    t,
    "F05-receipt",
    "the same with a carrier that cannot be queried, only reports by receipt",
    async (t) => {
      const run = { ...kills, texts: Math.ceil(kills.texts / 5), kills: Math.ceil(kills.kills / 2), unknownPerKill: 8 };
      const world = await startWorld(t, {
        workers: 2,
        env: {
          PARLEY_SIMULATOR_REPORTS: "receipt",
          PARLEY_SIMULATOR_LOST_REPLY_RATE: String(options.lost),
          PARLEY_SIMULATOR_RATE: String(rateFor(run)),
          PARLEY_SIMULATOR_LATENCY_MS: "100",
        },
      });
      return killRun(world, run);
    },
  );

  if (!wants("F08-transaction", "F08", "F09", "F10", "F36-node")) return;
  // Where it is about memory, texts pile up.
  const env = { PARLEY_SIMULATOR_LATENCY_MS: wants("F10") ? "900" : "0" };
  const world = await startWorld(t, { workers: 2, env });
  await noon(world);
  const campaign = (count = 60) => aRun(world, { phones: newPhones(world, count), agent: { drip_schedule: [] } });

  await scenario(t, "F08-transaction", "a worker stopped (SIGSTOP) in the transaction of a claim", async () => {
    const phones = newPhones(world, 60);
    const worker = await freezeInClaim(world, () => aRun(world, { phones, agent: { drip_schedule: [] } }));
    const stoppedAt = Date.now();
    await say(world, phones[0]!, "STOP");
    await until(
      "others send what it had claimed, and the STOP is in",
      async () => {
        const [row] = await world.sql<{ sent: number; stopped: number }>(
          `select (select count(*)::int from simulator_texts where direction = 'to_handset' and handset = any($1::text[])) as sent,
             (select count(*)::int from consents where phone = $2 and opted_out_at is not null) as stopped`,
          [phones, phones[0]],
        );
        return row!.stopped === 1 && row!.sent >= phones.length - 1;
      },
      LOST_WITHIN_MS,
    );
    const freeMs = Date.now() - stoppedAt;
    await drained(world);
    worker.thaw();
    await isBack(world);
    await drained(world);
    return {
      tried: { texts: phones.length },
      found: { ...(await assertPromises(world)), freeMs },
      says: `a worker stood still in a claim of ${phones.length} texts, with its lane and their contacts locked; ${freeMs} ms later others had sent them, and a STOP of one of them was in.`,
    };
  });

  await scenario(t, "F08", "a worker stopped (SIGSTOP) past its lease, and woken", async () => {
    const { worker, texts, release } = await caught(world, campaign);
    worker.freeze();
    const stoppedAt = Date.now();
    assert.equal(await openOf(world, worker), texts);
    await release();
    await until("others settle what it has", async () => (await openOf(world, worker)) === 0, LOST_WITHIN_MS);
    const settledMs = Date.now() - stoppedAt;
    if (options.long) await pause(30_000 - settledMs);
    await drained(world);
    worker.thaw();
    await isBack(world);
    await drained(world);
    const found = await assertPromises(world);
    return {
      tried: { texts, stoppedForMs: Date.now() - stoppedAt },
      found: { ...found, settledMs },
      says: `a worker stood still with ${texts} texts claimed; others had settled and sent them after ${settledMs} ms, and once awake it sent none of them.`,
    };
  });

  await scenario(t, "F09", "a worker stopped, and its session with the database ended meanwhile", async () => {
    const { worker, texts, release } = await caught(world, campaign);
    worker.freeze();
    const stoppedAt = Date.now();
    assert.equal(await openOf(world, worker), texts);
    await release();
    // Of this database alone: the same server has the workers of other tests.
    await world.sql(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name like $1",
      ["parley node %"],
    );
    await until("others settle what it has", async () => (await openOf(world, worker)) === 0);
    const settledMs = Date.now() - stoppedAt;
    worker.thaw();
    await isBack(world);
    await drained(world);
    const found = await assertPromises(world);
    return {
      tried: { texts },
      found: { ...found, settledMs },
      says: `the place of a worker that stood still was lost at once, its ${texts} texts were settled after ${settledMs} ms; awake, it asked its clock and sent none.`,
    };
  });

  await scenario(t, "F10", "a worker that runs out of memory", async () => {
    const { small, heapMb } = await aSmallWorker(world);
    await campaign(3_000);
    await drained(world);
    const found = await assertPromises(world);
    const died = small.ended();
    await small.kill();
    world.workers.splice(world.workers.indexOf(small), 1);
    return {
      tried: { texts: 3_000, heapMb },
      found: { ...found, died: died ?? null },
      says: `a worker with ${heapMb} MB of heap ${died ? `died with ${died}` : "lived"}; all texts were sent once.`,
    };
  });

  await scenario(t, "F36-node", "a worker whose network is gone while all its sessions seem open", async (t) => {
    const proxy = await startProxy(t, targetOf(world.databaseUrl));
    const far = await world.startWorker({ DATABASE_URL: proxy.url(world.databaseUrl) });
    const near = world.workers.filter((worker) => worker !== far);
    const { worker, texts, release } = await caught(world, () => {
      // Only the far one is left to claim.
      for (const worker of near) worker.freeze();
      return campaign();
    });
    assert.equal(worker, far);
    proxy.set({ partition: true });
    const goneAt = Date.now();
    assert.equal(await openOf(world, far), texts);
    await release();
    for (const worker of near) worker.thaw();
    await until("others settle what it has", async () => (await openOf(world, far)) === 0, LOST_WITHIN_MS);
    const settledMs = Date.now() - goneAt;
    await drained(world);
    proxy.set({});
    await until(
      "the lost one is back under a new place",
      async () => (await world.sql("select id from nodes where lost_at is null")).length >= 3,
    );
    await drained(world);
    const found = await assertPromises(world);
    await far.kill();
    world.workers.splice(world.workers.indexOf(far), 1);
    return {
      tried: { texts },
      found: { ...found, settledMs },
      says: `nothing came or went any more with ${texts} texts on their way; others settled them after ${settledMs} ms, and the lost worker came back without sending one again.`,
    };
  });
});

/** Waits until a worker that was taken for dead has a new place. */
const isBack = (world: World): Promise<unknown> =>
  until("it takes a new place", async () => {
    const rows = await world.sql("select id from nodes where lost_at is null");
    return rows.length >= 2;
  });
