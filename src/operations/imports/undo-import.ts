import { failure, notFound } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as imports from "#store/contacts/imports.ts";

/**
 * Begins to undo an import: removes contacts that it made and that were not used since, and restores fields that it changed and that were not changed
 * since. Opt-outs stay. Safe to repeat. 409 while the import runs.
 */
export async function undoImport(ctx: Context, caller: Caller, id: Uuid): Promise<imports.Import> {
  const begun = await imports.beginUndo(ctx.db, caller.tenantId, id, ctx.now());
  if (begun) return begun;
  const fileImport = await imports.find(ctx.db, caller.tenantId, id);
  if (!fileImport) throw notFound("Import");
  if (fileImport.status === "undoing" || fileImport.status === "undone") return fileImport;
  throw failure("conflict", "The import is still running; it can be undone once it is over");
}
