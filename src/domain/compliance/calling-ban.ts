import { publicId, type Uuid } from "#domain/values/id.ts";
import type { Channel } from "./attempt-cap.ts";
import { jurisdictionsOf, type Profile } from "./jurisdiction.ts";

/**
 * An operator's order not to reach out to a state or country for a time, as in a declared emergency (Louisiana): from
 * `from` (inclusive) to `until` (exclusive; null: until it is lifted).
 */
export type CallingBan = Readonly<{
  id: Uuid;
  /** As in calling rules: "US", "US-LA", "CA-ON". */
  jurisdiction: string;
  channel: "any" | Channel;
  from: Date;
  until: Date | null;
  reason: string;
}>;

/** A text that a ban holds asks again this often: a ban may be lifted early. */
const ASK_AGAIN_MS = 3_600_000;

/** The rule id under which a ban's holds are stored. */
export const banRule = (ban: CallingBan): string => publicId("ban", ban.id);

export type BanAnswer =
  | { banned: true; rule: string; until: Date | null; askAgainAt: Date }
  /** `until`: when the next ban begins, if one is known. */
  | { banned: false; until: Date | null };

/** Whether a ban forbids reaching out to a contact who may be in these states; of several the one that ends last. */
export function bannedBy(
  bans: readonly CallingBan[],
  where: { states: readonly string[]; profile: Profile; channel: Channel },
  now: Date,
): BanAnswer {
  if (bans.length === 0) return NOT_BANNED;
  const jurisdictions = jurisdictionsOf(where.states, where.profile);
  const theirs = bans.filter(
    (ban) =>
      jurisdictions.has(ban.jurisdiction) &&
      (ban.channel === "any" || ban.channel === where.channel) &&
      (ban.until === null || ban.until > now),
  );
  const inForce = theirs.filter((ban) => ban.from <= now);
  const longest = inForce.reduce<CallingBan | undefined>((a, b) => (a && endOf(a) >= endOf(b) ? a : b), undefined);
  if (longest) {
    const askAgainAt = new Date(Math.min(endOf(longest), now.getTime() + ASK_AGAIN_MS));
    return { banned: true, rule: banRule(longest), until: longest.until, askAgainAt };
  }
  const next = Math.min(...theirs.map((ban) => ban.from.getTime()));
  return Number.isFinite(next) ? { banned: false, until: new Date(next) } : NOT_BANNED;
}

const NOT_BANNED: BanAnswer = Object.freeze({ banned: false, until: null });
const endOf = (ban: CallingBan): number => ban.until?.getTime() ?? Number.POSITIVE_INFINITY;
