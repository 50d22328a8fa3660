import { invalidField } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import { requireInstant } from "#domain/values/instant.ts";
import type { Context } from "#operations/context.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as nationalLists from "#store/compliance/national-lists.ts";
import * as screening from "#store/compliance/screening.ts";

export type ScreeningChange = {
  requireConsent?: string | undefined;
  requireVoiceConsent?: string | undefined;
  nationalAreas?: string | undefined;
  /** An ISO 8601 time until which lists older than 31 days will do, or "never". */
  oldListsUntil?: string | undefined;
  /** Texts to phones that were looked up as landlines: text or skip. */
  landlines?: string | undefined;
  reason: string;
};

const REQUIREMENTS = ["none", "inquiry", "express", "express_written"] as const;
const AREAS = ["loaded", "all"] as const;

/**
 * Changes how strictly a tenant's outreach is screened, and keeps the change with its reason. It counts from the next claim
 * on. 400 for a wrong value.
 */
export async function changeScreening(ctx: Context, tenantId: Uuid, wanted: ScreeningChange): Promise<void> {
  const change: screening.RuleChange = {};
  if (wanted.requireConsent !== undefined)
    change.require_consent = oneOf("require-consent", REQUIREMENTS, wanted.requireConsent);
  if (wanted.requireVoiceConsent !== undefined)
    change.require_voice_consent = oneOf("require-voice-consent", REQUIREMENTS, wanted.requireVoiceConsent);
  if (wanted.nationalAreas !== undefined) change.national_areas = oneOf("national-areas", AREAS, wanted.nationalAreas);
  if (wanted.oldListsUntil !== undefined) {
    change.old_lists_until =
      wanted.oldListsUntil === "never" ? null : requireInstant("old-lists-until", wanted.oldListsUntil);
  }
  if (wanted.landlines !== undefined)
    change.skip_landlines = oneOf("landlines", ["text", "skip"], wanted.landlines) === "skip";
  if (Object.keys(change).length === 0) throw invalidField("change", "must name at least one rule");
  if (wanted.reason.trim() === "") throw invalidField("reason", "must not be empty");
  const before = await screening.rules(ctx.db, tenantId);
  ctx.audit.note({
    object: { kind: "screening", id: null },
    before,
    after: { ...before, ...change },
    reason: wanted.reason,
  });
  const at = await tenants.tenantNow(ctx.db, tenantId, ctx.now());
  await screening.change(ctx.db, tenantId, { id: ctx.newId(), change, reason: wanted.reason.trim(), at });
}

/** A tenant's rules, and the area codes that its national lists cover. */
export async function getScreening(
  ctx: Context,
  tenantId: Uuid,
): Promise<{ rules: screening.ScreeningRules; areas: nationalLists.NationalArea[] }> {
  const [rules, areas] = await Promise.all([screening.rules(ctx.db, tenantId), nationalLists.areas(ctx.db, tenantId)]);
  return { rules, areas };
}

function oneOf<const T extends string>(field: string, choices: readonly T[], value: string): T {
  const choice = choices.find((choice) => choice === value);
  if (choice === undefined) throw invalidField(field, `must be one of ${choices.join(", ")}`);
  return choice;
}
