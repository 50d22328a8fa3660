import type { GuessLimit } from "#domain/accounts/guess.ts";
import type { Context } from "#operations/context.ts";
import * as guesses from "#store/accounts/guesses.ts";

/** Whose tries they are, as a digest: neither addresses nor accounts that do not exist are stored. */
const nameOf = (ctx: Context, whose: string): Buffer => ctx.digest(`guesses ${whose}`);

/** Takes up to `count` tries at a secret, before the secret is checked. Counted in the database: all nodes share them. */
export const takeGuesses = (
  ctx: Context,
  whose: string,
  limit: GuessLimit,
  count: number,
): Promise<{ granted: number; nextInMs: number }> => guesses.take(ctx.db, nameOf(ctx, whose), limit, count);

/** Gives back a try that was right, or was no guess. */
export const giveBackGuess = (ctx: Context, whose: string, limit: GuessLimit): Promise<void> =>
  guesses.giveBack(ctx.db, nameOf(ctx, whose), limit);
