import type { Uuid } from "#domain/values/id.ts";
import { changing, changingAndReading, crossTenant, statement, type Tx } from "#store/database/db.ts";

/** A phone's keyed hash, other for each tenant (operations/context.ts). */
export type HashPhone = (tenantId: Uuid, phone: string) => Buffer;

// A text that was still being judged counts as the opt-out that it may have been: nobody can read it any more. When a person
// is erased for the second time the opt-out that came first stands.
const keepHashes = changing(
  "keep-erased-phones",
  `insert into erased_phones (tenant_id, hash, erased_at, opted_out_at, opt_out_source, keyword_at)
   select $1, it.hash, $4, coalesce(consent.opted_out_at, consent.doubted_at),
     case when consent.doubt_call_id is not null then 'call'
       else coalesce(consent.opt_out_source, case when consent.doubted_at is not null then 'unclear' end) end, consent.keyword_at
   from unnest($2::text[], $3::bytea[]) as it (phone, hash)
   join consents consent on consent.tenant_id = $1 and consent.phone = it.phone
   on conflict (tenant_id, hash) do update set erased_at = excluded.erased_at,
     opted_out_at = coalesce(erased_phones.opted_out_at, excluded.opted_out_at),
     opt_out_source = coalesce(erased_phones.opt_out_source, excluded.opt_out_source),
     keyword_at = coalesce(erased_phones.keyword_at, excluded.keyword_at)`,
);

/** Keeps phones whose consents are locked as hashes, each with its opt-out if there is one. */
export async function keep(
  tx: Tx,
  tenantId: Uuid,
  phones: readonly string[],
  erasure: { hash: HashPhone; at: Date },
): Promise<void> {
  await tx.run(keepHashes, [tenantId, phones, phones.map((phone) => erasure.hash(tenantId, phone)), erasure.at]);
}

const optOutKept = changing(
  "opt-out-erased-phone",
  `update erased_phones set opted_out_at = coalesce(opted_out_at, $3), opt_out_source = $4, keyword_at = greatest(keyword_at, $3)
   where tenant_id = $1 and hash = $2`,
);

/** Opts a phone out that is kept as a hash alone. False when it is not: then it is known as it is. */
export async function optOut(
  tx: Tx,
  tenantId: Uuid,
  phone: string,
  erasure: { hash: HashPhone; at: Date; source: string },
): Promise<boolean> {
  return (await tx.run(optOutKept, [tenantId, erasure.hash(tenantId, phone), erasure.at, erasure.source])) > 0;
}

const insertOptOut = changing(
  "insert-erased-opt-out",
  `insert into erased_phones (tenant_id, hash, erased_at, opted_out_at, opt_out_source, keyword_at)
   select $1, hash, 'epoch', $3, $4, $3 from unnest($2::bytea[]) as hash order by hash
   on conflict (tenant_id, hash) do update set opted_out_at = coalesce(erased_phones.opted_out_at, excluded.opted_out_at),
     opt_out_source = coalesce(erased_phones.opt_out_source, excluded.opt_out_source),
     keyword_at = greatest(erased_phones.keyword_at, excluded.keyword_at)`,
);

/** Keeps the opt-outs of phones that are not known here, as hashes alone: they count once the phones come. Nobody was erased. */
export async function keepOptOuts(
  tx: Tx,
  tenantId: Uuid,
  phones: readonly string[],
  erasure: { hash: HashPhone; at: Date; source: string },
): Promise<void> {
  const hashes = phones.map((phone) => erasure.hash(tenantId, phone));
  await tx.run(insertOptOut, [tenantId, hashes, erasure.at, erasure.source]);
}

const forgetOptOuts = changing(
  "forget-opt-outs-of-other-mode",
  `delete from erased_phones kept using unnest($2::bytea[]) as it (hash)
   where kept.tenant_id = $1 and kept.hash = it.hash and kept.erased_at = 'epoch'`,
);

/** Deletes what `keepOptOuts` stored for phones: they belonged to nobody. */
export async function forgetOptOutsOf(
  tx: Tx,
  tenantId: Uuid,
  phones: readonly string[],
  hash: HashPhone,
): Promise<void> {
  await tx.run(forgetOptOuts, [tenantId, phones.map((phone) => hash(tenantId, phone))]);
}

const anyOptOut = statement(
  "any-erased-opt-out",
  "select exists (select from erased_phones where tenant_id = $1 and opted_out_at is not null) as there",
);

const takeBack = changingAndReading(
  "take-back-erased-opt-outs",
  `with back as (
     delete from erased_phones kept using unnest($2::text[], $3::bytea[]) as it (phone, hash)
     where kept.tenant_id = $1 and kept.hash = it.hash and kept.opted_out_at is not null
     returning it.phone, kept.opted_out_at, kept.opt_out_source, kept.keyword_at)
   insert into consents (tenant_id, phone, opted_out_at, opt_out_source, keyword_at)
   select $1, phone, opted_out_at, opt_out_source, keyword_at from back
   on conflict (tenant_id, phone) do update set opted_out_at = coalesce(consents.opted_out_at, excluded.opted_out_at),
     opt_out_source = coalesce(consents.opt_out_source, excluded.opt_out_source),
     keyword_at = greatest(consents.keyword_at, excluded.keyword_at)
   returning phone, opted_out_at, opt_out_source`,
);

export type RevivedOptOut = { phone: string; opted_out_at: Date; opt_out_source: string | null };

/**
 * Makes opt-outs of erased persons count for phones that have come back: from the hash into the consent. To be called for
 * phones whose consents are locked, before anything is decided about them. Costs one look where nobody was erased.
 */
export async function revive(
  tx: Tx,
  tenantId: Uuid,
  phones: readonly string[],
  hash: HashPhone,
): Promise<RevivedOptOut[]> {
  if (phones.length === 0 || !(await tx.first<{ there: boolean }>(anyOptOut, [tenantId]))!.there) return [];
  return tx.rows<RevivedOptOut>(takeBack, [tenantId, phones, phones.map((phone) => hash(tenantId, phone))]);
}

const findOptOuts = statement(
  "find-erased-opt-outs",
  `select it.phone, kept.opted_out_at, kept.opt_out_source, kept.keyword_at
   from unnest($2::text[], $3::bytea[]) as it (phone, hash)
   join erased_phones kept on kept.tenant_id = $1 and kept.hash = it.hash and kept.opted_out_at is not null`,
);

export type ErasedOptOut = RevivedOptOut & { keyword_at: Date | null };

/** What `revive` would make count, by phone; for those who only ask. */
export async function optOuts(
  tx: Tx,
  tenantId: Uuid,
  phones: readonly string[],
  hash: HashPhone,
): Promise<Map<string, ErasedOptOut>> {
  if (phones.length === 0 || !(await tx.first<{ there: boolean }>(anyOptOut, [tenantId]))!.there) return new Map();
  const hashes = phones.map((phone) => hash(tenantId, phone));
  const rows = await tx.rows<ErasedOptOut>(findOptOuts, [tenantId, phones, hashes]);
  return new Map(rows.map((row) => [row.phone, row]));
}

const anySince = statement(
  "any-phone-erased-since",
  "select exists (select from erased_phones where tenant_id = $1 and erased_at >= $2) as there",
);

const erasedSince = statement(
  "list-phones-erased-since",
  `select it.phone from unnest($2::text[], $3::bytea[]) as it (phone, hash)
   join erased_phones kept on kept.tenant_id = $1 and kept.hash = it.hash and kept.erased_at >= $4`,
);

/** Which of these phones were erased at a time or after it: a file from before must not bring them back. */
export async function since(
  tx: Tx,
  tenantId: Uuid,
  phones: readonly string[],
  erasure: { hash: HashPhone; at: Date },
): Promise<Set<string>> {
  if (phones.length === 0 || !(await tx.first<{ there: boolean }>(anySince, [tenantId, erasure.at]))!.there)
    return new Set();
  const hashes = phones.map((phone) => erasure.hash(tenantId, phone));
  const rows = await tx.rows<{ phone: string }>(erasedSince, [tenantId, phones, hashes, erasure.at]);
  return new Set(rows.map((row) => row.phone));
}

const oldTenants = crossTenant(
  "tenants-with-old-erased-phones",
  "select distinct tenant_id from erased_phones where opted_out_at is null and erased_at < $1",
);

/** Tenants with hashes that only kept older files from bringing somebody back, from before this (real) time. */
export async function tenantsWithOld(tx: Tx, before: Date): Promise<Uuid[]> {
  return (await tx.rows<{ tenant_id: Uuid }>(oldTenants, [before])).map((row) => row.tenant_id);
}

const forgetOld = changing(
  "forget-erased-phones",
  `delete from erased_phones where tenant_id = $1 and opted_out_at is null and hash in (
     select hash from erased_phones where tenant_id = $1 and opted_out_at is null and erased_at < $2 limit $3)`,
);

/** Forgets a tenant's of these, at most so many; answers with how many they were. */
export const forget = (tx: Tx, tenantId: Uuid, before: Date, limit: number): Promise<number> =>
  tx.run(forgetOld, [tenantId, before, limit]);
