import type { Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import * as callEnds from "#store/calls/ends.ts";
import * as openCalls from "#store/calls/open-calls.ts";

/**
 * The time a call may take to be held: a claim whose commit has just been made, or an incoming call that is being answered. Either takes moments, and
 * a claim that took longer no longer places anything (conduct-calls.ts).
 */
const UNHELD_FOR_MS = 30_000;

/**
 * Ends calls that the database lists under this living node but that the node does not hold: their end could not be written, or the result of the
 * commit that claimed or accepted them was lost. A call whose line does not report its end long after it had to be over is stopped, and counted too.
 * To be called every few seconds.
 */
export async function endUnheld(ctx: Context, steadyMs: () => number = () => performance.now()): Promise<void> {
  const { calls } = ctx.process;
  const isHeld = (callId: Uuid) => (calls.get(callId)?.overdueAtMs ?? 0) > steadyMs();
  const held = [...calls.keys()].filter(isHeld);
  for (const { callId, live } of calls.values()) if (!isHeld(callId)) live.stop("error_unknown");
  const open = await openCalls.unheld(ctx.db, ctx.node.id, held);
  const now = steadyMs();
  const before = ctx.process.unheldSince;
  // Other calls may have been begun while the database answered.
  const unheld = open.filter(({ id }) => !isHeld(id));
  const since = new Map(unheld.map(({ id }) => [id, before.get(id) ?? now]));
  ctx.process.unheldSince = since;
  const over = unheld.filter(({ id }) => now - since.get(id)! >= UNHELD_FOR_MS);
  for (const [tenantId, theirs] of Map.groupBy(over, (call) => call.tenant_id)) {
    const parts = { realNow: ctx.now(), newId: ctx.newId };
    await ctx.db.transaction((tx) => callEnds.endLost(tx, tenantId, theirs, parts));
    ctx.log.warn({ tenantId, calls: theirs.length }, "calls were open that their node does not hold");
  }
}
