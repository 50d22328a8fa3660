import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";
import { aCampaign, aNoon, SENDER } from "../support/campaign.ts";
import { assertLedger, percentile } from "../support/ledger.ts";
import { type Parley, startParley, until } from "../support/parley.ts";
import { openClient, startWorkers } from "../support/worker-process.ts";

const isLong = process.env.PARLEY_TEST_LONG === "1";
const CONTACTS = isLong ? 10_000 : 2_000;
const SHARE_OF_STOPS = 0.05;
const KILL_EVERY_MS = 1_000;
const WITHIN_MS = isLong ? 270_000 : 55_000;
/** Batches of 500 would be through before the first kill: at this rate some are on their way at every kill. */
const TEXTS_PER_SECOND = isLong ? "200" : "120";
/** A carrier across the country: every kill finds texts that are claimed and not yet taken. */
const CARRIER_LATENCY_MS = "200";
const START_WITHIN_MS = 60_000;
const TERMINAL = ["delivered", "replied", "completed", "opted_out", "failed", "skipped", "expired"];

test("workers killed every second and lost replies cost no text, send none twice and none after a STOP", async (t) => {
  const settings = {
    PARLEY_SIMULATOR_LOST_REPLY_RATE: "0.03",
    PARLEY_SIMULATOR_RATE: TEXTS_PER_SECOND,
    PARLEY_SIMULATOR_LATENCY_MS: CARRIER_LATENCY_MS,
  };
  const api = await startParley(t, settings, ["api"]);
  const client = await openClient(t, api.databaseUrl);
  await aNoon(api);
  const phones = Array.from({ length: CONTACTS }, (_, i) => `+1212${String(4_000_000 + i * 7).padStart(7, "0")}`);
  const workers = startWorkers(t, api, 2, settings);
  // A worker that is still starting has nothing to lose: on a slow machine the next kill waits until both are up.
  const areBothUp = async () => {
    const { rows } = await client.query("select count(*)::int as n from nodes where lost_at is null");
    return rows[0].n >= 2;
  };
  await until("both workers are up", areBothUp, START_WITHIN_MS);
  const { campaignId } = await aCampaign(api, {
    contacts: phones.map((phone_number) => ({ phone_number, first_name: "Ann" })),
    // The silent minority says STOP; an agent's answers are another test's.
    agent: { drip_schedule: [{ day: 1, message: "Still there?" }] },
  });

  const run = new AbortController();
  const killed = killUntil(run.signal, areBothUp, () => workers.replaceOne());
  const stoppers = phones.filter((_, i) => i % (1 / SHARE_OF_STOPS) === 0);
  const stops = sayStop(api, stoppers, run.signal);
  let counts: Record<string, number>;
  try {
    counts = await until(
      "every recipient is terminal",
      async () => {
        const { body } = await api.get(`/v1/campaigns/${campaignId}`);
        const of = body.campaign.counts as Record<string, number>;
        const done = TERMINAL.reduce((sum, state) => sum + (of[state] ?? 0), 0);
        return done === CONTACTS && of;
      },
      WITHIN_MS,
    );
    assert.equal(await stops, stoppers.length);
    await until("every STOP is in", async () => {
      const { rows } = await client.query("select count(*)::int as n from consents where opted_out_at is not null");
      return rows[0].n === stoppers.length;
    });
  } catch (error) {
    t.diagnostic(JSON.stringify(await books(client)));
    t.diagnostic(`what the workers said: ${workers.complaints.join("").slice(-4_000)}`);
    throw error;
  } finally {
    run.abort();
  }
  const killedAt = await killed;
  const kills = killedAt.length;
  await until("nothing is open", async () => {
    const { rows } = await client.query(
      `select (select count(*) from attempts where state in ('in_flight', 'uncertain'))
         + (select count(*) from messages where kind = 'confirmation' and state in ('scheduled', 'sending')) as n`,
    );
    return Number(rows[0].n) === 0;
  });

  const { body: traffic } = await api.get(`/v1/simulator/traffic?campaign_id=${campaignId}`);
  const recoveries = await recoveryTimes(client, killedAt);
  const { rows: ledger } = await client.query(
    "select state, count(*)::int as n from attempts group by state order by 1",
  );
  t.diagnostic(
    JSON.stringify({
      contacts: CONTACTS,
      kills,
      stops: stoppers.length,
      traffic,
      attempts: Object.fromEntries(ledger.map(({ state, n }) => [state, n])),
      counts,
      recovered: recoveries.length,
      recoveryMs: {
        p50: percentile(recoveries, 0.5),
        p99: percentile(recoveries, 0.99),
        max: percentile(recoveries, 1),
      },
      deadlocks: await deadlocks(client),
      lockedJobs: await jobsOfTheDead(client),
    }),
  );
  // On a machine that is busy with other things a worker takes many seconds to start.
  assert.ok(kills >= 2, `${kills} workers were killed`);
  assert.deepEqual([traffic.duplicates, traffic.after_opt_out, traffic.outside_window], [0, 0, 0]);
  assert.equal(counts.unknown ?? 0, 0);
  const { rows } = await client.query(
    `select count(*)::int as n from attempts attempt join messages message on message.tenant_id = attempt.tenant_id
       and message.campaign_id = attempt.campaign_id and message.id = attempt.message_id
     where attempt.state = 'accepted'`,
  );
  assert.equal(traffic.accepted, rows[0].n, "the carrier took what the ledger says it took");
  await assertLedger(client);
  assert.equal(await jobsOfTheDead(client), 0, "no dead worker keeps a job");
});

/** Kills until the signal, one a second as long as there is something to kill; when it did. */
async function killUntil(
  signal: AbortSignal,
  isReady: () => Promise<boolean>,
  kill: () => Promise<void>,
): Promise<number[]> {
  const killedAt: number[] = [];
  while (!signal.aborted) {
    await pause(KILL_EVERY_MS, undefined, { signal }).catch(() => {});
    while (!signal.aborted && !(await isReady())) await pause(50);
    if (signal.aborted) break;
    killedAt.push(Date.now());
    await kill();
  }
  return killedAt;
}

/** Has handsets say STOP while the campaign runs, spread over it: each as soon as a share of the texts has come. */
async function sayStop(api: Parley, phones: readonly string[], signal: AbortSignal): Promise<number> {
  let said = 0;
  for (const phone of phones) {
    if (signal.aborted) break;
    const path = `/v1/simulator/handsets/${encodeURIComponent(phone)}/messages`;
    const { status } = await api.post(path, { to: SENDER, text: "STOP" });
    if (status < 300) said++;
    await pause((CONTACTS / Number(TEXTS_PER_SECOND) / phones.length) * 1000);
  }
  return said;
}

/** From a worker's death to the settling of each attempt that it had in flight, in milliseconds. */
async function recoveryTimes(client: pg.Client, killedAt: readonly number[]): Promise<number[]> {
  const { rows } = await client.query<{ lost_at: Date; settled_at: Date }>(
    `select nodes.lost_at, attempt.settled_at - tenants.clock_offset_ms * interval '1 millisecond' as settled_at
     from attempts attempt join nodes on nodes.id = attempt.node_id join tenants on tenants.id = attempt.tenant_id
     where attempt.settled_at - tenants.clock_offset_ms * interval '1 millisecond' > nodes.lost_at`,
  );
  return rows.map(({ lost_at, settled_at }) => {
    const died = killedAt.findLast((at) => at <= lost_at.getTime())!;
    return settled_at.getTime() - died;
  });
}

/** How far it has come, for whoever has to find out why it came no further. */
async function books(client: pg.Client): Promise<unknown> {
  const { rows } = await client.query(
    `select (select json_object_agg(state, n) from (select state, count(*) as n from threads group by state) as it) as threads,
       (select json_object_agg(state, n) from (select state, count(*) as n from attempts group by state) as it) as attempts,
       (select json_object_agg(owed, n) from (select owed, count(*) as n from simulator_texts where owed is not null group by owed) as it) as owed,
       (select json_agg(it) from (select locked_at, run_at, attempts, last_error, key from graphile_worker.jobs limit 5) as it) as jobs,
       (select json_agg(it) from (select started_at, lost_at from nodes order by started_at desc limit 6) as it) as nodes,
       (select json_agg(it) from (select state, wait_event, now() - xact_start as age, left(query, 80) as query from pg_stat_activity
         where datname = current_database() and xact_start < now() - interval '500 ms') as it) as waiting`,
  );
  return rows[0];
}

async function deadlocks(client: pg.Client): Promise<number> {
  const { rows } = await client.query(
    "select deadlocks::int as n from pg_stat_database where datname = current_database()",
  );
  return rows[0].n;
}

async function jobsOfTheDead(client: pg.Client): Promise<number> {
  const { rows } = await client.query(
    `select count(*)::int as n from graphile_worker.jobs where locked_by in (
       select unnest(queue_workers) from nodes where lost_at is not null)`,
  );
  return rows[0].n;
}
