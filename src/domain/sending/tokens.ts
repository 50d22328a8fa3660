/** A lane's tokens as of a time: each text or call takes one, and so many a second come back. */
export type Tokens = { per_second: number; tokens: number; tokens_at: Date };

/** The lane's tokens by now: it saves up a second's worth at most. */
export function refill({ per_second, tokens, tokens_at }: Tokens, now: Date): number {
  const gained = (Math.max(0, now.getTime() - tokens_at.getTime()) / 1000) * per_second;
  return Math.min(Math.max(1, per_second), tokens + gained);
}
