import * as tenants from "#store/accounts/tenants.ts";
import * as importRetries from "#store/contacts/import-retries.ts";
import * as imports from "#store/contacts/imports.ts";
import * as stuckTasks from "#store/system/stuck-tasks.ts";
import type { ImportContext } from "./import-context.ts";
import { rowReader } from "./read-rows.ts";
import { storeRows } from "./store-rows.ts";
import type { RowWatch } from "./watch.ts";

/** Reads a row again that was set aside, and counts it anew. It is read before anything is locked, since reading it may block the thread for good. */
export async function retryRow(ctx: ImportContext, row: importRetries.ImportRow, watch: RowWatch): Promise<void> {
  const { tenantId, importId } = row;
  const of = await imports.find(ctx.db, tenantId, importId);
  const cells = await importRetries.cellsOf(ctx.db, row);
  if (!of || !cells) return;
  const reader = rowReader(tenantId, of, await stuckTasks.ofImport(ctx.db, tenantId, importId), watch);
  if (reader.isSetAside(row.row)) return importRetries.leave(ctx.db, row);
  const read = reader.read([{ number: row.row, cells }]);
  await ctx.db.transaction(async (tx) => {
    const fileImport = await imports.lockOver(tx, tenantId, importId);
    if (!fileImport || !(await importRetries.take(tx, row))) return;
    const at = await tenants.tenantNow(tx, tenantId, ctx.now());
    fileImport.failed--;
    await storeRows(ctx, tx, tenantId, fileImport, read, at);
    await imports.save(tx, tenantId, fileImport, ctx.now(), at);
  });
  for (const task of reader.cleared()) await stuckTasks.clear(ctx.db, task);
}
