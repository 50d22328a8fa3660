import type { LeftOut } from "#domain/contacts/left-out.ts";
import type { Uuid } from "#domain/values/id.ts";
import { piecesOf } from "#domain/values/pieces.ts";
import { changing, statement, type Tx } from "#store/database/db.ts";

/** Rows a statement: what the connection holds at once. */
const ROWS_A_STATEMENT = 5_000;

const insertLeftOut = changing(
  "insert-left-out-leads",
  `insert into left_out_leads (tenant_id, campaign_id, id, place, value, reason, error, duplicate_of)
   select $1, $2, lead.id, lead.place, lead.value, lead.reason, lead.error, lead.duplicate_of
   from unnest($3::uuid[], $4::int[], $5::text[], $6::text[], $7::text[], $8::int[])
     as lead (id, place, value, reason, error, duplicate_of)
   on conflict do nothing`,
);

/** Keeps whom a campaign did not take of a request. The same again changes nothing. */
export async function insert(
  tx: Tx,
  tenantId: Uuid,
  campaignId: Uuid,
  leads: readonly LeftOut[],
  newId: () => Uuid,
): Promise<void> {
  for (const piece of piecesOf(leads, ROWS_A_STATEMENT)) {
    await tx.run(insertLeftOut, [
      tenantId,
      campaignId,
      piece.map(newId),
      piece.map(({ index }) => index),
      piece.map(({ value }) => value ?? ""),
      piece.map(({ reason }) => reason),
      piece.map(({ error }) => error),
      piece.map(({ duplicate_of }) => duplicate_of),
    ]);
  }
}

const listLeftOut = statement(
  "list-left-out-leads",
  `select id, place as index, nullif(value, '') as value, reason, error, duplicate_of from left_out_leads
   where tenant_id = $1 and campaign_id = $2 and id < $3
     and ($5::text is null or reason = $5) and ($6::text is null or value = $6)
   order by id desc limit $4`,
);

export type Kept = LeftOut & { id: Uuid };

/** Whom a campaign did not take, newest first; those with this reason or number alone. */
export function list(
  tx: Tx,
  tenantId: Uuid,
  campaignId: Uuid,
  page: { before: Uuid; limit: number; reason: string | undefined; phone: string | undefined },
): Promise<Kept[]> {
  const { before, limit, reason, phone } = page;
  return tx.rows<Kept>(listLeftOut, [tenantId, campaignId, before, limit + 1, reason ?? null, phone ?? null]);
}

const countLeftOut = statement(
  "count-left-out-leads",
  `select reason, count(*)::int as n from left_out_leads
   where tenant_id = $1 and campaign_id = $2 group by reason order by n desc, reason`,
);

/** How many a campaign did not take for which reason, the most first. */
export function reasonCounts(tx: Tx, tenantId: Uuid, campaignId: Uuid): Promise<{ reason: string; n: number }[]> {
  return tx.rows<{ reason: string; n: number }>(countLeftOut, [tenantId, campaignId]);
}

const leftOutPage = statement(
  "export-left-out-leads",
  `select id, place as index, nullif(value, '') as value, reason, error, duplicate_of from left_out_leads
   where tenant_id = $1 and campaign_id = $2 and id > $3 order by id limit $4`,
);

/** Whom a campaign did not take, in the order of their ids, after an id: for a file. */
export function following(tx: Tx, tenantId: Uuid, campaignId: Uuid, after: Uuid, limit: number): Promise<Kept[]> {
  return tx.rows<Kept>(leftOutPage, [tenantId, campaignId, after, limit]);
}
