import type { Uuid } from "#domain/values/id.ts";

export type FactorKind = "totp" | "passkey";

/** What a session still lacks before it opens anything: a factor that the user has, or one that the user has to get. */
export type Pending = "factor" | "enrolment";

/** How a second step may be answered. */
export type ProofKind = "code" | "passkey" | "recovery_code";

/** More than anybody needs, and a bound on what is read at each sign-in. */
export const MOST_FACTORS = 20;

/** Between the two steps of a sign-in: long enough to fetch the phone from another room. */
const PENDING_MS = 10 * 60_000;
export const pendingUntil = (now: Date): Date => new Date(now.getTime() + PENDING_MS);

/** How long a sign-in or a proof allows what changes who can sign in. OWASP ASVS 5.0, 7.5.3. */
const FRESH_MS = 10 * 60_000;
/** Until when what was proved then allows it; undefined when that is over. */
export function freshUntil(provedAt: Date | null, now: Date): Date | undefined {
  const until = new Date((provedAt?.getTime() ?? 0) + FRESH_MS);
  return until > now ? until : undefined;
}

/** An app whose first code does not come within this time is forgotten. */
const CONFIRM_MS = 15 * 60_000;
export const unconfirmedSince = (now: Date): Date => new Date(now.getTime() - CONFIRM_MS);

/** Where an app's secret stands, which it is sealed under: moved to another row it does not open. */
export const secretPlace = (tenantId: Uuid, id: Uuid) => ({ table: "factors", tenantId, row: id, column: "secret" });

/** Read by people from paper: no letter that looks like another. */
const ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz";
/** The largest multiple of the alphabet's length in a byte: no letter comes more often than another. */
const FAIR = 256 - (256 % ALPHABET.length);
const CODE_LETTERS = 16;
export const RECOVERY_CODES = 10;

/** A recovery code, four times four letters: 79 bits. `random` returns as many bytes as it is asked for. */
export function newRecoveryCode(random: (bytes: number) => Uint8Array): string {
  let code = "";
  while (code.length < CODE_LETTERS) {
    for (const byte of random(CODE_LETTERS)) {
      if (byte < FAIR && code.length < CODE_LETTERS) code += ALPHABET[byte % ALPHABET.length];
    }
  }
  return code.replace(/(.{4})(?=.)/g, "$1-");
}

/** As it is hashed: however it was typed. Bound to its user. */
export const recoveryText = (userId: Uuid, code: string): string =>
  `recovery ${userId} ${code.toLowerCase().replace(/[^a-z0-9]/g, "")}`;
