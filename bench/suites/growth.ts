import assert from "node:assert/strict";
import { leadsOf } from "#app/capacity/people.ts";
import { uuidSource } from "#app/process/ids.ts";
import { publicId } from "#domain/values/id.ts";
import * as objectsToDelete from "#store/calls/objects-to-delete.ts";
import * as campaigns from "#store/campaigns/campaigns.ts";
import * as counts from "#store/campaigns/counts.ts";
import { type Db, openDb } from "#store/database/db.ts";
import * as attempts from "#store/messaging/attempts.ts";
import * as dueJobs from "#store/sending/due-jobs.ts";
import * as idempotency from "#store/system/idempotency.ts";
import { until } from "#test/support/api/parley.ts";
import { aCampaign } from "#test/support/campaigns/campaign.ts";
import { CONVERSATIONS, sizes, TEXTS_OF_EACH, writeHistory } from "../history.ts";
import { futureCampaign, type Target } from "../leads.ts";
import { removeOldest } from "../removal.ts";
import { type Service, startService } from "../service.ts";
import { type Bench, quantile } from "../suite.ts";

/** Millions of messages of the past that are compared; PARLEY_BENCH_MILLIONS says how many the second are. */
const FEW = 1;
const MANY = Number(process.env.PARLEY_BENCH_MILLIONS ?? 50);
const ROUNDS = 40;
/** Rounds of `today`, and texts that are sent while old ones are removed. */
const ROUNDS_BEFORE = 4;
const TEXTS_BESIDE_REMOVAL = 50_000;
const PATIENCE_MS = 300_000;
const DAY_MS = 86_400_000;
const HALF_AN_HOUR_MS = 1_800_000;

/**
 * What of today takes how long with a short past and with a long one: pages, claims, sweeps, figures; what a million messages take on the disk; and what the
 * removal of old ones does to what goes on.
 */
export async function run(bench: Bench): Promise<void> {
  const service = await startService(bench);
  const db = openDb({ url: service.databaseUrl, poolSize: 2, applicationName: "bench" });
  try {
    const target = await futureCampaign(service);
    await service.startWorker();
    const conversations = bench.small ? 20 : CONVERSATIONS;
    const campaignsOfMillion = 1_000_000 / CONVERSATIONS / TEXTS_OF_EACH;
    const fill = async (from: number, to: number) => {
      await writeHistory(service.sql, target, {
        ...{ from: from * campaignsOfMillion, to: to * campaignsOfMillion, conversations, now: target.beginAt },
      });
      await service.sql.query("vacuum analyze");
    };
    const many = bench.small ? 2 : MANY;
    await fill(0, FEW);
    await today(service, db, target, bench, 0);
    const short = await today(service, db, target, bench, 1);
    await fill(FEW, many);
    await today(service, db, target, bench, 2);
    const long = await today(service, db, target, bench, 3);
    for (const [name, value] of Object.entries(long)) {
      const unit = name.startsWith("claim") ? "texts/s" : "ms";
      bench.figure({ name: `${name}, ${many} million`, value, unit, baseline: short[name]! });
    }
    for (const [name, { table, indexes }] of await sizes(service.sql)) {
      bench.figure({ name: `${name}, a million messages`, value: table / many / 1e6, unit: "MB", baseline: null });
      bench.figure({ name: `indexes of ${name}`, value: indexes / many / 1e6, unit: "MB", baseline: null });
    }
    await removeOldest(bench, service, {
      ...{ campaigns: many * campaignsOfMillion, textsOfEach: conversations * TEXTS_OF_EACH },
      send: (round) => claimed(service, target.beginAt, bench.small ? 50 : TEXTS_BESIDE_REMOVAL, ROUNDS_BEFORE + round),
    });
  } finally {
    await db.close();
    await service.stop();
  }
}

/** Medians in milliseconds, and texts a second of a campaign of today. */
async function today(
  service: Service,
  db: Db,
  target: Target & { beginAt: Date },
  bench: Bench,
  round: number,
): Promise<Record<string, number>> {
  const claims = await claimed(service, target.beginAt, bench.small ? 50 : 5_000, round);
  const of = (path: string, query: Record<string, string>) =>
    asked(
      service,
      `${path}?${new URLSearchParams({ organization_id: publicId("organization", target.organizationId), ...query })}`,
    );
  return {
    "page of messages": await asked(service, "/v1/campaigns/cmp_history_0/messages?limit=50"),
    inbox: await of("/v1/sms/threads", { limit: "50" }),
    "contact by phone": await of("/v1/contacts/leads", { phone_number: "+14152000007" }),
    "activity of three weeks": await of("/v1/analytics/activity", { days: "21" }),
    "breakdown of three weeks": await of("/v1/analytics/breakdown", { by: "campaign", days: "21" }),
    ...(await swept(db)),
    "claim to settled": claims,
  };
}

async function asked(service: Service, path: string): Promise<number> {
  const took: number[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    const begin = performance.now();
    const { status, body } = await service.get(path);
    took.push(performance.now() - begin);
    assert.equal(status, 200, JSON.stringify(body));
  }
  return quantile(took, 0.5);
}

/** What a worker asks over all tenants, time and again: each, and all of them. */
async function swept(db: Db): Promise<Record<string, number>> {
  const now = () => new Date();
  const sweeps = {
    "due jobs": () => dueJobs.enqueueDue(db, now(), null),
    "quiet campaigns": () => campaigns.quiet(db),
    "crowded counts": () => counts.crowded(db),
    "carriers in doubt": () => attempts.uncertainCarriers(db, "sms", now()),
    "overdue attempts": () => attempts.doubtOverdueOf(db, uuidSource()(), { now: now(), checkAt: now() }),
    "old keys": () => idempotency.forget(db, new Date(Date.now() - DAY_MS)),
    "files to delete": () => objectsToDelete.left(db, now(), now()),
  };
  const took = new Map<string, number[]>();
  const note = (name: string, ms: number) => took.set(name, [...(took.get(name) ?? []), ms]);
  for (let i = 0; i < ROUNDS; i++) {
    const first = performance.now();
    for (const [name, sweep] of Object.entries(sweeps)) {
      const begin = performance.now();
      await sweep();
      note(`sweep: ${name}`, performance.now() - begin);
    }
    note("sweep", performance.now() - first);
  }
  return Object.fromEntries([...took].map(([name, ms]) => [name, quantile(ms, 0.5)]));
}

/** A campaign of `count` texts, from its beginning to the last that is settled. */
async function claimed(service: Service, beginAt: Date, count: number, round: number): Promise<number> {
  const begins = new Date(beginAt.getTime() + round * HALF_AN_HOUR_MS);
  const { campaignId } = await aCampaign(service, {
    contacts: leadsOf(count, 1_000_000 + round * count),
    campaign: { campaign_begin_time: begins.toISOString() },
  });
  const settled = async () => {
    const { rows } = await service.sql.query(
      `select coalesce(sum(n) filter (where counts.state = 'pending'), 0)::int as n from campaign_counts counts
       join campaigns on campaigns.id = counts.campaign_id where campaigns.campaign_id = $1`,
      [campaignId],
    );
    return rows[0].n === 0;
  };
  const begin = performance.now();
  await service.post("/v1/simulator/clock", { to: new Date(begins.getTime() + 60_000).toISOString() });
  await until("the texts of today are settled", settled, PATIENCE_MS);
  return (count * 1_000) / (performance.now() - begin);
}
