import { parseInstant } from "#domain/values/instant.ts";
import { CONSENT_BASES, type ConsentBasis } from "./consent.ts";

/** The consent that a contact brings along, in fields of its own: what it rests on, since when, where from, and the proof. */
export type LeadConsent = { basis: Exclude<ConsentBasis, "none">; at: Date; source: string; proof: string | null };

/** There was no telephone consumer law to consent under before; an earlier date is a slip. */
export const EARLIEST_CONSENT = parseInstant("1991-12-20T00:00:00Z")!;

const MAX_SOURCE_LENGTH = 200;
const MAX_PROOF_LENGTH = 2_000;

/** What is wrong with a field whose name begins with `consent_`, if it is one of the four. */
export function consentFieldProblem(name: string, value: unknown): string | undefined {
  if (!/^consent_(?:basis|at|source|proof)$/.test(name)) return undefined;
  if (typeof value !== "string") return "must be a string";
  // An empty cell of a file says nothing.
  if (value === "") return undefined;
  if (name === "consent_basis" && !CONSENT_BASES.includes(value as ConsentBasis)) {
    return `must be one of ${CONSENT_BASES.join(", ")}`;
  }
  if (name === "consent_at") {
    const at = parseInstant(value);
    if (!at || at < EARLIEST_CONSENT) return "must be an ISO 8601 time with a zone, such as 2026-11-20T15:00:00Z";
  }
  return undefined;
}

/** The consent in a contact's checked fields; undefined where there is none. A time that is still to come is now. */
export function consentOfLead(fields: Readonly<Record<string, unknown>>, now: Date): LeadConsent | undefined {
  const { consent_basis: basis, consent_at: time, consent_source: source, consent_proof: proof } = fields;
  if (typeof basis !== "string" || basis === "" || basis === "none") return undefined;
  const at = (typeof time === "string" && parseInstant(time)) || now;
  return {
    basis: basis as LeadConsent["basis"],
    at: at > now ? now : at,
    source: (typeof source === "string" && source.trim().slice(0, MAX_SOURCE_LENGTH)) || "import",
    proof: (typeof proof === "string" && proof.trim().slice(0, MAX_PROOF_LENGTH)) || null,
  };
}
