import { type RuleStrength, SUMMARIES, VERIFIED_ON } from "./calling-rules.ts";
import { jurisdictionsOf, type Profile } from "./jurisdiction.ts";

/** How often one contact may be tried in a sliding time, calls and texts together. Jurisdictions are those of calling rules. */
export type AttemptCap = Readonly<{
  /** Stored with every hold: never rename one. */
  id: string;
  jurisdiction: string;
  attempts: number;
  withinMs: number;
  source: string;
  verifiedOn: string;
  strength: RuleStrength;
}>;

export type Channel = "sms" | "voice";

/** One time that a contact was tried without having asked: a starting text, a follow-up, a call. */
export type OutreachAttempt = Readonly<{ at: Date; channel: Channel }>;

const DAY_MS = 86_400_000;

const cap = (jurisdiction: string, rest: Pick<AttemptCap, "source" | "strength">): AttemptCap => ({
  id: `${jurisdiction.replace("US-", "").toLowerCase()}_attempts`,
  jurisdiction,
  attempts: 3,
  withinMs: DAY_MS,
  verifiedOn: VERIFIED_ON,
  ...rest,
});

/**
 * Florida and Oklahoma count attempts about the same subject. Whether two campaigns are about one subject is not known
 * from data, so every attempt of the tenant counts. Maryland's "calls or texts" may mean each by itself or both together: a doubt
 * takes the stricter. Washington has no daily cap; states that are not here have none
 * that we know of.
 */
export const ATTEMPT_CAPS: readonly AttemptCap[] = [
  cap("US-FL", { source: "Fla. Stat. 501.616(6), same subject", strength: "2" }),
  cap("US-OK", { source: `${SUMMARIES}, same subject`, strength: "2" }),
  cap("US-MD", { source: `${SUMMARIES}, calls or texts`, strength: "2" }),
  cap("US-OR", { source: "Oregon HB 3865, in force 2026-01-01", strength: "2" }),
  cap("strict", { source: "our default profile", strength: "own" }),
];

/** No cap looks further back than this. */
export const LONGEST_CAP_MS = Math.max(...ATTEMPT_CAPS.map((cap) => cap.withinMs));

/**
 * The cap that forbids one more attempt now, and when it frees: the one that frees last when several
 * forbid, and of equals the law before our own habit. An attempt at T counts until just before T + `withinMs`.
 * `attempts` are those to this number, in any order; older ones do not matter.
 */
export function cappedBy(
  attempts: readonly OutreachAttempt[],
  where: { states: readonly string[]; profile: Profile },
  now: Date,
): { rule: string; until: Date } | undefined {
  // The common case, without a set for each contact of a campaign.
  if (attempts.length < FEWEST_ATTEMPTS) return undefined;
  const jurisdictions = jurisdictionsOf(where.states, where.profile);
  let latest: { rule: string; until: Date } | undefined;
  for (const cap of ATTEMPT_CAPS) {
    if (!jurisdictions.has(cap.jurisdiction)) continue;
    const counted = attempts
      .map(({ at }) => at.getTime())
      .filter((at) => at > now.getTime() - cap.withinMs)
      .sort((a, b) => b - a);
    const decisive = counted[cap.attempts - 1];
    if (decisive === undefined) continue;
    const until = new Date(decisive + cap.withinMs);
    if (latest === undefined || until > latest.until) latest = { rule: cap.id, until };
  }
  return latest;
}

const FEWEST_ATTEMPTS = Math.min(...ATTEMPT_CAPS.map((cap) => cap.attempts));
