import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "#test/support/api/parley.ts";
import { assertPromises } from "./checkers.ts";
import { hold, holdCarrier, type Release, TO_THE_CARRIER, waiting, waitsFor } from "./hold.ts";
import { LATE_RECEIPTS_MS, receiptsCome, SETTLED_WITHIN_MS } from "./kill-run.ts";
import { aRun, drained, newPhones, noon, recoveries } from "./load.ts";
import { type Report, scenario, wants } from "./scenario.ts";
import { startWorld, type Worker, type World } from "./world.ts";

const TEXTS = 40;

type Open = { node_id: string; state: string; taken: boolean };

/** A campaign's attempts, and whether the carrier has them; but for what a worker put back that was held up before its last look. */
const attemptsOf = (world: World, campaignId: string) =>
  world.sql<Open>(
    `select attempts.node_id, attempts.state, text.ref is not null as taken from attempts
     join campaigns on campaigns.tenant_id = attempts.tenant_id and campaigns.id = attempts.campaign_id
     left join simulator_texts text on text.tenant_id = attempts.tenant_id and text.ref = attempts.ref
     where campaigns.campaign_id = $1 and attempts.state <> 'not_sent'`,
    [campaignId],
  );

const ownerOf = (world: World, attempts: readonly Open[]): Worker => {
  const worker = world.workers.find((worker) => worker.nodeId() === attempts[0]!.node_id);
  assert.ok(worker, "the attempts are of a worker that we started");
  return worker;
};

/** Kills the worker where it stands, lets the others go on, and sees how long they take to settle what it left open: so many texts. */
async function killThere(world: World, worker: Worker, left: number, release: Release): Promise<Report["found"]> {
  const killedAt = new Map([[worker.nodeId(), Date.now()]]);
  await worker.kill();
  await release();
  await drained(world);
  const times = await recoveries(world, killedAt);
  assert.equal(times.length, left, "others settled all that it left");
  const settledMs = times.at(-1) ?? 0;
  world.workers.splice(world.workers.indexOf(worker), 1);
  await receiptsCome(world);
  const found = await assertPromises(world);
  assert.equal(found.unknown, 0);
  assert.ok(settledMs < SETTLED_WITHIN_MS, `settled after ${settledMs} ms`);
  await world.startWorker();
  return { ...found, settled: times.length, settledMs };
}

/** A worker is killed that has handed its first batch over, of as many texts as given, and has written nothing of that down. */
async function killAfterTheCarrier(world: World, batch: number): Promise<Report["found"]> {
  const letTake = await holdCarrier(world);
  const { campaignId } = await aRun(world, { phones: newPhones(world, TEXTS), agent: { drip_schedule: [] } });
  await waitsFor(world, TO_THE_CARRIER);
  const release = await hold(world, "campaign_counts");
  await letTake();
  await waitsFor(world, "with result as");
  const open = await until("the carrier has all of a batch, and the ledger none", async () => {
    const byNode = Map.groupBy(await attemptsOf(world, campaignId), ({ node_id }) => node_id);
    return [...byNode.values()].find((all) => all.every(({ state, taken }) => state === "in_flight" && taken));
  });
  assert.equal(open.length, batch);
  return killThere(world, ownerOf(world, open), batch, release);
}

test("a worker that dies at each point of a text's way", async (t) => {
  if (!wants("F01", "F02", "F03", "F04")) return;
  const world = await startWorld(t, {
    workers: 2,
    env: { PARLEY_SIMULATOR_RECEIPT_MS: LATE_RECEIPTS_MS },
  });
  await noon(world);
  const campaign = () => aRun(world, { phones: newPhones(world, TEXTS), agent: { drip_schedule: [] } });

  await scenario(t, "F01", "kill -9 of a worker before its claim commits", async () => {
    const release = await hold(world, "attempts");
    const { campaignId } = await campaign();
    await waitsFor(world, "insert into attempts");
    // Whoever of the two stands there: neither has committed anything.
    const [first, second] = [...world.workers];
    await Promise.all([first!.kill(), second!.kill()]);
    await release();
    assert.equal((await attemptsOf(world, campaignId)).length, 0, "nothing of the claim is left");
    world.workers.length = 0;
    await Promise.all([world.startWorker(), world.startWorker()]);
    await drained(world);
    const found = await assertPromises(world);
    return {
      tried: { texts: TEXTS, killed: 2 },
      found,
      says: `both workers died with a claim of ${TEXTS} texts uncommitted; all stayed queued and were sent once by the next.`,
    };
  });

  await scenario(t, "F02", "kill -9 of a worker after its claim, before the carrier has anything", async () => {
    const letTake = await holdCarrier(world);
    const { campaignId } = await campaign();
    await waitsFor(world, TO_THE_CARRIER);
    const open = await attemptsOf(world, campaignId);
    assert.ok(
      open.every(({ state, taken }) => state === "in_flight" && !taken),
      "nothing was with the carrier yet",
    );
    assert.equal(open.length, TEXTS);
    const found = await killThere(world, ownerOf(world, open), TEXTS, async () => {
      // What it had last asked of the carrier dies with it: the carrier would else take it now.
      for (const { pid } of await waiting(world, TO_THE_CARRIER))
        await world.sql("select pg_terminate_backend($1, 10000)", [pid]);
      await letTake();
    });
    return {
      tried: { texts: TEXTS },
      found,
      says: `${open.length} texts were claimed and not handed over; looked up, absent, and sent once; settled in ${found.settledMs} ms.`,
    };
  });

  await scenario(t, "F03", "kill -9 of a worker after the carrier accepted, before that is written down", async () => {
    const found = await killAfterTheCarrier(world, TEXTS);
    return {
      tried: { texts: TEXTS },
      found,
      says: `${TEXTS} texts were with the carrier and not in the ledger; found there, none sent again; settled in ${found.settledMs} ms.`,
    };
  });

  await scenario(t, "F04", "kill -9 of a worker after all is written down, before its job is done", async () => {
    const letTake = await holdCarrier(world);
    const { campaignId } = await campaign();
    await waitsFor(world, TO_THE_CARRIER);
    const owner = ownerOf(world, await attemptsOf(world, campaignId));
    const release = await hold(world, "graphile_worker._private_jobs");
    await letTake();
    await until("all is settled", async () =>
      (await attemptsOf(world, campaignId)).every(({ state }) => state === "accepted"),
    );
    // Of the worker itself: the sweeps of all others wait for that table too.
    await until("the job is not done", async () => {
      const rows = await world.sql(
        `select pid from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and query ~ '_private_jobs|add_job'
           and right(application_name, 36) = (select process_id::text from nodes where id = $1)`,
        [owner.nodeId()],
      );
      return rows.length > 0;
    });
    const found = await killThere(world, owner, 0, release);
    return {
      tried: { texts: TEXTS },
      found,
      says: "the job of a finished batch was cut off; it was freed, ran again and had nothing to do.",
    };
  });
});

/** As many texts as a process has with a carrier that cannot be asked: operations/sending/drain-lane.ts. */
const IN_DOUBT = 8;

test("a worker that dies after the carrier accepted, where the carrier only reports by receipt", async (t) => {
  await scenario(
    t,
    "F03-receipt",
    "as F03, with a carrier that cannot be queried and reports by receipt",
    async (t) => {
      const world = await startWorld(t, {
        workers: 2,
        env: {
          PARLEY_SIMULATOR_REPORTS: "receipt",
          PARLEY_SIMULATOR_RECEIPT_MS: "1000",
        },
      });
      await noon(world);
      const found = await killAfterTheCarrier(world, IN_DOUBT);
      return {
        tried: { texts: TEXTS },
        found,
        says: `${IN_DOUBT} texts were with a carrier that cannot be asked; its receipts settled them in ${found.settledMs} ms, none was sent again or left unknown.`,
      };
    },
  );
});
