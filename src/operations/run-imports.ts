import type { Uuid } from "#domain/id.ts";
import { phonesIn, type ReadRow, readRow } from "#domain/import-row.ts";
import { type Lead, uniqueByPhone } from "#domain/lead.ts";
import type { TableRows } from "#ports/uploads.ts";
import { isBadData, type Tx } from "#store/db.ts";
import * as erasedPhones from "#store/erased-phones.ts";
import * as importContacts from "#store/import-contacts.ts";
import * as imports from "#store/imports.ts";
import * as leadConsents from "#store/lead-consents.ts";
import * as lists from "#store/lists.ts";
import * as tenants from "#store/tenants.ts";
import type { Context } from "./context.ts";

/** Rows a transaction: its fixed cost is nothing by then, and what it holds is held for a fraction of a second. */
const ROWS_A_PIECE = 5_000;
const CONTACTS_AN_UNDO = 2_000;
/**
 * Whoever has not begun another piece for this long is gone. While a piece is written its import's row is locked, and nobody
 * can take it over, however long that lasts.
 */
const LEASE_MS = 4_000;
/** An import whose file is on no node that works is given up after this: a node may be away for a while. */
const LOST_AFTER_MS = 3_600_000;
/** No import takes longer: who was erased before that is not in any file that is still to be read. */
const KEEP_HASHES_MS = 7 * 86_400_000;
/** An upload that belongs to no import was cut off before it became one. */
const ORPHAN_AFTER_MS = 3_600_000;
/** Rows that could not be taken are there to be mended and sent again. Whose they are is not always known, so they do not stay. */
const KEEP_ERRORS_MS = 30 * 86_400_000;

/** True when there is an import that nobody works on and that this node could. */
export async function importsWait(ctx: Context): Promise<boolean> {
  return (await imports.open(ctx.db, ctx.now(), await ctx.uploads.names())).length > 0;
}

/**
 * Works on every open import whose file is on this node, one after the other, until none is left or the signal is given. A
 * piece of the file and how far that brings the import are one transaction: killed at any point, it goes on from there,
 * and no row counts twice. Any number of nodes and processes may run it at once.
 */
export async function runImports(ctx: Context, signal: AbortSignal): Promise<void> {
  for (const open of await imports.open(ctx.db, ctx.now(), await ctx.uploads.names())) {
    if (signal.aborted) return;
    const runner = ctx.newId();
    const it = await imports.lease(ctx.db, open.tenant_id, open.id, leaseOf(ctx, runner), ctx.now());
    if (!it) continue;
    const job: Job = { tenantId: open.tenant_id, id: open.id, runner };
    if (it.status === "undoing") await undo(ctx, job, signal);
    else await run(ctx, job, it, signal);
  }
}

/** Gives up imports whose file is lost, and forgets files, hashes and rows that no import is going to need. */
export async function tidyImports(ctx: Context): Promise<void> {
  const now = ctx.now();
  for (const it of await imports.elsewhere(ctx.db, now, await ctx.uploads.names())) {
    // Ids begin with the (real) time at which they were made.
    const since = Math.max(it.leased_until.getTime(), Number.parseInt(it.id.replaceAll("-", "").slice(0, 12), 16));
    if (now.getTime() - since < LOST_AFTER_MS) continue;
    const at = await tenants.tenantNow(ctx.db, it.tenant_id, now);
    await imports.fail(ctx.db, it.tenant_id, it.id, { problem: "the file was lost; send it again", at, now });
  }
  for (const it of await imports.withErrorsBefore(ctx.db, new Date(now.getTime() - KEEP_ERRORS_MS))) {
    await imports.forgetErrorRows(ctx.db, it.tenant_id, it.id);
  }
  await erasedPhones.forget(ctx.db, new Date(now.getTime() - KEEP_HASHES_MS));
  const old = await ctx.uploads.olderThan(new Date(now.getTime() - ORPHAN_AFTER_MS));
  if (old.length === 0) return;
  const used = await imports.uploadsInUse(ctx.db, old);
  for (const name of old) if (!used.has(name)) await ctx.uploads.remove(name);
}

type Job = { tenantId: Uuid; id: Uuid; runner: Uuid };

const leaseOf = (ctx: Context, runner: Uuid) => ({ runner, until: new Date(ctx.now().getTime() + LEASE_MS) });

/** Another has taken the import over: what this one has read is that one's to read. */
class TakenOver extends Error {}

async function run(ctx: Context, job: Job, it: imports.Import, signal: AbortSignal): Promise<void> {
  const format = { delimiter: it.delimiter, rowsAPiece: ROWS_A_PIECE };
  const from = { byteOffset: it.byte_offset, rowNumber: it.row_number };
  let writing: Promise<void> = Promise.resolve();
  let problem: string | undefined;
  try {
    for await (const piece of ctx.uploads.rows(it.upload, format, from, signal)) {
      // The next piece is read and checked while PostgreSQL works on the one before.
      const checked = check(it, piece);
      await writing;
      writing = write(ctx, job, checked);
      // Awaited a turn later; a failure before that must not count as unheard.
      writing.catch(() => {});
      problem = piece.problem;
    }
    await writing;
    if (signal.aborted && problem === undefined) return;
    await finish(ctx, job, problem);
    await ctx.uploads.remove(it.upload);
  } catch (error) {
    if (error instanceof TakenOver) return;
    if (!isBadData(error)) throw error;
    // Tried again it would fail again.
    ctx.log.error({ err: error, importId: job.id }, "rows of an import cannot be stored");
    await finish(ctx, job, "some rows cannot be stored");
  }
}

type Checked = {
  byteOffset: number;
  rowNumber: number | undefined;
  leads: Lead[];
  errors: imports.NewRowError[];
};

function check(it: imports.Import, { rows, byteOffset }: TableRows): Checked {
  const leads: Lead[] = [];
  const errors: imports.NewRowError[] = [];
  for (const { number, cells } of rows) {
    const read: ReadRow = readRow(cells, it.columns);
    if ("problem" in read) {
      const { problem: reason, phone } = read;
      const shown = storable(cells);
      errors.push({ row: number, reason, cells: shown, phone, phones: phonesIn(shown) });
    } else if ("phone" in read) leads.push({ index: number, phone: read.phone, fields: read.fields });
  }
  return { byteOffset, rowNumber: rows.at(-1)?.number, leads, errors };
}

/** As much of a row as is told beside its error; PostgreSQL stores no NUL. */
const MAX_SHOWN_CELL = 1_000;
const MAX_SHOWN_CELLS = 200;
const storable = (cells: readonly string[]): string[] =>
  cells
    .slice(0, MAX_SHOWN_CELLS)
    .map((cell) => cell.slice(0, MAX_SHOWN_CELL).replaceAll("\0", "\ufffd").toWellFormed());

/** Writes a piece and how far the import is with it. */
function write(ctx: Context, job: Job, piece: Checked): Promise<void> {
  return ctx.db.transaction(async (tx) => {
    const it = await locked(tx, job);
    const at = await tenants.tenantNow(tx, job.tenantId, ctx.now());
    const { leads, errors } = await withoutErased(ctx, tx, job, it, piece);
    const rows = uniqueByPhone(leads)
      .map(({ phone, fields }) => ({ id: ctx.newId(), phone, fields }))
      .sort((a, b) => (a.phone < b.phone ? -1 : 1));
    await leadConsents.bring(tx, job.tenantId, rows, { now: at, newId: ctx.newId });
    const stored = await importContacts.store(tx, job.tenantId, it, rows, at);
    await imports.insertErrorRows(tx, job.tenantId, job.id, errors);
    it.created += stored.created;
    it.updated += stored.updated;
    // A number that came before in the file: its row has given its fields to the same contact.
    it.skipped += leads.length - rows.length + stored.repeated;
    it.failed += errors.length;
    it.byte_offset = piece.byteOffset;
    it.row_number = piece.rowNumber ?? it.row_number;
    await imports.save(tx, job.tenantId, it, leaseOf(ctx, job.runner).until, at);
  });
}

async function locked(tx: Tx, job: Job): Promise<imports.Import> {
  const it = await imports.lockLeased(tx, job.tenantId, job.id, job.runner);
  if (!it) throw new TakenOver();
  return it;
}

/** Who was erased after the file came is not brought back by it. */
async function withoutErased(ctx: Context, tx: Tx, job: Job, it: imports.Import, { leads, errors }: Checked) {
  const phones = [...leads.map((lead) => lead.phone), ...errors.flatMap((error) => error.phones)];
  const erased = await erasedPhones.since(tx, job.tenantId, phones, { hash: ctx.hashPhone, at: it.created_at });
  if (erased.size === 0) return { leads, errors };
  const gone = leads.filter((lead) => erased.has(lead.phone));
  return {
    leads: leads.filter((lead) => !erased.has(lead.phone)),
    errors: [
      ...errors.map((error) => (error.phones.some((phone) => erased.has(phone)) ? erasedRow(error.row) : error)),
      ...gone.map((lead) => erasedRow(lead.index)),
    ],
  };
}

const erasedRow = (row: number): imports.NewRowError => ({
  row,
  reason: "the contact was erased after the file was sent",
  cells: [],
  phone: null,
  phones: [],
});

async function finish(ctx: Context, job: Job, problem: string | undefined): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const it = await locked(tx, job);
    it.status = problem === undefined ? "completed" : "failed";
    it.problem = problem ?? null;
    it.finished_at = await tenants.tenantNow(tx, job.tenantId, ctx.now());
    await imports.save(tx, job.tenantId, it, ctx.now(), it.finished_at);
  });
}

/** Takes an import back, some thousands of contacts at once. */
async function undo(ctx: Context, job: Job, signal: AbortSignal): Promise<void> {
  let more = true;
  try {
    while (more && !signal.aborted) {
      more = await ctx.db.transaction(async (tx) => {
        const it = await locked(tx, job);
        const at = await tenants.tenantNow(tx, job.tenantId, ctx.now());
        const { ids, locked: contacts } = await importContacts.lockNext(tx, job.tenantId, job.id, CONTACTS_AN_UNDO);
        const removed = contacts.filter(({ before, unused }) => before === null && unused).map((contact) => contact.id);
        const restored = contacts.flatMap((contact) => restoredFields(contact) ?? []);
        await importContacts.undo(tx, job.tenantId, job.id, { looked: ids, removed, restored }, at);
        it.removed += removed.length;
        it.restored += restored.length;
        it.kept += ids.length - removed.length - restored.length;
        if (ids.length === 0) {
          await lists.remove(tx, job.tenantId, it.list_id);
          it.status = "undone";
          it.finished_at = at;
        }
        await imports.save(tx, job.tenantId, it, leaseOf(ctx, job.runner).until, at);
        return ids.length > 0;
      });
    }
  } catch (error) {
    if (!(error instanceof TakenOver)) throw error;
  }
}

/** A contact's fields with those that the import gave it as they were, but for any that have been changed since. */
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
