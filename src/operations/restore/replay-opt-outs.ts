import type { Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import type { ReadJournals } from "#ports/journal.ts";
import * as callOptOuts from "#store/compliance/call-opt-outs.ts";

/** Entries handled together: enough that a statement's fixed cost does not matter, and little memory. */
const BATCH = 1_000;

/**
 * Writes the opt-outs of these journals that were said in calls and never reached the database: the process that conducted the call died while the
 * database was away. Returns how many. Only of calls that the database has: what a restored database lacks is left to the lifting of its fence. Safe
 * to repeat, and while others write them.
 */
export async function replayOptOuts(ctx: Context, read: ReadJournals): Promise<number> {
  let written = 0;
  let batch: (callOptOuts.SaidInCall & { tenantId: Uuid })[] = [];
  const catchUp = async () => {
    for (const [tenantId, theirs] of Map.groupBy(batch, (optOut) => optOut.tenantId)) {
      written += await replay(ctx, tenantId, theirs);
    }
    batch = [];
  };
  for await (const entry of read({ since: undefined, unreadable: () => {} })) {
    if (entry.kind !== "opt_out" || entry.callId === undefined) continue;
    batch.push({
      tenantId: entry.tenantId,
      callId: entry.callId,
      phone: entry.phone,
      quote: null,
      at: new Date(entry.at),
    });
    if (batch.length === BATCH) await catchUp();
  }
  await catchUp();
  if (written > 0) ctx.log.warn({ optOuts: written }, "opt-outs that were said in calls were taken from the journal");
  return written;
}

async function replay(ctx: Context, tenantId: Uuid, theirs: readonly callOptOuts.SaidInCall[]): Promise<number> {
  const missing = await callOptOuts.unwritten(ctx.db, tenantId, theirs);
  for (const said of missing) await ctx.db.transaction((tx) => callOptOuts.write(tx, tenantId, said, ctx));
  return missing.length;
}
