/**
 * What a contact's consent rests on, strongest first. `existing_business_relationship` is a purchase or payment and holds
 * for 18 months, `inquiry` for 3 (47 CFR 64.1200(f)(5)). `none` says that there is nothing, which ends what stood.
 */
export const CONSENT_BASES = [
  "express_written",
  "express",
  "existing_business_relationship",
  "inquiry",
  "none",
] as const;
export type ConsentBasis = (typeof CONSENT_BASES)[number];

export const CONSENT_CHANNELS = ["sms", "voice", "any"] as const;
export type ConsentChannel = (typeof CONSENT_CHANNELS)[number];

/** One basis that stands for one channel, since `at`. */
export type StandingBasis = { basis: Exclude<ConsentBasis, "none">; channel: "sms" | "voice"; at: Date };

/** The best of what stands for a channel; `until` is null where it does not run out by itself. */
export type Consent = { basis: StandingBasis["basis"]; at: Date; until: Date | null };

/** The least that outreach may need. `none` needs no record, `inquiry` any basis at all. */
export type ConsentRequirement = "none" | "inquiry" | "express" | "express_written";

const MONTHS: Partial<Record<ConsentBasis, number>> = { existing_business_relationship: 18, inquiry: 3 };

/** The same day so many months on, or the month's last day where it has no such day. */
function monthsAfter(at: Date, months: number): Date {
  const later = new Date(at);
  later.setUTCMonth(at.getUTCMonth() + months);
  if (later.getUTCDate() !== at.getUTCDate()) later.setUTCDate(0);
  return later;
}

const endOf = ({ basis, at }: StandingBasis): Date | null => {
  const months = MONTHS[basis];
  return months === undefined ? null : monthsAfter(at, months);
};

const strength = (basis: ConsentBasis): number => CONSENT_BASES.length - CONSENT_BASES.indexOf(basis);

/** The strongest basis that stands for the channel at `now`; of equal ones the newest. */
export function consentAt(bases: readonly StandingBasis[], channel: "sms" | "voice", now: Date): Consent | undefined {
  let best: Consent | undefined;
  for (const basis of bases) {
    const until = endOf(basis);
    if (basis.channel !== channel || (until !== null && until <= now)) continue;
    const better =
      best === undefined ? 1 : strength(basis.basis) - strength(best.basis) || basis.at.getTime() - best.at.getTime();
    if (better > 0) best = { basis: basis.basis, at: basis.at, until };
  }
  return best;
}

/** What stands once a basis is added: one of each kind and channel, the newest. `none` ends the channel's. */
export function withBasis(
  bases: readonly StandingBasis[],
  added: { basis: ConsentBasis; channel: ConsentChannel; at: Date },
): StandingBasis[] {
  const channels = added.channel === "any" ? (["sms", "voice"] as const) : [added.channel];
  const { basis, at } = added;
  if (basis === "none")
    return bases.filter((standing) => !channels.some((channel) => channel === standing.channel) || standing.at > at);
  const rest = bases.filter(
    (standing) => standing.basis !== basis || !channels.some((channel) => channel === standing.channel),
  );
  const latest = (channel: "sms" | "voice"): Date => {
    const known = bases.find((standing) => standing.basis === basis && standing.channel === channel);
    return known !== undefined && known.at > at ? known.at : at;
  };
  return [...rest, ...channels.map((channel) => ({ basis, channel, at: latest(channel) }))];
}

/**
 * What lets an AI voice call: it is an "artificial voice", for which prior express consent is needed, a written one to sell something.
 * The data does not show whether a call sells something, so the stricter reading applies.
 */
export const AI_VOICE_CONSENT = Object.freeze({
  basis: "express_written",
  law: "FCC 24-17; 47 CFR 64.1200(a)(2)-(3)",
} as const);

/** Whether a consent is as good as is required. */
export const isEnough = (consent: Consent | undefined, requirement: ConsentRequirement): boolean =>
  requirement === "none" || (consent !== undefined && strength(consent.basis) >= strength(requirement));

/**
 * Whether a START by text undoes an opt-out from this source. It undoes what was said by text, which the carriers' keywords are for; who
 * said it in a call, to be left alone altogether, is taken at that word.
 */
export const isUndoneByStart = (source: string | null): boolean => source !== "call";

/** As the database keeps it: dates are texts there. */
export type StoredBasis = { basis: string; channel: string; at: string };

export const basesOf = (stored: readonly StoredBasis[] | null): StandingBasis[] =>
  (stored ?? []).map((basis) => ({ ...basis, at: new Date(basis.at) }) as StandingBasis);
