import type { Uuid } from "#domain/values/id.ts";
import { changing, statement, type Tx } from "#store/database/db.ts";

const insertInbound = changing(
  "insert-inbound-texts",
  // In one order: a carrier may bring the same ones twice at once.
  `insert into inbound_texts (tenant_id, carrier, carrier_id, sender, recipient, text, sent_at, received_at, outcome)
   select $1, carrier, carrier_id, sender, recipient, text, sent_at, $8, outcome
   from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $9::text[])
     as it (carrier, carrier_id, sender, recipient, text, sent_at, outcome)
   order by carrier, carrier_id
   on conflict (tenant_id, carrier, carrier_id) do nothing returning carrier, carrier_id`,
);

export type InboundRow = { carrier: string; carrierId: string; from: string; to: string; text: string; sentAt: Date };

const nameOf = (carrier: string, carrierId: string): string => `${carrier} ${carrierId}`;

/** Keeps what carriers brought. Answers with those that had not been brought before, each once. */
export async function insert<T extends InboundRow & { outcome: string }>(
  tx: Tx,
  tenantId: Uuid,
  them: readonly T[],
  receivedAt: Date,
): Promise<T[]> {
  const once = [
    ...new Map(them.toReversed().map((row) => [nameOf(row.carrier, row.carrierId), row])).values(),
  ].reverse();
  const kept = await tx.rows<{ carrier: string; carrier_id: string }>(insertInbound, [
    tenantId,
    once.map((row) => row.carrier),
    once.map((row) => row.carrierId),
    once.map((row) => row.from),
    once.map((row) => row.to),
    once.map((row) => row.text),
    once.map((row) => row.sentAt),
    receivedAt,
    once.map((row) => row.outcome),
  ]);
  const names = new Set(kept.map((row) => nameOf(row.carrier, row.carrier_id)));
  return once.filter((row) => names.has(nameOf(row.carrier, row.carrierId)));
}

const findSame = statement(
  "find-same-inbound-text",
  `select 1 from inbound_texts
   where tenant_id = $1 and carrier = $2 and carrier_id = $3 and sender = $4 and text = $5`,
);

/** Whether what a carrier brought under an id was this very text. */
export async function isSame(tx: Tx, tenantId: Uuid, row: InboundRow): Promise<boolean> {
  return (await tx.first(findSame, [tenantId, row.carrier, row.carrierId, row.from, row.text])) !== undefined;
}

const lateTexts = statement(
  "list-latest-inbound-ids",
  `select carrier_id from inbound_texts
   where tenant_id = $1 and carrier = $2 and carrier <> 'simulator' and received_at >= $3
   order by received_at desc limit 10000`,
);

/** The carrier's ids of what it brought since a time of the tenant's. */
export async function idsSince(tx: Tx, tenantId: Uuid, carrier: string, since: Date): Promise<string[]> {
  const rows = await tx.rows<{ carrier_id: string }>(lateTexts, [tenantId, carrier, since]);
  return rows.map((row) => row.carrier_id);
}
