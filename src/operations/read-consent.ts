import { basesOf, type Consent, consentAt } from "#domain/consent.ts";
import { invalidField } from "#domain/errors.ts";
import { normalizePhone } from "#domain/phone.ts";
import * as consents from "#store/consents.ts";
import * as heldConsents from "#store/held-consents.ts";
import * as tenants from "#store/tenants.ts";
import type { Caller, Context } from "./context.ts";

/** More than this happens to no phone; what is older stays in the database. */
const MAX_HISTORY = 100;

export type FoundConsent = {
  phone: string;
  state: consents.ConsentState | undefined;
  sms: Consent | undefined;
  voice: Consent | undefined;
  history: consents.ConsentRecord[];
};

/** A phone's consent as it stands now, and how it came to that. 400 for what is no phone number. */
export async function getConsent(ctx: Context, caller: Caller, phoneNumber: string): Promise<FoundConsent> {
  const normal = normalizePhone(phoneNumber);
  if ("problem" in normal) throw invalidField("phone_number", normal.problem);
  const { phone } = normal;
  const now = await tenants.tenantNow(ctx.db, caller.tenantId, ctx.now());
  const [state, history] = await Promise.all([
    heldConsents.find(ctx.db, caller.tenantId, phone, ctx.hashPhone),
    consents.history(ctx.db, caller.tenantId, phone, MAX_HISTORY),
  ]);
  const bases = basesOf(state?.bases ?? null);
  return { phone, state, sms: consentAt(bases, "sms", now), voice: consentAt(bases, "voice", now), history };
}
