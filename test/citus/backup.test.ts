import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import pg from "pg";
import { backUp, restore } from "#app/command/backup.ts";
import { readConfig } from "#app/settings/config.ts";
import { migrate } from "#store/database/migrate.ts";
import { distribute } from "#store/distribution/distribute.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { startParley, until } from "#test/support/api/parley.ts";
import { aCampaign, aNoon } from "#test/support/campaigns/campaign.ts";
import { emptyCluster } from "#test/support/database/citus.ts";
import { inCluster, withTenants } from "#test/support/database/owned-cluster.ts";
import { aFolder } from "#test/support/source/folder.ts";

const CONTACTS = 40;
const TENANTS = 4;

/** Rows of a few tables by tenant, as everybody sees them. */
async function rowsOf(url: string): Promise<Record<string, string>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const counts: Record<string, string>[] = [];
    for (const table of ["tenants", "contacts", "threads", "messages", "attempts", "consents", "api_keys"]) {
      const column = table === "tenants" ? "id" : "tenant_id";
      const { rows } = await client.query(
        `select '${table}' as name, ${column} as tenant, count(*) as n from ${table} group by 2 order by 2`,
      );
      counts.push(...rows);
    }
    return counts;
  } finally {
    await client.end();
  }
}

test("a backup of a cluster has every tenant's rows, and is restored into another, which is then distributed", async (t) => {
  const parley = await startParley(t, { PARLEY_SIMULATOR_RATE: "20" });
  const apis = [parley, ...(await Promise.all(Array.from({ length: TENANTS - 1 }, () => anotherTenant(parley))))];
  for (const [i, api] of apis.entries()) {
    await aNoon(api);
    const contacts = Array.from({ length: CONTACTS }, (_, n) => ({
      phone_number: `+1212444${1000 + i * CONTACTS + n}`,
    }));
    await aCampaign(api, { contacts, agent: { drip_schedule: [] } });
  }
  const folder = aFolder("citus");
  // While they send: what is cut is cut between transactions.
  await until("all send", async () => {
    const traffic = await Promise.all(apis.map((api) => api.get("/v1/simulator/traffic")));
    return traffic.every(({ body }) => body.accepted > 0);
  });
  const file = join(folder, "of-a-cluster.parley");
  const saved = await backUp(parley.config, parley.databaseUrl, file, new Date());
  assert.ok(saved.tenants! >= 2 * TENANTS && saved.messages! >= TENANTS * CONTACTS, JSON.stringify(saved));
  const { url, drop } = await emptyCluster(`test_${crypto.randomUUID().replaceAll("-", "")}`);
  t.after(drop);
  const restored = await restore(parley.config, url, file, new Date());
  assert.deepEqual(restored.rows, saved);
  const before = await rowsOf(url);
  assert.ok(before.length > 7 * TENANTS, `${before.length}`);
  await distribute(
    url,
    () => {},
    () => performance.now(),
  );
  assert.deepEqual(await rowsOf(url), before, "each tenant has its rows on its server");
  await assert.rejects(restore(parley.config, url, file, new Date()), /the database is not new/);
});

test("row security hides no tenant from a backup by an owner who is no superuser", async (t) => {
  const url = await inCluster(t);
  await migrate(url);
  await withTenants(url, ["Ada", "Bert", "Cleo"]);
  const folder = aFolder("citus");
  const config = readConfig({ DATABASE_URL: url, PARLEY_DATA_DIR: folder });
  const before = await backUp(config, url, join(folder, "before.parley"), new Date());
  assert.ok(before.tenants! >= 6, JSON.stringify(before));
  await distribute(
    url,
    () => {},
    () => performance.now(),
  );
  assert.deepEqual(await backUp(config, url, join(folder, "after.parley"), new Date()), before);
});
