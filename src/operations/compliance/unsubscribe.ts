import { piecesOf } from "#domain/values/pieces.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as optOuts from "#store/compliance/opt-outs.ts";

/** Consents of a piece are locked until all that waits for its phones is withdrawn. */
const PHONES_A_TRANSACTION = 1_000;

/**
 * Opts phones in E.164 out, because somebody here says so: for the whole tenant, in both modes, and without a confirmation by text. Returns how many
 * were not opted out before. Nothing more leaves for any of them once this resolves.
 */
export async function unsubscribe(ctx: Context, caller: Caller, phones: readonly string[]): Promise<number> {
  const { tenantId } = caller;
  const at = await tenants.tenantNow(ctx.db, tenantId, ctx.now());
  const entry = { kind: "opt_out", at: at.toISOString(), tenantId, source: "operator" } as const;
  // Journaled before the commit, as every word about consent is.
  await Promise.all(phones.map((phone) => ctx.journal.append({ ...entry, phone })));
  const how = { source: "operator", quote: null, at, newId: ctx.newId, hash: ctx.hashPhone };
  let sum = 0;
  for (const piece of piecesOf(phones.toSorted(), PHONES_A_TRANSACTION)) {
    sum += await ctx.tenantDb.transaction(async (tx) => (await optOuts.optOutAll(tx, tenantId, piece, how)).length);
  }
  await optOuts.handedOver(ctx.tenantDb, tenantId, phones, ctx);
  return sum;
}
