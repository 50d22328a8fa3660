import { parseId } from "#domain/values/id.ts";
import { ATTEMPT_CAPS } from "./attempt-cap.ts";
import { banRule, type CallingBan } from "./calling-ban.ts";
import { CALLING_RULES, type RuleStrength } from "./calling-rules.ts";
import { AI_VOICE_CONSENT } from "./consent.ts";

/** Where a rule comes from, for a person who asks why. */
export type RuleSource = Readonly<{
  id: string;
  /** Null for a rule that no jurisdiction makes: the contact's wish, the campaign's own dates. */
  jurisdiction: string | null;
  source: string;
  strength: RuleStrength | null;
  verifiedOn: string | null;
}>;

const own = (id: string, source: string): RuleSource => ({
  id,
  jurisdiction: null,
  source,
  strength: null,
  verifiedOn: null,
});

/** The gate's rules that are in no table of law. */
const OWN: readonly RuleSource[] = [
  own("opted_out", "The contact's opt-out; 47 CFR 64.1200(a)(10)"),
  own("do_not_call", "The do-not-call list; 47 CFR 64.1200(d)"),
  own("do_not_message", "The contact's own words"),
  own("campaign_deleted", "The campaign"),
  own("campaign_paused", "The campaign"),
  own("campaign_ended", "The campaign's end time"),
  own("campaign_not_begun", "The campaign's begin time"),
  own("campaign_window", "The campaign's calling window"),
  own("organization_archived", "The organization, which is archived"),
  own("agent_working_hours", "The agent's working hours"),
  own("opt_out_in_doubt", "What the contact said last, which may be an opt-out; 47 CFR 64.1200(a)(10)"),
  own("consent_missing", "The tenant's own requirement of consent"),
  own("ai_voice_consent", `The tenant's own requirement of consent to calls; ${AI_VOICE_CONSENT.law}`),
  own("national_do_not_call", "The national do-not-call list; 47 CFR 64.1200(c)(2)"),
  own("national_list_old", "A list at most 31 days old; 47 CFR 64.1200(c)(2)(i)(D)"),
  own("national_list_missing", "The tenant's own requirement of a list for each area code"),
  own("reassigned_number", "The reassigned-numbers database; 47 CFR 64.1200(m)"),
  own("deactivated_number", "The carriers' daily list of given-up numbers"),
  own("landline", "A look-up of the line's type, and the tenant's own wish to skip landlines"),
  own("reassigned_unchecked", "The reassigned-numbers database; 47 CFR 64.1200(m)"),
  own("call_in_progress", "A call with the contact that is going on"),
  own("confirmation_too_late", "A confirmation within five minutes; 47 CFR 64.1200(a)(12)"),
  own("another_call_was_asked_for", "The contact's own words"),
  own("manual_stopped", "Somebody here"),
  own("brand_daily_budget", "The carriers' daily limit for the brand"),
  own("campaign_daily_budget", "The carriers' daily limit for the campaign"),
  own("carrier_removed", "The sender's carrier account, which was removed"),
  own("never_open", "All rules together: no hour is left, or nobody knows where the number is"),
];

const RULES: ReadonlyMap<string, RuleSource> = new Map(
  [
    ...OWN,
    ...[...CALLING_RULES, ...ATTEMPT_CAPS].map(({ id, jurisdiction, source, strength, verifiedOn }) => ({
      id,
      jurisdiction,
      source,
      strength,
      verifiedOn,
    })),
  ].map((rule) => [rule.id, rule]),
);

/**
 * The source of a rule that a message carries. What no law and nobody's wish forbade was the text's own fault, or its
 * conversation's: its wording, its place after another. A ban that was removed has only its id.
 */
export function sourceOf(id: string, bans: readonly CallingBan[]): RuleSource {
  const known = RULES.get(id);
  if (known) return known;
  const ban = bans.find((ban) => banRule(ban) === id);
  if (ban) return { ...own(id, ban.reason), jurisdiction: ban.jurisdiction };
  return own(id, parseId("ban", id) ? "A ban that was removed" : "The text itself or its conversation");
}
