import { basesOf, type ConsentBasis, type ConsentChannel, withBasis } from "#domain/compliance/consent.ts";
import { EARLIEST_CONSENT } from "#domain/compliance/lead-consent.ts";
import { normalizePhone } from "#domain/phones/phone.ts";
import { failure, invalidField, notFound } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import { requireInstant } from "#domain/values/instant.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as tenants from "#store/accounts/tenants.ts";
import type { ConsentState } from "#store/compliance/consents.ts";
import * as consents from "#store/compliance/consents.ts";
import * as optOuts from "#store/compliance/opt-outs.ts";
import * as contacts from "#store/contacts/contacts.ts";
import * as erasedPhones from "#store/contacts/erased-phones.ts";

export type GivenConsent = {
  basis: ConsentBasis;
  channel?: ConsentChannel | undefined;
  source: string;
  obtained_at?: string | undefined;
  proof?: string | undefined;
  resubscribe?: boolean | undefined;
};

/**
 * Records a consent. It takes effect only if it is later than the phone's latest opt-out or opt-in: an opt-out is never undone by it, and an earlier
 * consent is stored as history. `resubscribe` does end an opt-out: with an express basis and a proof, given after it (400, or 409 when it was given
 * before). The same consent again is recorded once.
 */
export async function recordConsent(
  ctx: Context,
  caller: Caller,
  phoneNumber: string,
  given: GivenConsent,
): Promise<void> {
  const normal = normalizePhone(phoneNumber);
  if ("problem" in normal) throw invalidField("phone_number", normal.problem);
  const { phone } = normal;
  const { tenantId } = caller;
  await requireKnown(ctx, caller, phone);
  const now = await tenants.tenantNow(ctx.db, tenantId, ctx.now());
  const at = given.obtained_at === undefined ? now : requireInstant("obtained_at", given.obtained_at);
  if (at > now) throw invalidField("obtained_at", "must not be in the future");
  if (at < EARLIEST_CONSENT) throw invalidField("obtained_at", "must be after 1991");
  const proof = given.proof?.trim() || null;
  if (given.resubscribe === true) checkResubscription(given.basis, proof);

  const { basis, source } = given;
  const channel = given.channel ?? "any";
  const record = { id: ctx.newId(), phone, basis, channel, source, proof, quote: null, at };
  await journal(ctx, tenantId, record, given);
  await ctx.tenantDb.transaction(async (tx) => {
    await optOuts.lock(tx, tenantId, [phone]);
    // An erased person's opt-out stands, and ends only as any other does.
    await erasedPhones.revive(tx, tenantId, [phone], ctx.hashPhone);
    const [consent] = await optOuts.lock(tx, tenantId, [phone]);
    const ends = given.resubscribe === true && consent!.opted_out_at !== null;
    if (ends && !isNewest(consent!, at)) {
      throw failure("conflict", "The contact opted out after this consent: only a later one, or START, ends that");
    }
    if (ends) await optOuts.optIn(tx, tenantId, phone, at);
    const event = ends ? "resubscribed" : basis === "none" ? "revoked" : "granted";
    await consents.insert(tx, tenantId, [{ ...record, event }], now);
    if (!isNewest(consent!, at) || (consent!.opted_out_at !== null && !ends)) return;
    const bases = withBasis(basesOf(consent!.bases), { basis, channel, at });
    await consents.saveBases(tx, tenantId, [{ phone, bases }]);
  });
}

/**
 * Journaled first, as a START is, so that it can be replayed into a restored database. What the transaction then refuses does no harm there: the
 * replay compares it with the phone's opt-outs too.
 */
async function journal(
  ctx: Context,
  tenantId: Uuid,
  { phone, channel, source, at }: { phone: string; channel: ConsentChannel; source: string; at: Date },
  { resubscribe, basis }: GivenConsent,
): Promise<void> {
  const what = { tenantId, phone, at: at.toISOString() };
  if (resubscribe === true) await ctx.journal.append({ kind: "opt_in", ...what, source: "journal" });
  if (basis === "none") await ctx.journal.append({ kind: "consent_revoked", ...what, channel, source });
}

/** A consent counts for the whole tenant, so a caller who is limited to organizations may record those of their contacts only. 404 for others. */
async function requireKnown(ctx: Context, { tenantId, organizations }: Caller, phone: string): Promise<void> {
  if (organizations === undefined) return;
  if ((await contacts.ofPhone(ctx.db, tenantId, phone)).length === 0) throw notFound("Contact");
}

const isNewest = ({ keyword_at, doubted_at, doubt_call_id }: ConsentState, at: Date): boolean =>
  (keyword_at === null || at > keyword_at) && (doubt_call_id === null || at > doubted_at!);

function checkResubscription(basis: ConsentBasis, proof: string | null): void {
  if (basis !== "express_written" && basis !== "express") {
    throw invalidField("basis", "must be express_written or express to resubscribe");
  }
  if (proof === null) throw invalidField("proof", "is required to resubscribe");
}
