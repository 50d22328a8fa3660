import { randomBytes } from "node:crypto";
import { AI_VOICE_CONSENT, type StandingBasis, type StoredBasis } from "#domain/compliance/consent.ts";
import { consentDigest, personDigest } from "#domain/contacts/consent-digest.ts";
import type { Uuid } from "#domain/values/id.ts";
import { waitFor } from "#store/database/chain.ts";
import { changing, statement, type Tx } from "#store/database/db.ts";

/** A phone's consent as it stands. A phone that is not known has none of it. */
export type ConsentState = {
  phone: string;
  opted_out_at: Date | null;
  opt_out_source: string | null;
  opt_out_quote: string | null;
  /** When the phone last opted out or in, by itself or by another. */
  keyword_at: Date | null;
  bases: StoredBasis[] | null;
  /** When the text was sent that is being judged as an opt-out; or when an opt-out was said in a call that is still to be written. */
  doubted_at: Date | null;
  /** The call in which it was said. */
  doubt_call_id: Uuid | null;
  /** When the number was given up, by a list of its carrier: consents from before are another's. */
  deactivated_at: Date | null;
};

export const isOptedOut = (consent: Pick<ConsentState, "opted_out_at"> | undefined): boolean =>
  consent !== undefined && consent.opted_out_at !== null;

/** It may have opted out once, and a START or a consent undid that since. */
export const mayHaveComeBack = (consent: Pick<ConsentState, "opted_out_at" | "keyword_at"> | undefined): boolean =>
  !isOptedOut(consent) && consent?.keyword_at != null;

export const CONSENT_COLUMNS =
  "phone, opted_out_at, opt_out_source, opt_out_quote, keyword_at, bases, doubted_at, doubt_call_id, deactivated_at";

const findConsent = statement(
  "find-consent",
  `select ${CONSENT_COLUMNS} from consents where tenant_id = $1 and phone = $2`,
);

export function find(tx: Tx, tenantId: Uuid, phone: string): Promise<ConsentState | undefined> {
  return tx.first<ConsentState>(findConsent, [tenantId, phone]);
}

const setBases = changing(
  "set-consent-bases",
  `update consents consent set bases = given.bases::jsonb from unnest($2::text[], $3::text[]) as given (phone, bases)
   where consent.tenant_id = $1 and consent.phone = given.phone`,
);

/** Writes the current consents of phones whose consents are locked. */
export async function saveBases(
  tx: Tx,
  tenantId: Uuid,
  them: readonly { phone: string; bases: readonly StandingBasis[] }[],
): Promise<void> {
  if (them.length === 0) return;
  const bases = them.map((consent) => (consent.bases.length === 0 ? null : JSON.stringify(consent.bases)));
  await tx.run(setBases, [tenantId, them.map((consent) => consent.phone), bases]);
}

export type ConsentRecord = {
  id: Uuid;
  phone: string;
  event: "granted" | "revoked" | "resubscribed";
  basis: string | null;
  channel: string;
  source: string;
  proof: string | null;
  quote: string | null;
  at: Date;
  recorded_at: Date;
};

// Each waits for its place in the chain from the statement that writes it: nobody can change it before, and a batch stays one statement.
const insertRecords = changing(
  "insert-consent-records",
  `with record as (
     insert into consent_records (tenant_id, phone, id, event, basis, channel, source, proof, quote, at, recorded_at, salt, digest)
     select $1, phone, id, event, basis, channel, source, proof, quote, at, $11, salt, digest
     from unnest($2::text[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::timestamptz[],
         $12::bytea[], $13::bytea[])
       as it (phone, id, event, basis, channel, source, proof, quote, at, salt, digest)
     where not exists (
       select from consent_records known
       where known.tenant_id = $1 and known.phone = it.phone and known.event = it.event and known.at = it.at
         and known.basis is not distinct from it.basis and known.channel = it.channel and known.source = it.source
         and known.proof is not distinct from it.proof)
     returning id, digest)
   ${waitFor("consent", { ref: "record.id", digest: "record.digest", from: "record" })}`,
);

/** Adds to the history of phones whose consents are locked; an entry that is there already is not added again. Returns the number added. */
export async function insert(
  tx: Tx,
  tenantId: Uuid,
  them: readonly Omit<ConsentRecord, "recorded_at">[],
  recordedAt: Date,
): Promise<number> {
  if (them.length === 0) return 0;
  // One drawing for all: each has 16 bytes of it.
  const random = randomBytes(16 * them.length);
  const salts = them.map((_, n) => random.subarray(16 * n, 16 * n + 16));
  const digests = them.map((record, n) =>
    consentDigest(tenantId, { ...record, recorded_at: recordedAt }, personDigest(salts[n]!, record)),
  );
  return tx.run(insertRecords, [
    tenantId,
    them.map((record) => record.phone),
    them.map((record) => record.id),
    them.map((record) => record.event),
    them.map((record) => record.basis),
    them.map((record) => record.channel),
    them.map((record) => record.source),
    them.map((record) => record.proof),
    them.map((record) => record.quote),
    them.map((record) => record.at),
    recordedAt,
    salts,
    digests,
  ]);
}

const listRecords = statement(
  "list-consent-records",
  `select id, phone, event, basis, channel, source, proof, quote, at, recorded_at from consent_records
   where tenant_id = $1 and phone = $2 order by id desc limit $3`,
);

/** A phone's history, the last recorded first. */
export function history(tx: Tx, tenantId: Uuid, phone: string, limit: number): Promise<ConsentRecord[]> {
  return tx.rows<ConsentRecord>(listRecords, [tenantId, phone, limit]);
}

const countBasis = statement(
  "count-phones-with-basis",
  "select count(*)::int as n from consents where tenant_id = $1 and phone = any($2::text[]) and bases @> $3::jsonb",
);

/** How many of these phones, each named once, have the consent on record that lets an AI voice call. It does not run out. */
export async function countVoiceConsents(tx: Tx, tenantId: Uuid, phones: readonly string[]): Promise<number> {
  const wanted = JSON.stringify([{ basis: AI_VOICE_CONSENT.basis, channel: "voice" }]);
  return (await tx.first<{ n: number }>(countBasis, [tenantId, phones, wanted]))!.n;
}

export type OptedOut = { phone: string; opted_out_at: Date; source: string | null; quote: string | null };

const listOptedOut = statement(
  "list-opted-out",
  `select phone, opted_out_at, opt_out_source as source, opt_out_quote as quote from consents
   where tenant_id = $1 and opted_out_at is not null and (opted_out_at, phone) < ($2, $3)
     and ($4::text is null or phone = $4) and ($5::text is null or opt_out_source = $5)
     and ($7::uuid[] is null or exists (
       select from contacts where tenant_id = $1 and organization_id = any($7) and phone = consents.phone))
   order by opted_out_at desc, phone desc limit $6`,
);

/** Who is opted out, the last first, before a time and phone; one more than a page. With `organizations` their contacts alone. */
export function optedOut(
  tx: Tx,
  tenantId: Uuid,
  page: {
    before: { at: Date | "infinity"; phone: string };
    phone?: string;
    source?: string;
    organizations: readonly Uuid[] | undefined;
    limit: number;
  },
): Promise<OptedOut[]> {
  const { before, phone = null, source = null, organizations = null, limit } = page;
  const values = [tenantId, before.at, before.phone, phone, source, limit + 1, organizations];
  return tx.rows<OptedOut>(listOptedOut, values);
}
