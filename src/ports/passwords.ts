/** Too many passwords wait to be looked at. */
export class PasswordsBusy extends Error {
  override name = "PasswordsBusy";
}

/** Passwords of people, which are kept as nothing but slow hashes. Fails with PasswordsBusy when too many come at once. */
export type Passwords = {
  /** In lower case: the words that are tried first. */
  common: ReadonlySet<string>;
  /** The hash to keep, as text of the PHC's form: algorithm, cost, salt and hash. */
  hash(password: string): Promise<string>;
  /** Whether this is the password of a hash. Takes as long where there is none to compare with, and is false then. */
  matches(password: string, kept: string | undefined, waits: Waits): Promise<boolean>;
};

/** Where a password waits when many come at once: lines take turns, and those of who is known come first. */
export type Waits = { line: string; isKnown: boolean };
