import type { Uuid } from "#domain/values/id.ts";
import { changing, crossTenant, crossTenantChanging, statement, type Tx } from "#store/database/db.ts";

// Parts of longer texts, until all of them are here.

/** What the parts of one text have in common. */
export type Whole = { carrier: string; sender: string; recipient: string; reference: number; parts: number };
/** `text` is a string of JSON: a part may end in the middle of a character. */
export type KeptPart = { number: number; digest: string; text: string; sent_at: Date; received_at: Date };

const insertPart = changing(
  "insert-inbound-part",
  `insert into inbound_parts (tenant_id, carrier, sender, recipient, reference, parts, number, digest, text, sent_at, received_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) on conflict do nothing`,
);

/** Keeps a part. One that was there already stays as it is. */
export async function insert(tx: Tx, tenantId: Uuid, whole: Whole, part: KeptPart): Promise<void> {
  const { number, digest, text, sent_at, received_at } = part;
  await tx.run(insertPart, [tenantId, ...keyOf(whole), number, digest, text, sent_at, received_at]);
}

const openParts = statement(
  "list-open-inbound-parts",
  `select number, digest, text, sent_at, received_at from inbound_parts
   where tenant_id = $1 and carrier = $2 and sender = $3 and recipient = $4 and reference = $5 and parts = $6 and joined_at is null
   order by number, received_at`,
);

/** The parts of a text that are in no text yet, in order. */
export function open(tx: Tx, tenantId: Uuid, whole: Whole): Promise<KeptPart[]> {
  return tx.rows<KeptPart>(openParts, [tenantId, ...keyOf(whole)]);
}

const joinParts = changing(
  "note-inbound-parts-joined",
  `update inbound_parts set joined_at = $9
   where tenant_id = $1 and carrier = $2 and sender = $3 and recipient = $4 and reference = $5 and parts = $6
     and (number, digest) in (select * from unnest($7::int[], $8::text[]))`,
);

/** They are in a text now: that they come again changes nothing. */
export async function joined(
  tx: Tx,
  tenantId: Uuid,
  whole: Whole,
  them: readonly KeptPart[],
  now: Date,
): Promise<void> {
  const columns = [them.map(({ number }) => number), them.map(({ digest }) => digest)];
  await tx.run(joinParts, [tenantId, ...keyOf(whole), ...columns, now]);
}

const overdueParts = crossTenant(
  "list-overdue-inbound-parts",
  `select distinct tenant_id, carrier, sender, recipient, reference, parts from inbound_parts
   where joined_at is null and received_at <= $1 limit 100`,
);

/** Texts of which a part has waited for another since `before`, of every tenant. */
export function overdue(tx: Tx, before: Date): Promise<(Whole & { tenant_id: Uuid })[]> {
  return tx.rows(overdueParts, [before]);
}

// A change of all tenants' rows locks them on each server: so one looks first.
const anyJoined = crossTenant(
  "any-old-inbound-part",
  "select tenant_id from inbound_parts where joined_at is not null and joined_at < $1 limit 1",
);
const forgetParts = crossTenantChanging(
  "forget-inbound-parts",
  "delete from inbound_parts where joined_at is not null and joined_at < $1",
);

export async function forget(tx: Tx, before: Date): Promise<void> {
  if (await tx.first(anyJoined, [before])) await tx.run(forgetParts, [before]);
}

const keyOf = ({ carrier, sender, recipient, reference, parts }: Whole) => [
  carrier,
  sender,
  recipient,
  reference,
  parts,
];
