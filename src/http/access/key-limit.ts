import { hash } from "node:crypto";
import { tooManyFailures } from "#domain/values/errors.ts";
import type { Context } from "#operations/context.ts";
import { type Guesses, type Tries, triesOfAddress } from "./guesses.ts";
import { networkOf } from "./rate-limit.ts";

/** Enough for every key in use; past it the memory starts anew. */
const MAX_GOOD = 10_000;

/**
 * Keys, sessions and links that come to this process for the first time; 0 is unlimited. A try of the address is taken before one is
 * checked, and given back unless it was wrong. One that was valid here before needs none: many callers may share an address, and one of them must
 * not lock the others out.
 */
export class KeyLimiter {
  private readonly guesses: Guesses;
  private readonly perMinute: number;
  private readonly good = new Set<string>();
  /** Those of a network that are being looked at. */
  private readonly looking = new Map<string, Set<Promise<unknown>>>();

  constructor(guesses: Guesses, perMinute: number) {
    this.guesses = guesses;
    this.perMinute = perMinute;
  }

  /** Runs `look`, which finds out whose a secret is. Fails with 429 where too many of the address were wrong. */
  async attempt<T>(
    ctx: Context,
    { address, secret }: { address: string; secret: string },
    look: () => Promise<T>,
    isWrong: (error: unknown) => boolean,
  ): Promise<T> {
    if (this.perMinute === 0) return look();
    const name = digest(secret);
    if (this.good.has(name)) {
      return look().catch((error) => {
        this.good.delete(name);
        throw error;
      });
    }
    const tries = [triesOfAddress(networkOf(address), this.perMinute)];
    await this.take(ctx, networkOf(address), tries);
    return this.held(networkOf(address), async () => {
      try {
        const found = await look();
        await this.guesses.giveBack(ctx, tries);
        if (this.good.size >= MAX_GOOD) this.good.clear();
        this.good.add(name);
        return found;
      } catch (error) {
        if (!isWrong(error)) await this.guesses.giveBack(ctx, tries);
        throw error;
      }
    });
  }

  /** Waits as long as others of the network are looked at, who may give theirs back: after a start all come at once, and are right. */
  private async take(ctx: Context, network: string, tries: readonly Tries[]): Promise<void> {
    for (;;) {
      const waitMs = await this.guesses.takeAll(ctx, tries);
      if (waitMs === 0) return;
      const looking = this.looking.get(network);
      if (!looking) throw tooManyFailures(Math.ceil(waitMs / 1_000));
      await Promise.race(looking);
    }
  }

  private async held<T>(network: string, look: () => Promise<T>): Promise<T> {
    const looking = this.looking.get(network) ?? new Set();
    this.looking.set(network, looking);
    const found = look();
    const settled = found.then(
      () => {},
      () => {},
    );
    looking.add(settled);
    try {
      return await found;
    } finally {
      looking.delete(settled);
      if (looking.size === 0) this.looking.delete(network);
    }
  }
}

/** Keys are not kept, not even in memory. */
const digest = (key: string): string => hash("sha256", key, "base64");
