import type { DisconnectionReason, Sentiment } from "#domain/calls/call.ts";

/** Parts of a whole, 0 to 1 with four digits; 0 of nothing. */
export const share = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 10_000;

/** Calls by how they were felt, and by how they ended; a call that nobody has judged is Unknown. */
export function tallies(ends: readonly { sentiment: Sentiment; reason: DisconnectionReason | null; n: number }[]): {
  sentiment: Record<Sentiment, number>;
  reasons: Record<string, number>;
} {
  const sentiment: Record<Sentiment, number> = { Positive: 0, Negative: 0, Neutral: 0, Unknown: 0 };
  const reasons: Record<string, number> = {};
  for (const { sentiment: felt, reason, n } of ends) {
    sentiment[felt] += n;
    if (reason !== null) reasons[reason] = (reasons[reason] ?? 0) + n;
  }
  return { sentiment, reasons };
}
