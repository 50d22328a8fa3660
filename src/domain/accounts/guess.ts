/** How often something may be guessed at: so many tries at once, and one more each time. */
export type GuessLimit = { tries: number; everyMs: number };

/** 2,880 guesses a day: they find no password of 12 characters. */
const EVERY_MS = 30_000;

/** Of one account from one network, or from one browser in which the account has signed in before. */
export const ACCOUNT_FROM_ONE: GuessLimit = { tries: 10, everyMs: EVERY_MS };

/** Of one account from everywhere else together: NIST SP 800-63B-4 (3.2.2) allows no more than 100 in a row. */
export const ACCOUNT_FROM_ALL: GuessLimit = { tries: 100, everyMs: EVERY_MS };

/**
 * Of one account's second factor, from everywhere together: whoever gets so far knows the password. Six digits, three of which count at a time: after
 * ten tries at once 144 a day, of which one in 2,300 days is right.
 */
export const CODES: GuessLimit = { tries: 10, everyMs: 10 * 60_000 };

/** Of one address, by the setting: a minute's worth at once. */
export const ofAddress = (perMinute: number): GuessLimit => ({
  tries: perMinute,
  everyMs: Math.max(1, Math.round(60_000 / perMinute)),
});
