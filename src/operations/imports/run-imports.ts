import { publicId, type Uuid } from "#domain/values/id.ts";
import * as audit from "#store/accounts/audit.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as importContacts from "#store/contacts/import-contacts.ts";
import * as importRetries from "#store/contacts/import-retries.ts";
import * as imports from "#store/contacts/imports.ts";
import * as listLines from "#store/contacts/list-lines.ts";
import * as lists from "#store/contacts/lists.ts";
import { isBadData, type Tx } from "#store/database/db.ts";
import * as stuckTasks from "#store/system/stuck-tasks.ts";
import type { ImportContext } from "./import-context.ts";
import { type ReadRows, rowReader } from "./read-rows.ts";
import { retryRow } from "./retry-row.ts";
import { storeRows } from "./store-rows.ts";
import { type RowWatch, UNWATCHED_ROWS } from "./watch.ts";

export type { RowWatch };

/** Rows a transaction: large enough that its fixed cost does not matter, small enough that its locks are held for a fraction of a second. */
const ROWS_A_PIECE = 5_000;
const CONTACTS_AN_UNDO = 2_000;
/**
 * A process that has not begun another batch for this long has died. While a batch is written its import's row is locked, and no other process can
 * take it over, however long that lasts.
 */
const LEASE_MS = 4_000;
/** An import whose file is on no running node is given up after this: a node may be away for a while. */
const LOST_AFTER_MS = 3_600_000;
/** An upload that belongs to no import was interrupted. */
const ORPHAN_AFTER_MS = 3_600_000;

/** True when there is an import that no process works on and that this node could, or a row that is to be read again. */
export async function importsWait(ctx: ImportContext): Promise<boolean> {
  const open = await imports.open(ctx.db, ctx.now(), await ctx.uploads.names());
  return open.length > 0 || (await importRetries.wanted(ctx.db)).length > 0;
}

/**
 * Works on every open import whose file is on this node, one after the other, until none is left or the signal is given. A batch of the file's rows
 * and the import's new position are one transaction: killed at any point, it continues from there, and no row counts twice. Any number of nodes and
 * processes may run it at once. `watch` is given the row that is being read: a row that has blocked two threads is set aside among the rows that
 * could not be taken, and read again on request.
 */
export async function runImports(
  ctx: ImportContext,
  signal: AbortSignal,
  watch: RowWatch = UNWATCHED_ROWS,
): Promise<void> {
  for (const open of await imports.open(ctx.db, ctx.now(), await ctx.uploads.names())) {
    if (signal.aborted) return;
    const runner = ctx.newId();
    const fileImport = await imports.lease(ctx.db, open.tenant_id, open.id, leaseOf(ctx, runner), ctx.now());
    if (!fileImport) continue;
    const job: Job = { tenantId: open.tenant_id, id: open.id, runner };
    if (fileImport.status === "undoing") await undo(ctx, job, signal);
    else await run(ctx, job, fileImport, signal, watch);
  }
  for (const row of await importRetries.wanted(ctx.db)) {
    if (signal.aborted) return;
    await retryRow(ctx, row, watch);
  }
}

/** Gives up imports whose file is lost, and removes files that no import is going to need. */
export async function tidyImports(ctx: ImportContext): Promise<void> {
  const now = ctx.now();
  for (const fileImport of await imports.elsewhere(ctx.db, now, await ctx.uploads.names())) {
    // Ids begin with the (real) time at which they were made.
    const since = Math.max(
      fileImport.leased_until.getTime(),
      Number.parseInt(fileImport.id.replaceAll("-", "").slice(0, 12), 16),
    );
    if (now.getTime() - since < LOST_AFTER_MS) continue;
    const at = await tenants.tenantNow(ctx.db, fileImport.tenant_id, now);
    await imports.fail(ctx.db, fileImport.tenant_id, fileImport.id, {
      problem: "the file was lost; send it again",
      at,
      now,
    });
    await listLines.importIsOver(ctx.db, fileImport.tenant_id, fileImport.list_id);
  }
  const old = await ctx.uploads.olderThan(new Date(now.getTime() - ORPHAN_AFTER_MS));
  if (old.length === 0) return;
  const used = await imports.uploadsInUse(ctx.db, old);
  for (const name of old) if (!used.has(name)) await ctx.uploads.remove(name);
}

type Job = { tenantId: Uuid; id: Uuid; runner: Uuid };

const leaseOf = (ctx: ImportContext, runner: Uuid) => ({ runner, until: new Date(ctx.now().getTime() + LEASE_MS) });

/** Another process has taken the import over: the rows read here are left to that one. */
class TakenOver extends Error {}

async function run(
  ctx: ImportContext,
  job: Job,
  fileImport: imports.Import,
  signal: AbortSignal,
  watch: RowWatch,
): Promise<void> {
  const stuck = await stuckTasks.ofImport(ctx.db, job.tenantId, job.id);
  const reader = rowReader(job.tenantId, fileImport, stuck, watch);
  if (reader.isFileSetAside) {
    await finish(ctx, job, "its file has held two processes that read it");
    await ctx.uploads.remove(fileImport.upload);
    return;
  }
  const format = { delimiter: fileImport.delimiter, rowsAPiece: ROWS_A_PIECE };
  const from = { byteOffset: fileImport.byte_offset, rowNumber: fileImport.row_number };
  let writing: Promise<void> = Promise.resolve();
  let problem: string | undefined;
  try {
    for await (const piece of ctx.uploads.rows(fileImport.upload, format, from, signal)) {
      // The next batch is read and checked while PostgreSQL works on the one before.
      const checked = {
        ...reader.read(piece.rows),
        byteOffset: piece.byteOffset,
        rowNumber: piece.rows.at(-1)?.number,
      };
      await writing;
      writing = write(ctx, job, checked);
      // Awaited a turn later; a failure before that must not count as an unhandled rejection.
      writing.catch(() => {});
      problem = piece.problem;
    }
    await writing;
    if (signal.aborted && problem === undefined) return;
    await finish(ctx, job, problem);
    await ctx.uploads.remove(fileImport.upload);
    // Tasks that blocked one process and no second one.
    for (const task of reader.cleared()) await stuckTasks.clear(ctx.db, task);
  } catch (error) {
    if (error instanceof TakenOver) return;
    if (!isBadData(error)) throw error;
    // Trying again would fail again.
    ctx.log.error({ err: error, importId: job.id }, "rows of an import cannot be stored");
    await finish(ctx, job, "some rows cannot be stored");
  }
}

/** Writes a batch of rows and the import's new position. */
function write(
  ctx: ImportContext,
  job: Job,
  piece: ReadRows & { byteOffset: number; rowNumber: number | undefined },
): Promise<void> {
  return ctx.db.transaction(async (tx) => {
    const fileImport = await locked(tx, job);
    const at = await tenants.tenantNow(tx, job.tenantId, ctx.now());
    await storeRows(ctx, tx, job.tenantId, fileImport, piece, at);
    fileImport.byte_offset = piece.byteOffset;
    fileImport.row_number = piece.rowNumber ?? fileImport.row_number;
    await imports.save(tx, job.tenantId, fileImport, leaseOf(ctx, job.runner).until, at);
  });
}

async function locked(tx: Tx, job: Job): Promise<imports.Import> {
  const fileImport = await imports.lockLeased(tx, job.tenantId, job.id, job.runner);
  if (!fileImport) throw new TakenOver();
  return fileImport;
}

async function finish(ctx: ImportContext, job: Job, problem: string | undefined): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const fileImport = await locked(tx, job);
    fileImport.status = problem === undefined ? "completed" : "failed";
    fileImport.problem = problem ?? null;
    fileImport.finished_at = await tenants.tenantNow(tx, job.tenantId, ctx.now());
    await imports.save(tx, job.tenantId, fileImport, ctx.now(), fileImport.finished_at);
    await listLines.importIsOver(tx, job.tenantId, fileImport.list_id);
    const { created, updated, skipped, failed } = fileImport;
    await noteEnd(ctx, tx, job, "finishImport", fileImport, { created, updated, skipped, failed });
  });
}

/** What came of an import, or of its end, is in the audit log: the entry of the request is from before. */
async function noteEnd(
  ctx: ImportContext,
  tx: Tx,
  { tenantId, id }: Job,
  operation: string,
  { organization_id, status, problem }: imports.Import,
  counts: Record<string, number>,
): Promise<void> {
  const object = { kind: "import", id: publicId("import", id) };
  const note = { object, organizationId: organization_id, after: { status, problem }, counts };
  await audit.addOfSystemInMode(tx, tenantId, { id: ctx.newId(), operation }, note, ctx.now());
}

/** Undoes an import, some thousands of contacts at once. */
async function undo(ctx: ImportContext, job: Job, signal: AbortSignal): Promise<void> {
  let more = true;
  try {
    while (more && !signal.aborted) {
      more = await ctx.db.transaction(async (tx) => {
        const fileImport = await locked(tx, job);
        const at = await tenants.tenantNow(tx, job.tenantId, ctx.now());
        const { ids, locked: contacts } = await importContacts.lockNext(tx, job.tenantId, job.id, CONTACTS_AN_UNDO);
        const removed = contacts.filter(({ before, unused }) => before === null && unused).map((contact) => contact.id);
        const restored = contacts.flatMap((contact) => restoredFields(contact) ?? []);
        await importContacts.undo(tx, job.tenantId, job.id, { looked: ids, removed, restored }, at);
        fileImport.removed += removed.length;
        fileImport.restored += restored.length;
        fileImport.kept += ids.length - removed.length - restored.length;
        if (ids.length === 0) {
          await lists.remove(tx, job.tenantId, fileImport.list_id);
          fileImport.status = "undone";
          fileImport.finished_at = at;
          const { removed, restored, kept } = fileImport;
          await noteEnd(ctx, tx, job, "finishUndo", fileImport, { removed, restored, kept });
        }
        await imports.save(tx, job.tenantId, fileImport, leaseOf(ctx, job.runner).until, at);
        return ids.length > 0;
      });
    }
  } catch (error) {
    if (!(error instanceof TakenOver)) throw error;
  }
}

/** A contact's fields with those from the import set back to what they were, except any that have been changed since. */
function restoredFields({ id, fields, before, given }: importContacts.Touched) {
  if (before === null || given === null) return undefined;
  const restored = { ...fields };
  let isRestored = false;
  for (const name of Object.keys(given)) {
    if (restored[name] !== given[name] || restored[name] === before[name]) continue;
    isRestored = true;
    if (Object.hasOwn(before, name)) restored[name] = before[name]!;
    else delete restored[name];
  }
  return isRestored ? [{ id, fields: restored }] : undefined;
}
