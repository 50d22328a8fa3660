import type { Uuid } from "#domain/values/id.ts";

// When a number that calls are placed from has become bad, and how long it rests then.

/** Calls of so many days are held against a number. */
const HEALTH_DAYS = 7;

/** A number's calls in one campaign, or outside of any. */
export type NumberSum = {
  number: string;
  /** Of first calls the campaign; of redials, which fewer take, and of calls that were asked for it is an id made of it: they are compared among each other. */
  campaign_id: Uuid;
  /** Calls that came to a phone, or were refused in its name. */
  placed: number;
  /** By a person. */
  answered: number;
  /** Opt-outs in a call from it, or after one. */
  complaints: number;
  /** Refused as spam: SIP 607 and 608, and 603 where it says so. */
  unwanted: number;
};

export const REST_REASONS = ["unwanted", "complaints", "answer_rate"] as const;
export type RestReason = (typeof REST_REASONS)[number];

const DAY_MS = 86_400_000;

/** A moment in the first day whose calls are held against a number. */
export const judgedSince = (now: Date): Date => new Date(now.getTime() - (HEALTH_DAYS - 1) * DAY_MS);

/** One may be a mistake of a person's or of a carrier's: two in a day are how numbers begin to be blocked. */
const REFUSALS_TO_REST = 2;
/** Of a day's calls: some people refuse any number, so one that places thousands of calls meets more than two. */
const REFUSED_SHARE = 0.005;

/**
 * The times of refusals that count, of those that were known and new ones: of the 24 hours before the last. `placed`: the calls from it in a day about
 * then.
 */
export function recentRefusals(
  known: readonly Date[],
  fresh: readonly Date[],
  placed: number,
): { times: Date[]; isTooMany: boolean } {
  const all = [...known, ...fresh].sort((a, b) => a.getTime() - b.getTime());
  const since = (all.at(-1)?.getTime() ?? 0) - DAY_MS;
  const times = all.filter((at) => at.getTime() > since);
  return { times, isTooMany: times.length >= Math.max(REFUSALS_TO_REST, placed * REFUSED_SHARE) };
}

/** Fewer calls from a number, and from the others beside it, say nothing about how it is answered. */
const ENOUGH_CALLS = 100;
/** As many answers are to be expected at least: below that the normal distribution is no good stand-in for the exact one. */
const ENOUGH_EXPECTED = 10;
/**
 * One in 30,000 by chance, in one direction. It is looked at again with each day's calls, of perhaps a hundred numbers: a usual 1 in 20 would have
 * good numbers rest every day.
 */
const CERTAIN_Z = 4;
/** Also a sure difference is only a reason where it is large. */
const MUCH_LESS = 0.6;

export type AnswerRate = {
  placed: number;
  answered: number;
  rate: number | null;
  /** What the other numbers of the same campaigns have, weighted as this number's calls are; null without enough of them. */
  usual: number | null;
  isTooLow: boolean;
};

/**
 * How a number is answered beside the tenant's other numbers: within each campaign, since lists differ more than numbers do (the test of Cochran,
 * Mantel and Haenszel). Campaigns in which it calls alone say nothing.
 */
export function answerRate(number: string, sums: readonly NumberSum[]): AnswerRate {
  const own = sums.filter((sum) => sum.number === number);
  const placed = total(own, "placed");
  const answered = total(own, "answered");
  let compared = 0;
  let compare = 0;
  let othersPlaced = 0;
  let others = 0;
  let expected = 0;
  let variance = 0;
  let usual = 0;
  for (const mine of own) {
    const beside = sums.filter((sum) => sum.campaign_id === mine.campaign_id && sum.number !== number);
    const n = total(beside, "placed");
    if (mine.placed === 0 || n === 0) continue;
    const m = total(beside, "answered");
    const all = mine.placed + n;
    const reached = mine.answered + m;
    compared += mine.placed;
    compare += mine.answered;
    othersPlaced += n;
    others += m;
    expected += (mine.placed * reached) / all;
    variance += (mine.placed * n * reached * (all - reached)) / (all * all * (all - 1));
    usual += (mine.placed * m) / n;
  }
  const isEnough = compared >= ENOUGH_CALLS && othersPlaced >= ENOUGH_CALLS && others > 0;
  const isTooLow =
    isEnough &&
    expected >= ENOUGH_EXPECTED &&
    variance > 0 &&
    (expected - compare) / Math.sqrt(variance) >= CERTAIN_Z &&
    compare < MUCH_LESS * usual;
  return {
    placed,
    answered,
    rate: placed === 0 ? null : answered / placed,
    usual: isEnough ? usual / compared : null,
    isTooLow,
  };
}

/** Fewer may be one bad hour. */
const ENOUGH_COMPLAINTS = 5;
/** Of people who were reached: what more than ask for no further call anywhere, where a tenant has no other numbers to compare with. */
const MANY_COMPLAINTS = 0.1;
/** Above this share in any case: a number is not bad for being the worst of good ones. */
const FEW_COMPLAINTS = 0.05;
/** One in 1,000 by chance, in one direction. */
const LIKELY_Z = 3.09;

/** Whether more people who were reached from it complain than of the tenant's other numbers, beyond what chance explains. */
export function complainsTooMuch(number: string, sums: readonly NumberSum[]): boolean {
  const own = sums.filter((sum) => sum.number === number);
  const beside = sums.filter((sum) => sum.number !== number);
  const complaints = total(own, "complaints");
  if (complaints < ENOUGH_COMPLAINTS) return false;
  // A mailbox or a menu does not complain; an opt-out by text after a call that nobody answered does.
  const reached = Math.max(total(own, "answered"), complaints);
  const others = total(beside, "answered");
  const usual = others < ENOUGH_CALLS ? MANY_COMPLAINTS : total(beside, "complaints") / others;
  return leastShare(complaints, reached) > Math.max(usual, FEW_COMPLAINTS);
}

/** The lower end of Wilson's interval: the share is above it, but for one time in 1,000. */
function leastShare(n: number, of: number): number {
  const z2 = LIKELY_Z * LIKELY_Z;
  const p = n / of;
  const middle = p + z2 / (2 * of);
  const half = LIKELY_Z * Math.sqrt((p * (1 - p)) / of + z2 / (4 * of * of));
  return (middle - half) / (1 + z2 / of);
}

/** Why a number is to rest by its calls, if it is. */
export function restReason(number: string, sums: readonly NumberSum[]): RestReason | undefined {
  if (complainsTooMuch(number, sums)) return "complaints";
  return answerRate(number, sums).isTooLow ? "answer_rate" : undefined;
}

/** A day, and twice as long each time, until it is a fortnight and more: what blocks numbers forgets within weeks. */
const LONGEST_DOUBLINGS = 4;
/** A rest so long ago has nothing to do with the next. */
const FORGOTTEN_AFTER_MS = 30 * DAY_MS;

/** The rest that begins now, after so many in a row of which the last ended then. */
export function nextRest(before: { rests: number; endedAt: Date | null }, now: Date): { rests: number; until: Date } {
  const isForgotten = before.endedAt === null || now.getTime() - before.endedAt.getTime() > FORGOTTEN_AFTER_MS;
  const rests = isForgotten ? 0 : before.rests;
  return { rests: rests + 1, until: new Date(now.getTime() + DAY_MS * 2 ** Math.min(rests, LONGEST_DOUBLINGS)) };
}

const total = (sums: readonly NumberSum[], what: "placed" | "answered" | "complaints" | "unwanted"): number =>
  sums.reduce((sum, each) => sum + each[what], 0);

/** A number's sums over all its campaigns. */
export const sumOf = (number: string, sums: readonly NumberSum[]) => {
  const own = sums.filter((sum) => sum.number === number);
  return { complaints: total(own, "complaints"), unwanted: total(own, "unwanted") };
};
