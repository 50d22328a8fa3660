import type { Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import * as callEnds from "#store/calls/ends.ts";
import * as openCalls from "#store/calls/open-calls.ts";
import { heldBy } from "./hold.ts";

/**
 * For what is on its way to be held: a claim whose commit has just been made, a call to us that is being answered. Those take moments, and a
 * claim that took longer places nothing any more (conduct-calls.ts).
 */
const UNHELD_FOR_MS = 30_000;

/** Since when a process has seen calls of its own in the database that it does not hold, on a clock that only goes forward. */
const unheldSince = new WeakMap<Context, ReadonlyMap<Uuid, number>>();

/**
 * Ends the calls that the database has as this living node's, and that the node does not hold: what was to end them could not be written, or
 * they were claimed or taken in by a commit that it never heard of. One of which its line does not say that it is over, long after it had to
 * be, is stopped, and counts as such. To be asked every few seconds.
 */
export async function endUnheld(ctx: Context, steadyMs: () => number = () => performance.now()): Promise<void> {
  const isHeld = (callId: Uuid) => (heldBy(ctx).get(callId)?.overdueAtMs ?? 0) > steadyMs();
  const held = [...heldBy(ctx).keys()].filter(isHeld);
  for (const { callId, live } of heldBy(ctx).values()) if (!isHeld(callId)) live.stop("error_unknown");
  const open = await openCalls.unheld(ctx.db, ctx.node.id, held);
  const now = steadyMs();
  const before = unheldSince.get(ctx);
  // Others were taken up while the database answered.
  const unheld = open.filter(({ id }) => !isHeld(id));
  const since = new Map(unheld.map(({ id }) => [id, before?.get(id) ?? now]));
  unheldSince.set(ctx, since);
  const over = unheld.filter(({ id }) => now - since.get(id)! >= UNHELD_FOR_MS);
  for (const [tenantId, theirs] of Map.groupBy(over, (it) => it.tenant_id)) {
    const it = { realNow: ctx.now(), newId: ctx.newId };
    await ctx.db.transaction((tx) => callEnds.endLost(tx, tenantId, theirs, it));
    ctx.log.warn({ tenantId, calls: theirs.length }, "calls were open that their node does not hold");
  }
}
