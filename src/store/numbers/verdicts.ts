import type { Uuid } from "#domain/values/id.ts";
import { changing, crossTenant, type Tx } from "#store/database/db.ts";

/** Where a page of what waits begins: after this. */
export type After = { tenantId: Uuid; id: string };

/**
 * How the rows of a table wait for a registry's verdict: each is PENDING until there is one, and is asked about now and then. `ofCarrier` says which of
 * a tenant's are registered by the account $2.
 */
export function awaitVerdicts<Row extends { id: string }>(
  table: string,
  { columns, ofCarrier }: { columns: string; ofCarrier: string },
) {
  const rows = table.replaceAll("_", "-");
  const pendingRows = crossTenant(
    `pending-${rows}`,
    `select tenant_id, ${columns} from ${table}
     where status = 'PENDING' and (asked_at is null or asked_at < $4) and (tenant_id, id) > ($1::uuid, $2)
     order by tenant_id, id limit $3`,
  );
  const noteAsked = changing(
    `note-${rows}-asked`,
    `update ${table} set asked_at = $3 where tenant_id = $1 and id = $2 and status = 'PENDING'`,
  );
  const askAgain = changing(
    `ask-about-${rows}-again`,
    `update ${table} set asked_at = null where tenant_id = $1 and ${ofCarrier} and status = 'PENDING'`,
  );
  return {
    /** Those of every tenant that wait for their verdict and whose registry was not asked since a time, after the given one. */
    pending: (tx: Tx, after: After, limit: number, askedBefore: Date): Promise<(Row & { tenant_id: Uuid })[]> =>
      tx.rows(pendingRows, [after.tenantId, after.id, limit, askedBefore]),
    /** An account's registry is being asked about it. */
    async asked(tx: Tx, tenantId: Uuid, id: string, at: Date): Promise<void> {
      await tx.run(noteAsked, [tenantId, id, at]);
    },
    /** The account's registry says that something has changed: the next poll asks about all that wait. */
    async changed(tx: Tx, tenantId: Uuid, carrier: string): Promise<void> {
      await tx.run(askAgain, [tenantId, carrier]);
    },
  };
}
