import assert from "node:assert/strict";
import { test } from "node:test";
import { bulkRunner } from "#app/bulk/bulk.ts";
import { wire } from "#app/context.ts";
import type { Caller } from "#operations/context.ts";
import { anOwner } from "#test/support/accounts/owner.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { type Parley, startParley } from "#test/support/api/parley.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

test("one tenant's list does not wait for all the lists of another", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const client = await openClient(t, api.databaseUrl);
  const { ctx, close } = wire(api.config, api.databaseUrl, "test");
  const bulk = bulkRunner(ctx, api.config, api.databaseUrl);
  t.after(async () => {
    await bulk.stop();
    await close();
  });
  const order: string[] = [];
  /** Lists, each of a body that goes to the thread. */
  const lister = async (who: string, as: Pick<Parley, "get" | "post">) => {
    const owner = await anOwner(as);
    const { rows } = await client.query("select tenant_id from organizations order by created_at desc limit 1");
    const caller = { tenantId: rows[0].tenant_id, newId: ctx.newId } as Caller;
    const contacts = Array.from({ length: 600 }, (_, i) => ({
      phone_number: `+1212444${1000 + i}`,
      notes: "n".repeat(100),
    }));
    const body = JSON.stringify({ ...owner, list_name: who, contacts });
    return async () => {
      await bulk.run("create-contact-list", caller, {}, new Uint8Array(Buffer.from(body)));
      order.push(who);
    };
  };
  const [ours, theirs] = [await lister("ours", api), await lister("theirs", await anotherTenant(api))];

  const all = [...Array.from({ length: 20 }, () => ours()), theirs()];
  await Promise.all(all);

  assert.equal(order.length, 21);
  // Four are in hand when it comes, and it is the next.
  assert.ok(order.indexOf("theirs") <= 8, order.join(" "));
});
