import { basesOf, type Consent, consentAt } from "#domain/compliance/consent.ts";
import { normalizePhone } from "#domain/phones/phone.ts";
import { invalidField } from "#domain/values/errors.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as consents from "#store/compliance/consents.ts";
import * as contacts from "#store/contacts/contacts.ts";
import * as heldConsents from "#store/sending/held-consents.ts";

/** No phone has more changes than this; older ones stay in the database. */
const MAX_HISTORY = 100;

export type FoundConsent = {
  phone: string;
  state: consents.ConsentState | undefined;
  sms: Consent | undefined;
  voice: Consent | undefined;
  history: consents.ConsentRecord[];
};

/**
 * A phone's current consent and its history. It counts for the whole tenant: a caller who is limited to organizations sees it for their contacts, as
 * if other organizations' facts were unknown, and without the contact's words where other organizations have the contact too. 400 for an invalid
 * phone number.
 */
export async function getConsent(ctx: Context, caller: Caller, phoneNumber: string): Promise<FoundConsent> {
  const normal = normalizePhone(phoneNumber);
  if ("problem" in normal) throw invalidField("phone_number", normal.problem);
  const { phone } = normal;
  const seen = await seenBy(ctx, caller, phone);
  if (seen === "nothing") return { phone, state: undefined, sms: undefined, voice: undefined, history: [] };
  const now = await tenants.tenantNow(ctx.db, caller.tenantId, ctx.now());
  const [state, history] = await Promise.all([
    heldConsents.find(ctx.db, caller.tenantId, phone, ctx.hashPhone),
    seen === "all" ? consents.history(ctx.db, caller.tenantId, phone, MAX_HISTORY) : [],
  ]);
  if (state && seen === "state") state.opt_out_quote = null;
  const bases = basesOf(state?.bases ?? null);
  return { phone, state, sms: consentAt(bases, "sms", now), voice: consentAt(bases, "voice", now), history };
}

async function seenBy(ctx: Context, caller: Caller, phone: string): Promise<"all" | "state" | "nothing"> {
  const { tenantId, organizations } = caller;
  if (organizations === undefined) return "all";
  const theirs = await contacts.ofPhone(ctx.db, tenantId, phone);
  if (theirs.length === 0) return "nothing";
  return (await contacts.ofPhone(ctx.tenantDb, tenantId, phone)).length === theirs.length ? "all" : "state";
}
