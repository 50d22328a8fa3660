import assert from "node:assert/strict";
import { test } from "node:test";
import { wire } from "#app/context.ts";
import { parseId } from "#domain/values/id.ts";
import type { Caller, Context } from "#operations/context.ts";
import { createPhoneNumber } from "#operations/numbers/buy-phone-number.ts";
import type { NumberInventory } from "#ports/number-inventory.ts";
import { startParley } from "#test/support/api/parley.ts";
import { anAgent } from "#test/support/campaigns/campaign.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

test("an order whose carrier fell silent is taken up by the next request, and no second number is bought", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const { organizationId, userId } = await anAgent(api);
  const sql = await openClient(t, api.databaseUrl);
  const { rows } = await sql.query("select id from tenants where mode = 'test'");
  const { ctx, close } = wire(api.config, api.databaseUrl, "test");
  t.after(close);
  const [inventory] = ctx.numbers.forTenant({ tenantId: rows[0].id, mode: "test" });
  const bought = new Set<string>();
  let silent = true;
  const stock: NumberInventory = {
    ...inventory!,
    purchase: async (_tenantId, number) => {
      bought.add(number);
      if (silent) throw new Error("connection reset");
      return {};
    },
  };
  const away = (now: Date): Context => ({
    ...ctx,
    now: () => now,
    numbers: {
      byName: () => stock,
      forTenant: () => [stock],
    },
  });
  const caller: Caller = {
    tenantId: rows[0].id,
    accountId: rows[0].id,
    keyId: rows[0].id,
    mode: "test",
    scopes: [],
    organizations: undefined,
    newId: ctx.newId,
  };
  const owner = { organizationId: parseId("organization", organizationId)!, userId: parseId("user", userId)! };
  const now = new Date();
  const signal = new AbortController().signal;
  const create = (at: Date) => createPhoneNumber(away(at), caller, { ...owner, areaCode: "212" }, signal);

  await assert.rejects(create(now), { code: "provisioning_failed", status: 500 });
  const listed = await api.get(`/v1/voice/phone-numbers?organization_id=${organizationId}`);
  assert.equal(listed.body.count, 0, "nobody can say yet whether it was bought");
  silent = false;
  const { phone, organization_id } = await create(new Date(now.getTime() + 120_000));
  assert.deepEqual([...bought], [phone]);
  assert.equal(organization_id, owner.organizationId);
  await create(new Date(now.getTime() + 120_000));
  assert.equal(bought.size, 2, "what is finished is not taken up again");
});
