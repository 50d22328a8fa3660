import { type Consent, type ConsentRequirement, isEnough } from "./consent.ts";

/** What lists and records say about a phone, for outreach to it. Made by store/compliance/screening.ts. */
export type Screening = {
  /** The best consent for the channel. */
  consent: Consent | undefined;
  requireConsent: ConsentRequirement;
  /** What a call needs beside it; "none" of a text. */
  requireVoiceConsent: ConsentRequirement;
  /** The national list of the phone's area code; null where none is loaded, undefined where none could be. */
  national: { listed: boolean; listedOn: Date } | null | undefined;
  /** Whether an area code without a list is refused. */
  needsNational: boolean;
  /** The operator lets lists of any age do. */
  oldListsAllowed: boolean;
  /** Whether the number has had another owner since the consent; `unchecked` while that is still asked. */
  reassigned: "yes" | "no" | "no_data" | "unchecked" | undefined;
  /** The number was given up, and there is no consent since. */
  isDeactivated?: boolean;
  /** A text, to a phone that was looked up as a landline, and the tenant skips those. */
  isSkippedLandline?: boolean;
};

/** A national list may be this old when a number is called (47 CFR 64.1200(c)(2)(i)(D)). */
export const NATIONAL_LIST_DAYS = 31;
const DAY_MS = 86_400_000;
/** What an operator has to mend is looked at again this often. */
const LIST_RECHECK_MS = 3_600_000;
/** The answer itself wakes what waits for it; this is for an answer that never comes. */
const CHECK_RECHECK_MS = 60_000;

type Refusal =
  | { outcome: "held"; until: null; askAgainAt: Date; rule: string }
  | { outcome: "blocked"; rule: string; reason: string };

/**
 * Why outreach may not go to this phone, or undefined. Only what nobody has asked for is screened: an answer is not.
 *
 * | rule | when |
 * |---|---|
 * | consent_missing | no consent, or a weaker one than the tenant's rule requires |
 * | ai_voice_consent | a call, and no consent to calls, or a weaker one than the tenant's rule requires of them |
 * | national_do_not_call | on the national list, without consent or a business relationship of 18 (purchase) or 3 months (inquiry) |
 * | national_list_old | the list of the area code is more than 31 days old: held until it is renewed |
 * | national_list_missing | there is no list of the area code, and the tenant's rule asks for one: held until there is |
 * | reassigned_number | the number has changed hands since the consent |
 * | deactivated_number | the number was given up, by a list of its carrier, and there is no consent since |
 * | landline | a text, the number was looked up as a landline, and the tenant skips those |
 * | reassigned_unchecked | that is being asked: held until the answer comes |
 */
export function screen(screening: Screening, now: Date): Refusal | undefined {
  if (screening.isDeactivated)
    return {
      outcome: "blocked",
      rule: "deactivated_number",
      reason: "The number was given up, and there is no consent since.",
    };
  if (!isEnough(screening.consent, screening.requireConsent)) {
    return {
      outcome: "blocked",
      rule: "consent_missing",
      reason: `No consent on record (${screening.requireConsent} is required).`,
    };
  }
  if (!isEnough(screening.consent, screening.requireVoiceConsent)) {
    return {
      outcome: "blocked",
      rule: "ai_voice_consent",
      reason: `No consent to calls on record (${screening.requireVoiceConsent} is required).`,
    };
  }
  if (screening.reassigned === "yes") {
    return { outcome: "blocked", rule: "reassigned_number", reason: "The number has a new owner since the consent." };
  }
  if (screening.isSkippedLandline)
    return { outcome: "blocked", rule: "landline", reason: "The number is a landline, which takes no texts." };
  // Consent, and a business relationship that has not run out, exempt from the national list; so its age does not matter.
  const national = screening.consent === undefined ? nationalRefusal(screening, now) : undefined;
  if (national) return national;
  if (screening.reassigned !== "unchecked") return undefined;
  return holdFor("reassigned_unchecked", CHECK_RECHECK_MS, now);
}

function nationalRefusal({ national, needsNational, oldListsAllowed }: Screening, now: Date): Refusal | undefined {
  if (national === undefined) return undefined;
  if (national === null) return needsNational ? holdFor("national_list_missing", LIST_RECHECK_MS, now) : undefined;
  if (national.listed) {
    return {
      outcome: "blocked",
      rule: "national_do_not_call",
      reason: "The number is on the national do-not-call list.",
    };
  }
  const isOld = now.getTime() > national.listedOn.getTime() + NATIONAL_LIST_DAYS * DAY_MS;
  return isOld && !oldListsAllowed ? holdFor("national_list_old", LIST_RECHECK_MS, now) : undefined;
}

const holdFor = (rule: string, ms: number, now: Date): Refusal => ({
  outcome: "held",
  until: null,
  askAgainAt: new Date(now.getTime() + ms),
  rule,
});
