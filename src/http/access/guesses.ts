import { type GuessLimit, ofAddress } from "#domain/accounts/guess.ts";
import { giveBackGuess, takeGuesses } from "#operations/accounts/count-guesses.ts";
import type { Context } from "#operations/context.ts";

/** Where tries are used up the database is asked again after this long: another node may have given one back. */
const ASK_AGAIN_MS = 1_000;
/** Past it the memory starts anew, which costs a statement each. */
const MAX_REMEMBERED = 10_000;

/** Whose tries are taken, and how many there are. */
export type Tries = { whose: string; limit: GuessLimit };

/** Passwords, links and keys of one network are counted together. */
export const triesOfAddress = (network: string, perMinute: number): Tries => ({
  whose: `address ${network}`,
  limit: ofAddress(perMinute),
});

type UsedUp = { askAt: number; openAt: number };
type Waiter = { resolve(waitMs: number): void; reject(error: unknown): void };

/**
 * Tries at secrets, which all nodes count in the database. A process takes those of one name with one statement at a time, for all
 * requests that came meanwhile, and remembers for a moment where none are left: a flood costs the database a few statements a second.
 */
export class Guesses {
  private readonly usedUp = new Map<string, UsedUp>();
  private readonly waiting = new Map<string, Waiter[]>();

  /** Takes a try of each: 0, or in how many milliseconds it may be tried again, and then none is taken. */
  async takeAll(ctx: Context, all: readonly Tries[]): Promise<number> {
    for (const { whose } of all) {
      const waitMs = this.remembered(whose);
      if (waitMs > 0) return waitMs;
    }
    for (const [i, tries] of all.entries()) {
      const waitMs = await this.take(ctx, tries);
      if (waitMs === 0) continue;
      await this.giveBack(ctx, all.slice(0, i));
      return waitMs;
    }
    return 0;
  }

  /** Gives tries back that were no wrong guesses. One that cannot be given back comes again in time. */
  async giveBack(ctx: Context, all: readonly Tries[]): Promise<void> {
    await Promise.all(
      all.map(async ({ whose, limit }) => {
        this.usedUp.delete(whose);
        await giveBackGuess(ctx, whose, limit).catch((err) => ctx.log.warn({ err }, "a try was not given back"));
      }),
    );
  }

  private take(ctx: Context, tries: Tries): Promise<number> {
    const waitMs = this.remembered(tries.whose);
    if (waitMs > 0) return Promise.resolve(waitMs);
    return new Promise((resolve, reject) => {
      const others = this.waiting.get(tries.whose);
      if (others) return others.push({ resolve, reject });
      this.waiting.set(tries.whose, [{ resolve, reject }]);
      void this.ask(ctx, tries);
    });
  }

  /** Takes tries for all requests that wait for this name, until none waits. */
  private async ask(ctx: Context, { whose, limit }: Tries): Promise<void> {
    for (;;) {
      const them = this.waiting.get(whose)!.splice(0);
      if (them.length === 0) break;
      try {
        const { granted, nextInMs } = await takeGuesses(ctx, whose, limit, them.length);
        if (granted < them.length) this.remember(whose, nextInMs);
        for (const [i, { resolve }] of them.entries()) resolve(i < granted ? 0 : Math.max(1, nextInMs));
      } catch (error) {
        for (const { reject } of them) reject(error);
      }
    }
    this.waiting.delete(whose);
  }

  private remember(whose: string, nextInMs: number): void {
    if (this.usedUp.size >= MAX_REMEMBERED) this.usedUp.clear();
    const now = performance.now();
    this.usedUp.set(whose, { askAt: now + Math.min(nextInMs, ASK_AGAIN_MS), openAt: now + nextInMs });
  }

  private remembered(whose: string): number {
    const known = this.usedUp.get(whose);
    const now = performance.now();
    if (known && known.askAt > now) return Math.max(1, known.openAt - now);
    if (known) this.usedUp.delete(whose);
    return 0;
  }
}
