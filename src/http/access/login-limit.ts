import { ACCOUNT_FROM_ALL, ACCOUNT_FROM_ONE, type GuessLimit } from "#domain/accounts/guess.ts";
import { AppError, tooManyFailures } from "#domain/values/errors.ts";
import type { Context } from "#operations/context.ts";
import { type Guesses, type Tries, triesOfAddress } from "./guesses.ts";
import { networkOf } from "./rate-limit.ts";

/** What is guessed at: the password of an account, or a link, which is nobody's until it is right. */
export type Guessed = {
  account?: string;
  address: string;
  /** Of a browser in which this very account has signed in before. */
  device?: string | undefined;
  /** Of the account from everywhere, in place of the limits of passwords. */
  limit?: GuessLimit;
};

/**
 * Wrong passwords and links, over all nodes: of an address; of an account from one network, and from all of them. A browser in which the account
 * has signed in before has tries of its own instead, whatever others do: nobody who guesses elsewhere can lock its person out.
 */
export class LoginLimiter {
  private readonly ctx: Context;
  private readonly guesses: Guesses;
  private readonly perMinute: number;

  constructor(ctx: Context, guesses: Guesses, perMinute: number) {
    this.ctx = ctx;
    this.guesses = guesses;
    this.perMinute = perMinute;
  }

  /**
   * Runs `work`, which looks at a secret. Fails with 429 instead where too many were wrong. The tries are taken before it is looked at, and
   * given back unless it was wrong: many at once gain nothing.
   */
  async attempt<T>(guess: Guessed, work: () => Promise<T>): Promise<T> {
    const tries = this.triesOf(guess);
    const waitMs = await this.guesses.takeAll(this.ctx, tries);
    if (waitMs > 0) throw tooManyFailures(Math.ceil(waitMs / 1_000), guess.account ? PASSWORDS : LINKS);
    try {
      const done = await work();
      await this.guesses.giveBack(this.ctx, tries);
      return done;
    } catch (error) {
      if (!isWrong(error)) await this.guesses.giveBack(this.ctx, tries);
      throw error;
    }
  }

  private triesOf({ account, address, device, limit }: Guessed): Tries[] {
    if (device !== undefined) return [{ whose: `device ${device}`, limit: ACCOUNT_FROM_ONE }];
    const network = networkOf(address);
    const tries: Tries[] = [];
    if (this.perMinute > 0) tries.push(triesOfAddress(network, this.perMinute));
    if (account === undefined) return tries;
    if (limit !== undefined) return [...tries, { whose: `account ${account}`, limit }];
    tries.push({ whose: `account ${account} from ${network}`, limit: ACCOUNT_FROM_ONE });
    return [...tries, { whose: `account ${account}`, limit: ACCOUNT_FROM_ALL }];
  }
}

const PASSWORDS = "passwords for this account, or from this address";
const LINKS = "links from this address";

/** Each leaves an entry in somebody's audit log, too. */
const WRONG: readonly string[] = ["wrong_credentials", "link_invalid", "sign_on_refused"];

const isWrong = (error: unknown): boolean => error instanceof AppError && WRONG.includes(error.code);
