import { createHash } from "node:crypto";
import { canonicalJson } from "#domain/values/canonical.ts";
import type { Uuid } from "#domain/values/id.ts";

// What a tenant's hash chain says of a consent. What is the person's is in it by a salted digest: without the salt nobody can try out who it was.

/** What of a consent stays when its person is erased. */
export type ConsentFacts = {
  id: Uuid;
  event: string;
  basis: string | null;
  channel: string;
  at: Date;
  recorded_at: Date;
};

/** What goes. */
export type ConsentPerson = { phone: string; source: string; proof: string | null; quote: string | null };

/** As the database stores a text. */
const stored = (text: string | null): string | null => text?.toWellFormed() ?? null;

/** SHA-256 of the salt and the canonical JSON of what is the person's. */
export const personDigest = (salt: Buffer, { phone, source, proof, quote }: ConsentPerson): Buffer =>
  sha256(salt, canonicalJson({ phone, source: stored(source), proof: stored(proof), quote: stored(quote) }));

/** SHA-256 of the canonical JSON of the rest, with that digest as `personal`. `tenantId` is the mode's. */
export const consentDigest = (
  tenantId: Uuid,
  { id, event, basis, channel, at, recorded_at }: ConsentFacts,
  personal: Buffer,
): Buffer =>
  sha256(
    canonicalJson({
      ...{ tenant_id: tenantId, id, event, basis, channel, personal: personal.toString("hex") },
      ...{ at: at.toISOString(), recorded_at: recorded_at.toISOString() },
    }),
  );

/** That a person was erased. `consents` are those that went, sorted. */
export type Erasure = { id: Uuid; contactId: Uuid | null; at: Date; consents: readonly Uuid[] };

export const erasureDigest = (tenantId: Uuid, { id, contactId, at, consents }: Erasure): Buffer =>
  sha256(canonicalJson({ tenant_id: tenantId, id, contact_id: contactId, at: at.toISOString(), consents }));

function sha256(...parts: (string | Buffer)[]): Buffer {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
}
