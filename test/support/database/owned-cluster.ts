import { randomUUID } from "node:crypto";
import type { TestContext } from "node:test";
import { wire } from "#app/context.ts";
import { createTenant } from "#app/roles/keys.ts";
import { readConfig } from "#app/settings/config.ts";
import { aFolder } from "#test/support/source/folder.ts";
import { emptyCluster, makeOwner } from "./citus.ts";

/** An empty database on every server, by its address on the coordinator, whose owner is no superuser. */
export async function inCluster(t: TestContext): Promise<string> {
  const { owner, drop: dropOwner } = await makeOwner();
  const { url, drop } = await emptyCluster(`test_${randomUUID().replaceAll("-", "")}`, owner);
  t.after(async () => {
    await drop();
    await dropOwner();
  });
  return url;
}

/** Makes tenants of these names in a database that is migrated. */
export async function withTenants(url: string, names: readonly string[]): Promise<void> {
  const dataDir = aFolder("citus");
  const config = readConfig({ DATABASE_URL: url, PARLEY_DATA_DIR: dataDir, PARLEY_LOG_LEVEL: "error" });
  const { ctx, close } = wire(config, url, "boot");
  for (const name of names) await createTenant(ctx, name);
  await close();
}
