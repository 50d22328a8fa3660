import type { Context } from "#operations/context.ts";
import * as guesses from "#store/accounts/guesses.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as objectsToDelete from "#store/calls/objects-to-delete.ts";
import * as campaigns from "#store/campaigns/campaigns.ts";
import * as counts from "#store/campaigns/counts.ts";
import * as dueJobs from "#store/sending/due-jobs.ts";
import * as idempotency from "#store/system/idempotency.ts";
import * as nodes from "#store/system/nodes.ts";

const KEEP_IDEMPOTENCY_KEYS_MS = 86_400_000;
/** A process that starts records the names under which it locks jobs within moments. */
const NOTES_ITS_NAMES_WITHIN_MS = 10_000;
/** A job that has been locked for this long under no living node's name is stuck. */
const NAMELESS_FOR_MS = 120_000;
/** The process that erased a recording removes its file within moments, or has died. */
const REMOVES_OBJECTS_WITHIN_MS = 60_000;

/** Enqueues the jobs for everything that is due, of every tenant. */
export async function enqueueDue(ctx: Context): Promise<void> {
  await dueJobs.enqueueDue(ctx.db, ctx.now(), null);
}

/** Completes the campaigns in which nothing waits any more. */
export async function finishCampaigns(ctx: Context): Promise<void> {
  for (const { tenant_id, id } of await campaigns.quiet(ctx.db)) {
    await ctx.db.transaction(async (tx) => {
      await campaigns.finish(tx, tenant_id, id, await tenants.tenantNow(tx, tenant_id, ctx.now()));
    });
  }
}

/** Compacts long lists of counts, and deletes what is no longer needed. */
export async function tidy(ctx: Context): Promise<void> {
  for (const { tenant_id, campaign_id } of await counts.crowded(ctx.db)) {
    await counts.fold(ctx.db, tenant_id, campaign_id, ctx.newId());
  }
  await idempotency.forget(ctx.db, new Date(ctx.now().getTime() - KEEP_IDEMPOTENCY_KEYS_MS));
  await guesses.forget(ctx.db);
  const ago = (ms: number) => new Date(ctx.now().getTime() - ms);
  await nodes.freeJobsOfNobody(ctx.db, ago(NOTES_ITS_NAMES_WITHIN_MS), ago(NAMELESS_FOR_MS));
}

/** Removes the files that nothing refers to any more, where that was interrupted. A shared store may take its time. */
export async function removeDoomedObjects(ctx: Context): Promise<void> {
  const ago = (ms: number) => new Date(ctx.now().getTime() - ms);
  const left = await objectsToDelete.left(
    ctx.db,
    ago(REMOVES_OBJECTS_WITHIN_MS),
    ago(ctx.objects.shared?.settlesMs ?? 0),
  );
  for (const [tenantId, theirs] of Map.groupBy(left, (one) => one.tenant_id)) {
    const names = theirs.map(({ name }) => name);
    const removed = await objectsToDelete.remove(ctx.db, ctx.objects, tenantId, names, ctx.now());
    // The store is away.
    if (removed < names.length) return;
  }
}
