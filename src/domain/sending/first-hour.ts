/** What is known of a sender's first hour with a carrier: when its first text left, and how many have since. Real time. */
export type FirstHour = { firstSentAt: Date | null; sent: number };

const HOUR_MS = 3_600_000;
/** Of the hour's texts this part may leave at once; the rest evenly over the hour. */
const AT_ONCE = 0.1;
/** What has become free is taken together: one text at a time would be a claim for each. */
const GATHER_MS = 60_000;

/**
 * How many campaign texts a sender that is new with its carrier may send now, and when more. A mistake in a first campaign then reaches some, not all,
 * and carriers' filters take a number that begins with thousands for spam. `texts`: of the whole hour, 0 without a ramp.
 */
export function firstHourRoom(
  texts: number,
  { firstSentAt, sent }: FirstHour,
  now: Date,
): { room: number; nextAt: Date } | undefined {
  const elapsedMs = firstSentAt === null ? 0 : Math.max(0, now.getTime() - firstSentAt.getTime());
  if (texts === 0 || elapsedMs >= HOUR_MS) return undefined;
  const allowed = allowedAfter(texts, elapsedMs);
  return { room: Math.max(0, allowed - sent), nextAt: new Date(now.getTime() + GATHER_MS) };
}

/** The first hour as a forecast has it, in the tenant's time: `beganAt` null until the first text leaves. */
export type Ramp = { texts: number; beganAt: Date | null; sent: number };

/** Undefined without a ramp, or after the hour. `aheadMs`: how far the tenant's time is ahead of real time. */
export function rampAt(
  texts: number,
  { firstSentAt, sent }: FirstHour,
  { now, aheadMs }: { now: Date; aheadMs: number },
): Ramp | undefined {
  const beganAt = firstSentAt && new Date(firstSentAt.getTime() + aheadMs);
  const isOver = beganAt !== null && now.getTime() >= beganAt.getTime() + HOUR_MS;
  return texts === 0 || isOver ? undefined : { texts, beganAt, sent };
}

/** What of a ramp may leave at a moment, and when more may. */
export function rampRoom({ texts, beganAt, sent }: Ramp, at: number): { room: number; nextAt: number } {
  const began = beganAt?.getTime() ?? at;
  if (at >= began + HOUR_MS) return { room: Number.POSITIVE_INFINITY, nextAt: at };
  return { room: allowedAfter(texts, at - began) - sent, nextAt: Math.min(at + GATHER_MS, began + HOUR_MS) };
}

/** How many of the hour's texts may have left after a part of it; at its begin those that leave at once. */
export const allowedAfter = (texts: number, elapsedMs: number): number =>
  Math.max(1, Math.floor(texts * (AT_ONCE + ((1 - AT_ONCE) * Math.min(elapsedMs, HOUR_MS)) / HOUR_MS)));
