import type { ImportColumn } from "#domain/contacts/import-columns.ts";
import type { Uuid } from "#domain/values/id.ts";
import { changing, changingAndReading, crossTenant, statement, type Tx } from "#store/database/db.ts";
import { tenantTime } from "#store/system/events.ts";

export type ImportStatus = "waiting" | "running" | "completed" | "failed" | "undoing" | "undone";

/** An import of contacts from a file. Counts are of rows up to `failed`, of contacts from there on. */
export type Import = {
  id: Uuid;
  organization_id: Uuid;
  user_id: Uuid;
  list_id: Uuid;
  file_name: string;
  upload: Uuid;
  bytes: number;
  encoding: string;
  delimiter: string;
  columns: ImportColumn[];
  status: ImportStatus;
  problem: string | null;
  byte_offset: number;
  row_number: number;
  created: number;
  updated: number;
  skipped: number;
  failed: number;
  removed: number;
  restored: number;
  kept: number;
  created_at: Date;
  finished_at: Date | null;
};

// bigint comes as text; a file's bytes and rows are far below 2^53.
const COLUMNS = `id, organization_id, user_id, list_id, file_name, upload, bytes::float8 as bytes, encoding, delimiter, columns,
  status, problem, byte_offset::float8 as byte_offset, row_number::float8 as row_number, created, updated, skipped, failed,
  removed, restored, kept, created_at, finished_at`;

/** Notes in a statement how far the imports are that have `changed`. */
const noted = (at: string): string => `
     insert into events (tenant_id, kind, at, organization_id, object_ids, data)
     select $1, case when status in ('completed', 'failed', 'undone') then 'import.finished' else 'import.progressed' end, ${at},
       organization_id, array[id], jsonb_build_object('list_id', list_id, 'status', status, 'rows', created + updated + skipped + failed,
         'created', created, 'updated', updated, 'skipped', skipped, 'failed', failed)
     from changed
     on conflict do nothing`;

const insertImport = changingAndReading(
  "insert-import",
  `with changed as (
     insert into imports (tenant_id, id, organization_id, user_id, list_id, file_name, upload, bytes, encoding, delimiter, columns,
       status, byte_offset, row_number, leased_until, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 'waiting', $12, $13, 'epoch', $14)
     on conflict (tenant_id, id) do nothing returning ${COLUMNS})
   ${noted("$14")}`,
);

export type NewImport = Omit<
  Import,
  "status" | "problem" | "created" | "updated" | "skipped" | "failed" | "removed" | "restored" | "kept" | "finished_at"
>;

/** Safe to repeat with the same id. False when it is there. */
export async function insert(tx: Tx, tenantId: Uuid, fileImport: NewImport): Promise<boolean> {
  const values = [
    tenantId,
    fileImport.id,
    fileImport.organization_id,
    fileImport.user_id,
    fileImport.list_id,
    fileImport.file_name,
    fileImport.upload,
    fileImport.bytes,
    fileImport.encoding,
    fileImport.delimiter,
    JSON.stringify(fileImport.columns),
    fileImport.byte_offset,
    fileImport.row_number,
    fileImport.created_at,
  ];
  return (await tx.run(insertImport, values)) === 1;
}

const findImport = statement("find-import", `select ${COLUMNS} from imports where tenant_id = $1 and id = $2`);

export function find(tx: Tx, tenantId: Uuid, id: Uuid): Promise<Import | undefined> {
  return tx.first<Import>(findImport, [tenantId, id]);
}

const listImports = statement(
  "list-imports",
  `select ${COLUMNS} from imports where tenant_id = $1 and organization_id = $2 and id < $3 order by id desc limit $4`,
);

/** An organization's imports, newest first, one more than a page. */
export function list(
  tx: Tx,
  tenantId: Uuid,
  organizationId: Uuid,
  page: { before: Uuid; limit: number },
): Promise<Import[]> {
  return tx.rows<Import>(listImports, [tenantId, organizationId, page.before, page.limit + 1]);
}

const openImports = crossTenant(
  "list-open-imports",
  `select tenant_id, id from imports
   where status in ('waiting', 'running', 'undoing') and leased_until < $1 and (status = 'undoing' or upload = any($2::uuid[]))
   order by id limit 100`,
);

/** Imports that nobody works on at this (real) time and that need one of these files or none, of every tenant, oldest first. */
export function open(tx: Tx, now: Date, uploads: readonly string[]): Promise<{ tenant_id: Uuid; id: Uuid }[]> {
  return tx.rows(openImports, [now, uploads]);
}

const importsElsewhere = crossTenant(
  "list-imports-elsewhere",
  `select tenant_id, id, list_id, leased_until from imports
   where status in ('waiting', 'running') and leased_until < $1 and upload <> all($2::uuid[]) order by id limit 100`,
);

/** Imports that nobody works on and that need another file than these. */
export function elsewhere(
  tx: Tx,
  now: Date,
  uploads: readonly string[],
): Promise<{ tenant_id: Uuid; id: Uuid; list_id: Uuid; leased_until: Date }[]> {
  return tx.rows(importsElsewhere, [now, uploads]);
}

const openUploads = crossTenant(
  "list-uploads-in-use",
  "select upload from imports where upload = any($1::uuid[]) and status in ('waiting', 'running')",
);

/** Which of these files are still to be read. */
export async function uploadsInUse(tx: Tx, uploads: readonly Uuid[]): Promise<Set<Uuid>> {
  return new Set((await tx.rows<{ upload: Uuid }>(openUploads, [uploads])).map((row) => row.upload));
}

const leaseImport = changing(
  "lease-import",
  `update imports set runner = $3, leased_until = $4, status = case when status = 'waiting' then 'running' else status end
   where tenant_id = $1 and id = $2 and status in ('waiting', 'running', 'undoing') and leased_until < $5
   returning ${COLUMNS}`,
);

export type Lease = { runner: Uuid; until: Date };

/** Takes an import over. Undefined when another process was quicker. */
export function lease(tx: Tx, tenantId: Uuid, id: Uuid, lease: Lease, now: Date): Promise<Import | undefined> {
  return tx.first<Import>(leaseImport, [tenantId, id, lease.runner, lease.until, now]);
}

const lockLeasedImport = statement(
  "lock-leased-import",
  `select ${COLUMNS} from imports where tenant_id = $1 and id = $2 and runner = $3 and status in ('running', 'undoing') for update`,
);

/** Locks an import that this runner works on. Undefined when it does not any more. */
export function lockLeased(tx: Tx, tenantId: Uuid, id: Uuid, runner: Uuid): Promise<Import | undefined> {
  return tx.first<Import>(lockLeasedImport, [tenantId, id, runner]);
}

const lockImportOver = statement(
  "lock-import-over",
  `select ${COLUMNS} from imports where tenant_id = $1 and id = $2 and status in ('completed', 'failed') for update`,
);

/** Locks an import that is over. Undefined when it is not, or has been undone. */
export const lockOver = (tx: Tx, tenantId: Uuid, id: Uuid): Promise<Import | undefined> =>
  tx.first<Import>(lockImportOver, [tenantId, id]);

const saveImport = changingAndReading(
  "save-import",
  `with changed as (
     update imports set status = $3, problem = $4, byte_offset = $5, row_number = $6, created = $7, updated = $8, skipped = $9,
       failed = $10, removed = $11, restored = $12, kept = $13, finished_at = $14, leased_until = $15
     where tenant_id = $1 and id = $2 returning ${COLUMNS})
   ${noted("$16")}`,
);

/** Writes back how far a locked import has come at `at`, in the tenant's time. */
export async function save(tx: Tx, tenantId: Uuid, fileImport: Import, leasedUntil: Date, at: Date): Promise<void> {
  await tx.run(saveImport, [
    tenantId,
    fileImport.id,
    fileImport.status,
    fileImport.problem,
    fileImport.byte_offset,
    fileImport.row_number,
    fileImport.created,
    fileImport.updated,
    fileImport.skipped,
    fileImport.failed,
    fileImport.removed,
    fileImport.restored,
    fileImport.kept,
    fileImport.finished_at,
    leasedUntil,
    at,
  ]);
}

const failImport = changingAndReading(
  "fail-import",
  `with changed as (
     update imports set status = 'failed', problem = $3, finished_at = $4
     where tenant_id = $1 and id = $2 and status in ('waiting', 'running') and leased_until < $5 returning ${COLUMNS})
   ${noted("$4")}`,
);

/** Gives up an import that nobody works on. */
export async function fail(
  tx: Tx,
  tenantId: Uuid,
  id: Uuid,
  failure: { problem: string; at: Date; now: Date },
): Promise<void> {
  await tx.run(failImport, [tenantId, id, failure.problem, failure.at, failure.now]);
}

const startUndo = changing(
  "begin-undo-of-import",
  `with changed as (
     update imports set status = 'undoing', finished_at = null, leased_until = 'epoch'
     where tenant_id = $1 and id = $2 and status in ('completed', 'failed') returning ${COLUMNS}),
   noted as (${noted(tenantTime("$3"))})
   select * from changed`,
);

/** Undefined when the import is not over, or has been undone. */
export function beginUndo(tx: Tx, tenantId: Uuid, id: Uuid, realNow: Date): Promise<Import | undefined> {
  return tx.first<Import>(startUndo, [tenantId, id, realNow]);
}

const lockOpen = statement(
  "lock-open-imports",
  `select id from imports where tenant_id = $1 and status in ('waiting', 'running', 'undoing') order by id for update`,
);

/** Keeps every open import of the tenant from going on until the commit. */
export async function lockAll(tx: Tx, tenantId: Uuid): Promise<void> {
  await tx.rows(lockOpen, [tenantId]);
}

const insertErrors = changing(
  "insert-import-errors",
  `insert into import_errors (tenant_id, import_id, row_number, reason, cells, phone, phones)
   select $1, $2, (it ->> 'row')::bigint, it ->> 'reason', array(select jsonb_array_elements_text(it -> 'cells')), it ->> 'phone',
     array(select jsonb_array_elements_text(it -> 'phones'))
   from jsonb_array_elements($3::jsonb) as it
   on conflict do nothing`,
);

export type RowError = { row: number; reason: string; cells: readonly string[]; phone: string | null };

/** With every number that stands in it, by which an erasure finds it. */
export type NewRowError = RowError & { phones: readonly string[] };

export async function insertErrorRows(tx: Tx, tenantId: Uuid, id: Uuid, errors: readonly NewRowError[]): Promise<void> {
  if (errors.length > 0) await tx.run(insertErrors, [tenantId, id, JSON.stringify(errors)]);
}

const listErrors = statement(
  "list-import-errors",
  `select row_number::float8 as row, reason, cells, phone from import_errors
   where tenant_id = $1 and import_id = $2 and row_number > $3 order by row_number limit $4`,
);

/** Rows that could not be taken, in the file's order, after a row. */
export function errorsAfter(tx: Tx, tenantId: Uuid, id: Uuid, row: number, limit: number): Promise<RowError[]> {
  return tx.rows<RowError>(listErrors, [tenantId, id, row, limit]);
}

const oldErrors = crossTenant(
  "list-imports-with-old-errors",
  `select tenant_id, id from imports
   where finished_at < $1 and failed > 0
     and exists (select from import_errors error where error.tenant_id = imports.tenant_id and error.import_id = imports.id)
   order by id limit 100`,
);

/** Imports that were over before then and still have rows that could not be taken, of every tenant. */
export function withErrorsBefore(tx: Tx, before: Date): Promise<{ tenant_id: Uuid; id: Uuid }[]> {
  return tx.rows(oldErrors, [before]);
}

const forgetErrors = changing(
  "forget-import-errors",
  "delete from import_errors where tenant_id = $1 and import_id = $2",
);

/** Answers with how many they were. */
export const forgetErrorRows = (tx: Tx, tenantId: Uuid, id: Uuid): Promise<number> =>
  tx.run(forgetErrors, [tenantId, id]);
