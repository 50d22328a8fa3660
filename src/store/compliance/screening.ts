import { basesOf, type ConsentRequirement, consentAt, type StoredBasis } from "#domain/compliance/consent.ts";
import type { Screening } from "#domain/compliance/screening.ts";
import { takesTexts } from "#domain/phones/line-type.ts";
import type { Uuid } from "#domain/values/id.ts";
import { changingAndReading, statement, type Tx } from "#store/database/db.ts";
import * as lineTypes from "./line-types.ts";
import * as nationalLists from "./national-lists.ts";
import * as numberChecks from "./number-checks.ts";

export type ScreeningRules = {
  require_consent: ConsentRequirement;
  require_voice_consent: ConsentRequirement;
  national_areas: "loaded" | "all";
  has_national_list: boolean;
  old_lists_until: Date | null;
  /** Texts to phones that were looked up as landlines are refused. */
  skip_landlines: boolean;
};

const DEFAULTS: ScreeningRules = {
  require_consent: "none",
  require_voice_consent: "none",
  national_areas: "loaded",
  has_national_list: false,
  old_lists_until: null,
  skip_landlines: false,
};

const findRules = statement(
  "find-screening-rules",
  `select require_consent, coalesce(require_voice_consent, 'none') as require_voice_consent, national_areas, has_national_list,
     old_lists_until, coalesce(skip_landlines, false) as skip_landlines
   from screening_rules where tenant_id = $1`,
);

export async function rules(tx: Tx, tenantId: Uuid): Promise<ScreeningRules> {
  return (await tx.first<ScreeningRules>(findRules, [tenantId])) ?? DEFAULTS;
}

export type RuleChange = Partial<Omit<ScreeningRules, "has_national_list">>;

const changeRules = changingAndReading(
  "change-screening-rules",
  `with logged as (
     insert into screening_changes (tenant_id, id, change, reason, changed_at) values ($1, $2, $3, $4, $5))
   insert into screening_rules (tenant_id, require_consent, require_voice_consent, national_areas, old_lists_until, skip_landlines)
   values ($1, coalesce($3::jsonb ->> 'require_consent', 'none'), $3::jsonb ->> 'require_voice_consent',
     coalesce($3::jsonb ->> 'national_areas', 'loaded'), $6::timestamptz,
     ($3::jsonb ->> 'skip_landlines')::boolean)
   on conflict (tenant_id) do update set
     require_consent = coalesce($3::jsonb ->> 'require_consent', screening_rules.require_consent),
     require_voice_consent = coalesce($3::jsonb ->> 'require_voice_consent', screening_rules.require_voice_consent),
     national_areas = coalesce($3::jsonb ->> 'national_areas', screening_rules.national_areas),
     -- By itself, since what a text says as a time depends on settings, which Citus takes in no conflict.
     old_lists_until = case when $3::jsonb ? 'old_lists_until' then $6::timestamptz else screening_rules.old_lists_until end,
     skip_landlines = coalesce(($3::jsonb ->> 'skip_landlines')::boolean, screening_rules.skip_landlines)`,
);

/** Changes what is given, and keeps who changed what and why. */
export async function change(
  tx: Tx,
  tenantId: Uuid,
  revision: { id: Uuid; change: RuleChange; reason: string; at: Date },
): Promise<void> {
  const { id, change, reason, at } = revision;
  await tx.run(changeRules, [tenantId, id, JSON.stringify(change), reason, at, change.old_lists_until ?? null]);
}

/** An answer of the reassigned-numbers database is good for as long as a national list is. */
const ANSWER_GOOD_FOR_MS = 30 * 86_400_000;

/** A phone as the claim holds it. */
type Held = { phone: string; bases: StoredBasis[] | null; deactivatedAt: Date | null };

/** Consents of whoever has the number now: those from before it was given up were another's. */
const standing = ({ bases, deactivatedAt }: Held) =>
  basesOf(bases).filter(({ at }) => deactivatedAt === null || at > deactivatedAt);

/**
 * The facts from lists and records about each of these phones. Costs one statement where no list is loaded and no reassigned-numbers database is
 * used, and one more for each of the two: never one per phone.
 */
export async function screen(
  tx: Tx,
  tenantId: Uuid,
  phones: readonly Held[],
  wanted: { now: Date; channel: "sms" | "voice"; checksReassigned: boolean },
): Promise<Map<string, Screening>> {
  const { now, channel } = wanted;
  const consents = new Map(phones.map((held) => [held.phone, consentAt(standing(held), channel, now)]));
  const having = phones.filter(({ phone }) => consents.get(phone) !== undefined).map(({ phone }) => phone);
  const [rule, checks] = await Promise.all([
    rules(tx, tenantId),
    wanted.checksReassigned && having.length > 0 ? numberChecks.find(tx, tenantId, having) : [],
  ]);
  const without = rule.has_national_list ? phones.filter(({ phone }) => consents.get(phone) === undefined) : [];
  const landlines = new Set(
    rule.skip_landlines && channel === "sms"
      ? (
          await lineTypes.find(
            tx,
            tenantId,
            phones.map(({ phone }) => phone),
          )
        )
          .filter((line) => !takesTexts(line.line_type))
          .map(({ phone }) => phone)
      : [],
  );
  const areas = new Map(
    (
      await nationalLists.look(
        tx,
        tenantId,
        without.map(({ phone }) => phone),
      )
    ).map((found) => [found.phone, { listed: found.listed, listedOn: found.listed_on }]),
  );
  const checked = new Map(checks.map((check) => [check.phone, check]));
  const oldListsAllowed = rule.old_lists_until !== null && now < rule.old_lists_until;
  return new Map(
    phones.map((held) => {
      const { phone } = held;
      const consent = consents.get(phone);
      const check = checked.get(phone);
      const isFresh = check?.answered_at != null && now.getTime() - check.answered_at.getTime() < ANSWER_GOOD_FOR_MS;
      const isAboutIt = check?.consent_at.getTime() === consent?.at.getTime();
      const answer = isFresh && isAboutIt && check?.answer ? check.answer : "unchecked";
      return [
        phone,
        {
          consent,
          requireConsent: rule.require_consent,
          requireVoiceConsent: channel === "voice" ? rule.require_voice_consent : "none",
          national: nationalLists.isCovered(phone) ? (areas.get(phone) ?? null) : undefined,
          needsNational: rule.national_areas === "all",
          oldListsAllowed,
          // Without a date of consent there is nothing to ask about.
          reassigned: wanted.checksReassigned && consent ? answer : undefined,
          isSkippedLandline: landlines.has(phone),
          isDeactivated: held.deactivatedAt !== null && standing(held).length === 0,
        },
      ];
    }),
  );
}
