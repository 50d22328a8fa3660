import {
  type ConsentFacts,
  type ConsentPerson,
  consentDigest,
  erasureDigest,
  personDigest,
} from "#domain/contacts/consent-digest.ts";
import { NO_ID, type Uuid } from "#domain/values/id.ts";
import { anyOf, statement, type Tx } from "#store/database/db.ts";

// The records that links of these kinds stand for, with their links, to be compared.

export const RECORD_KINDS = ["consent", "erasure"] as const;
export type RecordKind = (typeof RECORD_KINDS)[number];

/** A record and its link. `digest` is of what the record says now; null where it is from before consents were chained. */
export type LinkedRecord = {
  kind: RecordKind;
  ref: Uuid;
  digest: Buffer | null;
  link: { seq: number; digest: Buffer } | null;
  /** It is to be linked soon. */
  waits: boolean;
};

const ROWS_AT_ONCE = 1_000;

const listRecords = statement(
  "list-chained-consents",
  `select phone, id, event, basis, channel, source, proof, quote, at, recorded_at, salt from consent_records
   where tenant_id = $1 and (phone, id) > ($2, $3::uuid) order by phone, id limit ${ROWS_AT_ONCE}`,
);

const listErased = statement(
  "list-chained-erased-consents",
  `select id, event, basis, channel, at, recorded_at, personal from chain_erased_consents
   where tenant_id = $1 and id > $2 order by id limit ${ROWS_AT_ONCE}`,
);

const listErasures = statement(
  "list-chained-erasures",
  `select id, contact_id, at,
     (select coalesce(array_agg(id order by id), '{}') from chain_erased_consents where tenant_id = $1 and erasure_id = record.id) as gone
   from chain_erasures record where tenant_id = $1 and id > $2 order by id limit ${ROWS_AT_ONCE}`,
);

// One snapshot: what does not wait any more is linked.
const linksOf = statement(
  "list-links-of-records",
  `select ref, seq::float8 as seq, digest from chain_links
   where tenant_id = $1 and kind = $2 and ref = any($3::uuid[]) and ${anyOf("ref")}
   union all
   select ref, null, digest from chain_waiting
   where tenant_id = $1 and kind = $2 and ref = any($3::uuid[]) and ${anyOf("ref")}`,
);

type Digested = Pick<LinkedRecord, "kind" | "ref" | "digest">;

/** All of a tenant's, kind by kind. One that is erased meanwhile may come twice, and never not at all. */
export async function* linkedRecords(tx: Tx, tenantId: Uuid): AsyncGenerator<LinkedRecord> {
  for await (const page of digested(tx, tenantId)) {
    const [kind, refs] = [page[0]!.kind, page.map(({ ref }) => ref)];
    const rows = await tx.rows<{ ref: Uuid; seq: number | null; digest: Buffer }>(linksOf, [tenantId, kind, refs]);
    const known = new Map(rows.map((row) => [row.ref, row]));
    for (const record of page) {
      const found = known.get(record.ref);
      const link = found && found.seq !== null ? { seq: found.seq, digest: found.digest } : null;
      yield { ...record, link, waits: found !== undefined && link === null };
    }
  }
}

async function* digested(tx: Tx, tenantId: Uuid): AsyncGenerator<Digested[]> {
  type Record = ConsentFacts & ConsentPerson & { salt: Buffer | null };
  const records = pages<Record>((last) => tx.rows(listRecords, [tenantId, last?.phone ?? "", last?.id ?? NO_ID]));
  for await (const rows of records)
    yield rows.map((row) => ({
      kind: "consent",
      ref: row.id,
      digest: row.salt && consentDigest(tenantId, row, personDigest(row.salt, row)),
    }));
  const erased = pages<ConsentFacts & { personal: Buffer }>((last) =>
    tx.rows(listErased, [tenantId, last?.id ?? NO_ID]),
  );
  for await (const rows of erased)
    yield rows.map((row) => ({ kind: "consent", ref: row.id, digest: consentDigest(tenantId, row, row.personal) }));
  type Erased = { id: Uuid; contact_id: Uuid | null; at: Date; gone: Uuid[] };
  for await (const rows of pages<Erased>((last) => tx.rows(listErasures, [tenantId, last?.id ?? NO_ID])))
    yield rows.map(({ id, contact_id: contactId, at, gone: consents }) => ({
      kind: "erasure",
      ref: id,
      digest: erasureDigest(tenantId, { id, contactId, at, consents }),
    }));
}

async function* pages<T>(read: (last: T | undefined) => Promise<T[]>): AsyncGenerator<T[]> {
  for (let last: T | undefined; ; ) {
    const rows = await read(last);
    if (rows.length > 0) yield rows;
    if (rows.length < ROWS_AT_ONCE) return;
    last = rows.at(-1);
  }
}
