import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { wire } from "#app/context.ts";
import { workingNoon } from "#domain/compliance/holiday.ts";
import { parseId, type Uuid } from "#domain/values/id.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import type { client, startParley } from "#test/support/api/parley.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

type Client = ReturnType<typeof client>;

/** A tenant, `host`, who has an account, and two who can be lent it. It is a working day's noon for all. */
export async function threeTenants(
  t: TestContext,
  service: Awaited<ReturnType<typeof startParley>>,
  account: { kind: string; credentials: Record<string, string>; settings?: Record<string, unknown> },
) {
  const [host, ann, bob] = [
    await anotherTenant(service, "live"),
    await anotherTenant(service, "live"),
    await anotherTenant(service, "live"),
  ];
  const sql = await openClient(t, service.databaseUrl);
  const noon = workingNoon(new Date());
  await sql.query("update tenants set clock_offset_ms = $1 where mode = 'live'", [noon.getTime() - Date.now()]);
  const made = await host.post("/v1/carriers", { name: "Main", ...account });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const carrier_id = String(made.body.carrier.carrier_id);
  const { ctx, close } = wire(service.config, service.databaseUrl, "host");
  t.after(close);
  const id = parseId("carrier", carrier_id) as Uuid;
  const loanTo = async (them: Client) => ({
    account: id,
    tenant: parseId("tenant", (await them.get("/v1/me")).body.tenant_id)!,
  });
  const loans = { ann: await loanTo(ann), bob: await loanTo(bob) };
  return { host, ann, bob, sql, ctx, loans, account: id, carrier_id };
}
