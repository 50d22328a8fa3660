import type { Uuid } from "#domain/values/id.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as objectsToDelete from "#store/calls/objects-to-delete.ts";
import * as erasedConsents from "#store/contacts/erased-consents.ts";
import * as erasedPhones from "#store/contacts/erased-phones.ts";
import * as parts from "#store/simulator/demo-removals.ts";
import * as demos from "#store/simulator/demos.ts";

/** Requests that the demo data be removed, by the next worker that checks. Undefined when there is none. */
export async function orderDemoRemoval(ctx: Context, caller: Caller): Promise<demos.Demo | undefined> {
  await demos.orderRemoval(ctx.db, caller.tenantId, { step: "waiting for a worker", now: ctx.now() });
  return demos.find(ctx.db, caller.tenantId);
}

/**
 * Removes a tenant's demo data. First sending stops, and its calls end; false as long as something is still on its way, to be tried again. Then all
 * of it is removed at once, its recordings right after; an interrupted removal is begun again.
 */
export async function removeDemo(ctx: Context, tenantId: Uuid, demo: demos.Demo): Promise<boolean> {
  const whole = { organizations: demo.organization_ids, brands: demo.brand_ids };
  const waiting = await ctx.db.transaction((tx) => parts.partsOf(tx, tenantId, whole));
  await ctx.db.transaction((tx) => parts.silence(tx, tenantId, waiting));
  await parts.close(ctx.db, tenantId, waiting, await tenants.tenantNow(ctx.db, tenantId, ctx.now()));
  if (await parts.isUnderway(ctx.db, tenantId, waiting)) return false;
  await parts.removeRecords(ctx.db, tenantId, waiting);
  const { campaigns: campaignIds, numbers } = await ctx.db.transaction((tx) => parts.partsOf(tx, tenantId, whole));
  // Journaled first: no earlier or later state of the database contains what the demo had sent, and it need not be accounted for.
  await ctx.journal.append({ kind: "demo_removed", at: ctx.now().toISOString(), tenantId, campaignIds, numbers });
  const { found, recordings } = await ctx.db.transaction(async (tx) => {
    const found = await parts.partsOf(tx, tenantId, whole);
    const recordings = await parts.recordings(tx, tenantId, found);
    await objectsToDelete.add(tx, tenantId, recordings, ctx.now());
    const all = { erasureId: ctx.newId(), contactId: null, phones: found.phones };
    await erasedConsents.erase(tx, tenantId, [all], await tenants.tenantNow(tx, tenantId, ctx.now()));
    await parts.remove(tx, tenantId, found);
    await erasedPhones.forgetOptOutsOf(tx, await tenants.otherMode(tx, tenantId), found.phones, ctx.hashPhone);
    return { found, recordings };
  });
  // The sweep completes this if the process dies here.
  await objectsToDelete.remove(ctx.db, ctx.objects, tenantId, recordings, ctx.now());
  await parts.removeLate(ctx.db, tenantId, found);
  await demos.forget(ctx.db, tenantId);
  return true;
}
