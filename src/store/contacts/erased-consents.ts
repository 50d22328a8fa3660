import { type ConsentFacts, type ConsentPerson, erasureDigest, personDigest } from "#domain/contacts/consent-digest.ts";
import type { Uuid } from "#domain/values/id.ts";
import { waitFor } from "#store/database/chain.ts";
import { changing, type Tx } from "#store/database/db.ts";

// Consents are erased with their persons, and their places in the hash chain stay: of each the facts that are nobody's, and the digest of the rest.

const deleteRecords = changing(
  "erase-consent-records",
  `delete from consent_records where tenant_id = $1 and phone = any($2::text[])
   returning id, phone, event, basis, channel, source, proof, quote, at, recorded_at, salt`,
);

const insertErasures = changing(
  "insert-erasures",
  `with erasure as (
     insert into chain_erasures (tenant_id, id, contact_id, at, consents, digest)
     select $1, id, contact_id, $6, consents, digest
     from unnest($2::uuid[], $3::uuid[], $4::int[], $5::bytea[]) as it (id, contact_id, consents, digest)
     returning id, digest)
   ${waitFor("erasure", { ref: "erasure.id", digest: "erasure.digest", from: "erasure" })}`,
);

const insertErased = changing(
  "insert-erased-consents",
  `insert into chain_erased_consents (tenant_id, id, erasure_id, event, basis, channel, at, recorded_at, personal)
   select $1, it.* from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $8::timestamptz[], $9::bytea[]) as it
   on conflict do nothing`,
);

/** A person who is erased, by all phones that are nobody else's. `contactId` is null for what goes with the demo data. */
export type ErasedPerson = { erasureId: Uuid; contactId: Uuid | null; phones: readonly string[] };

/** Erases the history of phones whose consents are locked, and notes of each person that it was erased. */
export async function erase(tx: Tx, tenantId: Uuid, them: readonly ErasedPerson[], at: Date): Promise<void> {
  const erasureOf = new Map(them.flatMap((person) => person.phones.map((phone) => [phone, person.erasureId])));
  type Row = ConsentFacts & ConsentPerson & { salt: Buffer | null };
  const gone = await tx.rows<Row>(deleteRecords, [tenantId, [...erasureOf.keys()]]);
  // From before consents were chained: nothing refers to them.
  const chained = gone.flatMap(({ salt, ...record }) =>
    salt ? [{ ...record, salt, erasureId: erasureOf.get(record.phone)! }] : [],
  );
  const idsOf = Map.groupBy(chained, ({ erasureId }) => erasureId);
  // What goes with the demo data leaves nothing where nothing was chained.
  const persons = them.filter(({ contactId, erasureId }) => contactId !== null || idsOf.has(erasureId));
  const erasures = persons.map(({ erasureId: id, contactId }) => ({
    ...{ id, contactId, at },
    consents: (idsOf.get(id) ?? []).map((record) => record.id).sort(),
  }));
  if (erasures.length > 0)
    await tx.run(insertErasures, [
      tenantId,
      erasures.map(({ id }) => id),
      erasures.map(({ contactId }) => contactId),
      erasures.map(({ consents }) => consents.length),
      erasures.map((erasure) => erasureDigest(tenantId, erasure)),
      at,
    ]);
  if (chained.length === 0) return;
  await tx.run(insertErased, [
    tenantId,
    chained.map(({ id }) => id),
    chained.map(({ erasureId }) => erasureId),
    chained.map(({ event }) => event),
    chained.map(({ basis }) => basis),
    chained.map(({ channel }) => channel),
    chained.map((record) => record.at),
    chained.map(({ recorded_at }) => recorded_at),
    chained.map((record) => personDigest(record.salt, record)),
  ]);
}
