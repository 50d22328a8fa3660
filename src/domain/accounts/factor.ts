import { failure } from "#domain/values/errors.ts";
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

/** How long a sign-in or a proof allows what changes one's own factors. OWASP ASVS 5.0, 7.5.1. */
const OWN_FRESH_MS = 10 * 60_000;
/** And what gives away an admin's rights: who is at work on users does several such things one after another. */
const ADMIN_FRESH_MS = 15 * 60_000;

/** Until when what was proved then allows changes of one's own factors; undefined when that is over. */
export function freshUntil(provedAt: Date | null, now: Date, forMs = OWN_FRESH_MS): Date | undefined {
  const until = new Date((provedAt?.getTime() ?? 0) + forMs);
  return until > now ? until : undefined;
}

type Prover = { provedAt: Date | null };

/** 403 unless this person has shown within ten minutes who it is: a browser that was left open must not change how its person signs in. */
export function requireProof({ provedAt }: Prover, now: Date): void {
  if (freshUntil(provedAt, now) === undefined)
    throw failure("proof_required", "Show first who you are: this changes how you sign in");
}

/**
 * 403 unless this person has shown within a quarter of an hour who it is: a browser that was left open must make no other admin. Keys are not asked,
 * since no person is behind one. To be called before anything is changed.
 */
export function requireAdminProof(person: Prover | undefined, now: Date): void {
  if (person !== undefined && freshUntil(person.provedAt, now, ADMIN_FRESH_MS) === undefined)
    throw failure(
      "proof_required",
      "Show first who you are: this gives away an admin's rights, or changes how others sign in",
    );
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
