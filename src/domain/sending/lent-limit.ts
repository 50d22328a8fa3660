import { refill } from "./tokens.ts";

/** What a tenant may send by an account that it was lent. Null: no such limit. */
export type LentLimits = { texts_per_second: number | null; texts_per_day: number | null };

/** What of it is used: tokens as of a real time, and the texts of one of the tenant's days. */
export type LentUse = { tokens: number; tokens_at: Date; day: string; texts: number };

/** What may be claimed now. `isSpent`: the day is used up, and only confirmations leave. */
export type LentRoom = { room: number; isSpent: boolean; tokens: number };

/** A tenant that has sent nothing yet begins with a second's worth. */
export const unused = (limits: LentLimits, day: string, now: Date): LentUse => ({
  ...{ tokens: Math.max(1, limits.texts_per_second ?? 0), tokens_at: now, day, texts: 0 },
});

export function lentRoom(limits: LentLimits, use: LentUse, { day, now }: { day: string; now: Date }): LentRoom {
  const { texts_per_second: per_second, texts_per_day: perDay } = limits;
  const tokens = per_second === null ? Number.POSITIVE_INFINITY : refill({ ...use, per_second }, now);
  const left = perDay === null ? Number.POSITIVE_INFINITY : Math.max(0, perDay - (use.day === day ? use.texts : 0));
  const isSpent = left < 1;
  // A confirmation of STOP is owed to who has said it, whatever the day has cost.
  return { room: Math.floor(isSpent ? tokens : Math.min(tokens, left)), isSpent, tokens };
}

/** The use once so many texts were claimed; negative: they did not leave. */
export function withTexts(
  use: LentUse,
  room: LentRoom,
  texts: number,
  { day, now }: { day: string; now: Date },
): LentUse {
  const before = use.day === day ? use.texts : 0;
  return {
    tokens: Number.isFinite(room.tokens) ? room.tokens - texts : 0,
    tokens_at: now,
    day,
    texts: Math.max(0, before + texts),
  };
}
