import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { leadsOf } from "#app/capacity/people.ts";
import { parseId } from "#domain/values/id.ts";
import { migrate } from "#store/database/migrate.ts";
import { distribute } from "#store/distribution/distribute.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { until } from "#test/support/api/parley.ts";
import { emptyCluster, workersThere } from "#test/support/database/citus.ts";
import { type Created, createOnOneServer } from "#test/support/database/database.ts";
import { futureCampaign } from "../leads.ts";
import { type Service, startService } from "../service.ts";
import type { Bench } from "../suite.ts";

const TENANTS = 4;
const WORKERS = [1, 2, 4];
const PATIENCE_MS = 900_000;
/** Tenants that are made so that each server has as many as the others; which one a tenant is on is drawn by its id. */
const MOST_TRIES = 200;

/** Texts a second of four tenants over a cluster's servers, beside one PostgreSQL of the same machine. */
export async function run(bench: Bench): Promise<void> {
  const count = bench.small ? 100 : 10_000;
  const there = await workersThere();
  const baseline = await sent(bench, count, await createOnOneServer(), undefined);
  for (const workers of WORKERS.filter((wanted) => wanted <= there)) {
    const value = await sent(bench, count, await clusterOf(workers), workers);
    bench.figure({ name: `four tenants over ${workers} of its workers`, value, unit: "texts/s", baseline });
  }
}

async function clusterOf(workers: number): Promise<Created> {
  const made = await emptyCluster(`bench_${randomUUID().replaceAll("-", "")}`, undefined, workers);
  await migrate(made.url);
  await distribute(
    made.url,
    () => {},
    () => performance.now(),
  );
  return made;
}

type Tenant = Awaited<ReturnType<typeof anotherTenant>>;

/** Texts a second, from their being due to the last one's being accepted. */
async function sent(bench: Bench, count: number, database: Created, workers: number | undefined): Promise<number> {
  const service = await startService(bench, {}, database);
  try {
    const tenants = await spread(service, workers);
    const campaigns = [];
    for (const tenant of tenants) {
      const target = await futureCampaign({ ...service, ...tenant });
      await tenant.post(`/v1/campaigns/${target.campaignId}/leads`, { clients: leadsOf(count) });
      campaigns.push({ ...target, tenant });
    }
    await service.startWorker();
    const begin = performance.now();
    for (const { tenant, beginAt } of campaigns)
      await tenant.post("/v1/simulator/clock", { to: new Date(beginAt.getTime() + 60_000).toISOString() });
    const ids = campaigns.map(({ id }) => id);
    const pending = async () => {
      const { rows } = await service.sql.query(
        "select coalesce(sum(n), 0)::int as n from campaign_counts where campaign_id = any($1::uuid[]) and state = 'pending'",
        [ids],
      );
      return rows[0].n as number;
    };
    await until("every text is accepted", async () => (await pending()) === 0, PATIENCE_MS);
    const seconds = (performance.now() - begin) / 1000;
    for (const { tenant, campaignId } of campaigns) {
      const { accepted, distinct } = (await tenant.get(`/v1/simulator/traffic?campaign_id=${campaignId}`)).body;
      assert.deepEqual([accepted, distinct], [count + 1, count + 1]);
    }
    return (TENANTS * (count + 1)) / seconds;
  } finally {
    await service.stop();
  }
}

const PLACE =
  "select groupid as place from pg_dist_placement where shardid = get_shard_id_for_distribution_column('tenants', $1::uuid)";

/** Tenants of which each server has as many as the others. */
async function spread(service: Service, workers = 1): Promise<Tenant[]> {
  const found = new Map<number, Tenant[]>();
  const chosen = () => [...found.values()].flat();
  for (let tries = 0; chosen().length < TENANTS; tries++) {
    assert.ok(tries < MOST_TRIES, "tenants come onto every server");
    const tenant = await anotherTenant(service);
    const id = parseId("tenant", (await tenant.get("/v1/me")).body.tenant_id)!;
    const place = await placeOf(service, id);
    const beside = found.get(place) ?? [];
    if (beside.length < TENANTS / workers) found.set(place, [...beside, tenant]);
  }
  return chosen();
}

/** The server of a tenant in test mode; where there is one server, none. */
async function placeOf({ sql }: Service, accountId: string): Promise<number> {
  const { rows: citus } = await sql.query("select from pg_extension where extname = 'citus'");
  if (citus.length === 0) return 0;
  const { rows } = await sql.query("select id from tenants where account_id = $1 and mode = 'test'", [accountId]);
  return (await sql.query(PLACE, [rows[0].id])).rows[0].place;
}
