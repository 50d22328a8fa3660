import type { Uuid } from "#domain/values/id.ts";
import { changing, crossTenant, statement, type Tx } from "#store/database/db.ts";

// Rows of imports that were set aside, are kept among those that could not be taken, and are wanted again.

export type ImportRow = { tenantId: Uuid; importId: Uuid; row: number };
const values = ({ tenantId, importId, row }: ImportRow) => [tenantId, importId, row];

const wantRow = changing(
  "want-import-row",
  `update import_errors error set retry_at = $4 from imports it
   where it.tenant_id = $1 and it.id = $2 and it.status not in ('undoing', 'undone')
     and error.tenant_id = $1 and error.import_id = $2 and error.row_number = $3`,
);

/** False when the row is not kept (any more), or its import was undone. */
export const want = async (tx: Tx, row: ImportRow, at: Date): Promise<boolean> =>
  (await tx.run(wantRow, [...values(row), at])) > 0;

const listWanted = crossTenant(
  "list-wanted-import-rows",
  `select error.tenant_id as "tenantId", error.import_id as "importId", error.row_number::float8 as row
   from import_errors error join imports it on it.tenant_id = error.tenant_id and it.id = error.import_id
   where error.retry_at is not null and it.status in ('completed', 'failed') order by error.retry_at limit 100`,
);

/** Of every tenant, of imports that are over; the longest wanted first. */
export const wanted = (tx: Tx): Promise<ImportRow[]> => tx.rows<ImportRow>(listWanted, []);

const findWanted = statement(
  "find-wanted-import-row",
  `select cells from import_errors
   where tenant_id = $1 and import_id = $2 and row_number = $3 and retry_at is not null`,
);

/** Undefined when another has read it meanwhile. */
export const cellsOf = async (tx: Tx, row: ImportRow): Promise<string[] | undefined> =>
  (await tx.first<{ cells: string[] }>(findWanted, values(row)))?.cells;

const takeWanted = changing(
  "take-wanted-import-row",
  "delete from import_errors where tenant_id = $1 and import_id = $2 and row_number = $3 and retry_at is not null",
);

/** False when another has taken it. */
export const take = async (tx: Tx, row: ImportRow): Promise<boolean> => (await tx.run(takeWanted, values(row))) > 0;

const leaveRow = changing(
  "leave-import-row",
  "update import_errors set retry_at = null where tenant_id = $1 and import_id = $2 and row_number = $3",
);

/** It is not wanted any more. */
export async function leave(tx: Tx, row: ImportRow): Promise<void> {
  await tx.run(leaveRow, values(row));
}
