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

/** Codes of an app that change with time (RFC 6238). */
export type TimedCodes = {
  /** A new shared secret, in base32. */
  newSecret(): string;
  /** How an app takes the secret: an address of its own scheme, and the same as a picture, as SVG. */
  enrolment(secret: string, shown: { issuer: string; account: string }): { uri: string; qrSvg: string };
  /** The step of time that this is the code of, at most one step from now; undefined when it is none of them. */
  stepOf(secret: string, code: string, at: Date): number | undefined;
};

/** Where passkeys count: a domain, and the one address whose pages may use them. */
export type PasskeySite = { rpId: string; origin: string };

/** A passkey as it is kept. */
export type KeptPasskey = {
  /** Base64url. */
  credential: string;
  publicKey: Uint8Array;
  signCount: number;
  transports: readonly string[];
};

/** What a browser sends of a new passkey, binary values as base64url. */
export type MadePasskey = { id: string; clientData: string; attestation: string; transports: readonly string[] };

/** What a browser sends of a signature by one. */
export type PasskeyAnswer = {
  id: string;
  clientData: string;
  authenticatorData: string;
  signature: string;
  userHandle: string | undefined;
};

/** Signatures by keys that a person's device or password manager keeps (WebAuthn). */
export type Passkeys = {
  /** What the browser makes a passkey by, as JSON of the standard's form. */
  creation(
    site: PasskeySite,
    user: { handle: Uint8Array; name: string; shownName: string },
    challenge: string,
    known: readonly KeptPasskey[],
  ): Promise<Record<string, unknown>>;
  /** What the browser signs by. Without `known` the person chooses among all that there are for this site, and has to unlock it. */
  request(site: PasskeySite, challenge: string, known?: readonly KeptPasskey[]): Promise<Record<string, unknown>>;
  /** The challenge that an answer says it is to; undefined where it cannot be read. */
  challengeOf(clientData: string): string | undefined;
  /** The passkey that was made, or undefined for what is not one, or of another site or challenge. */
  made(site: PasskeySite, made: MadePasskey, challenge: string): Promise<KeptPasskey | undefined>;
  /** Its new count of signatures, or undefined: another key, site or challenge, or a count that did not rise. */
  signed(
    site: PasskeySite,
    answer: PasskeyAnswer,
    challenge: string,
    by: KeptPasskey,
    isUnlockNeeded: boolean,
  ): Promise<number | undefined>;
};

/** A provider that people sign in by (OpenID Connect), as it is asked. */
export type ProviderAccess = {
  issuer: string;
  clientId: string;
  clientSecret: string | undefined;
  scopes: readonly string[];
};

/** One sign-in, from its start to its end. */
export type SignOn = { redirectUri: string; state: string; nonce: string; verifier: string };

/** What a provider has said of a person, after every check: who it is there, and all that was said. */
export type ProvedIdentity = { subject: string; claims: Readonly<Record<string, unknown>> };

/** A provider cannot be used: `message` says why in one sentence that may be shown. */
export class ProviderProblem extends Error {
  override name = "ProviderProblem";
}

/** What came back from a sign-in is not the provider's, not for us, or not of this sign-in: `message` says why in one sentence. */
export class SignOnRefused extends Error {
  override name = "SignOnRefused";
}

/** Identity providers of tenants. All but `problem` ask the provider, and fail with ProviderProblem where it cannot be used. */
export type IdentityProviders = {
  /** What is wrong with an issuer's address, in the words of a 400. */
  problem(issuer: string): string | undefined;
  /** Reads what the provider says of itself; fails where it does not do for a sign-in. */
  check(access: ProviderAccess): Promise<void>;
  /** Where the browser goes. */
  authorizationUrl(access: ProviderAccess, signOn: SignOn, email: string | undefined): Promise<string>;
  /** Ends a sign-in by what came back in the address of the page. Fails with SignOnRefused, too. */
  complete(access: ProviderAccess, signOn: SignOn, query: string): Promise<ProvedIdentity>;
};
