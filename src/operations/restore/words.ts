import { basesOf, isUndoneByStart, withBasis } from "#domain/compliance/consent.ts";
import { AppError } from "#domain/values/errors.ts";
import { NO_ID, type Uuid } from "#domain/values/id.ts";
import { piecesOf } from "#domain/values/pieces.ts";
import type { Context } from "#operations/context.ts";
import type { JournalEntry } from "#ports/journal.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as consents from "#store/compliance/consents.ts";
import * as doNotCall from "#store/compliance/do-not-call.ts";
import * as optOuts from "#store/compliance/opt-outs.ts";
import * as erasedPhones from "#store/contacts/erased-phones.ts";
import type { Tx } from "#store/database/db.ts";

const PHONES_A_STATEMENT = 5_000;

export type Word = Extract<JournalEntry, { kind: "opt_out" | "opt_in" }>;
export type Revocation = Extract<JournalEntry, { kind: "consent_revoked" }>;

/**
 * Applies opt-outs and consents again, in their order over all machines: the effect of one may depend on the one before. Of two of one moment STOP
 * wins.
 */
export async function replayOptOuts(
  ctx: Context,
  words: readonly Word[],
): Promise<{ optOuts: number; optIns: number }> {
  const inOrder = words.toSorted((a, b) => (a.at === b.at ? (a.kind < b.kind ? 1 : -1) : a.at < b.at ? -1 : 1));
  const changed = { optOuts: 0, optIns: 0 };
  for (const word of inOrder) if (await replay(ctx, word)) changed[word.kind === "opt_out" ? "optOuts" : "optIns"]++;
  return changed;
}

/** True when it changed anything. */
function replay(ctx: Context, { tenantId, phone, kind, at, source }: Word): Promise<boolean> {
  return ctx.db.transaction(async (tx) => {
    if (!(await tenants.exists(tx, tenantId))) return false;
    const said = new Date(at);
    if (await isErased(ctx, tx, tenantId, phone, said)) {
      if (kind === "opt_in" || (await erasedPhones.optOuts(tx, tenantId, [phone], ctx.hashPhone)).size > 0)
        return false;
      const wish = { hash: ctx.hashPhone, at: said, source };
      if (!(await erasedPhones.optOut(tx, tenantId, phone, wish))) return false;
      await optOuts.optOutInOtherMode(tx, tenantId, [phone], { ...wish, newId: ctx.newId });
      return true;
    }
    const [consent] = await optOuts.lock(tx, tenantId, [phone]);
    if (consent!.keyword_at !== null && said <= consent!.keyword_at) return false;
    if (kind === "opt_in") {
      if (consent!.opted_out_at === null) return false;
      const { opt_out_source, doubt_call_id, doubted_at } = consent!;
      if (source === "keyword" && (!isUndoneByStart(opt_out_source) || doubt_call_id !== null)) return false;
      if (doubt_call_id !== null && said <= doubted_at!) return false;
      await optOuts.optIn(tx, tenantId, phone, said);
      return true;
    }
    return optOuts.optOut(tx, tenantId, phone, {
      source,
      quote: null,
      at: said,
      newId: ctx.newId,
      hash: ctx.hashPhone,
    });
  });
}

/** Whether a phone was erased after this was said from it, and has not come back: then only its hash is kept. */
async function isErased(ctx: Context, tx: Tx, tenantId: Uuid, phone: string, at: Date): Promise<boolean> {
  const erased = await erasedPhones.since(tx, tenantId, [phone], { hash: ctx.hashPhone, at });
  return erased.has(phone) && (await consents.find(tx, tenantId, phone)) === undefined;
}

/** Revokes a consent again, unless it was given anew later. True when the history did not have the revocation. */
export function revoke(ctx: Context, { tenantId, phone, channel, source, at }: Revocation): Promise<boolean> {
  return ctx.db.transaction(async (tx) => {
    if (!(await tenants.exists(tx, tenantId))) return false;
    const said = new Date(at);
    if (await isErased(ctx, tx, tenantId, phone, said)) return false;
    const [consent] = await optOuts.lock(tx, tenantId, [phone]);
    const what = { phone, basis: "none", channel, source, proof: null, quote: null, at: said } as const;
    const now = await tenants.tenantNow(tx, tenantId, ctx.now());
    const added = await consents.insert(tx, tenantId, [{ ...what, id: ctx.newId(), event: "revoked" }], now);
    await consents.saveBases(tx, tenantId, [{ phone, bases: withBasis(basesOf(consent!.bases), what) }]);
    return added > 0;
  });
}

/** Lists phones again. Returns how many were not listed. */
export async function list(ctx: Context, entry: Extract<JournalEntry, { kind: "do_not_call" }>): Promise<number> {
  let added = 0;
  for (const piece of piecesOf(entry.phones.toSorted(), PHONES_A_STATEMENT)) {
    added += await ctx.db.transaction(async (tx) => {
      if (!(await tenants.exists(tx, entry.tenantId))) return 0;
      let isNew = 0;
      for (const tenantId of [await tenants.otherMode(tx, entry.tenantId), entry.tenantId]) {
        await optOuts.lock(tx, tenantId, piece);
        isNew = await doNotCall.insert(tx, tenantId, piece, {
          organization_id: entry.organizationId ?? NO_ID,
          reason: "restored from the journal",
          created_at: new Date(entry.at),
          source: "journal",
          added_by: null,
        });
      }
      return isNew;
    });
  }
  return added;
}

export type Erase = (ctx: Context, caller: { tenantId: Uuid }, contactId: Uuid) => Promise<void>;

/** Erases a person again. False when the database does not have that person. */
export async function eraseAgain(
  ctx: Context,
  erase: Erase,
  { tenantId, contactId }: Extract<JournalEntry, { kind: "erased" }>,
): Promise<boolean> {
  try {
    await erase(ctx, { tenantId }, contactId);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return false;
    throw error;
  }
}
