import { AppError, tooManyFailures } from "#domain/errors.ts";
import { Buckets, digest, type FailureLimiter, networkOf } from "./rate-limit.ts";

/** Wrong passwords that an account takes at once, and how soon one more: 2,880 guesses a day find no password of 12 characters. */
const TRIES = 10;
const SECONDS_A_TRY = 30;
/** Enough for everybody who signs in; past it the memory starts anew. */
const MAX_GOOD = 10_000;

/**
 * The wrong passwords of each account, in this process, beside those of each address. Whoever has signed in from an address
 * before has tries of his own there, so that somebody else who guesses does not lock him out.
 */
export class LoginLimiter {
  private readonly buckets = new Buckets(TRIES, 1 / SECONDS_A_TRY);
  private readonly good = new Set<string>();
  private readonly failures: FailureLimiter;

  constructor(failures: FailureLimiter) {
    this.failures = failures;
  }

  /**
   * Runs `work`, which looks at a password of this account (any name of it) or at the secret of a link. Fails with 429 instead where
   * too many were wrong. One is counted before it is looked at, and given back unless it was wrong: many at once gain nothing.
   */
  async attempt<T>(account: string, address: string, work: () => Promise<T>): Promise<T> {
    const here = digest(`${account} ${networkOf(address)}`);
    const name = this.good.has(here) ? here : digest(account);
    this.failures.check(address, here);
    const { taken, left } = this.buckets.take(name, 1);
    if (!taken) throw tooManyFailures(Math.ceil((1 - left) * SECONDS_A_TRY), "passwords for this account");
    try {
      const done = await work();
      this.buckets.giveBack(name, 1);
      this.failures.passed(here);
      if (this.good.size >= MAX_GOOD) this.good.clear();
      this.good.add(here);
      return done;
    } catch (error) {
      if (isWrong(error)) this.failures.failed(address);
      else this.buckets.giveBack(name, 1);
      throw error;
    }
  }
}

const isWrong = (error: unknown): boolean =>
  error instanceof AppError && (error.code === "wrong_credentials" || error.code === "link_invalid");
