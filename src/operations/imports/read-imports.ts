import { shownCell } from "#domain/values/csv-cell.ts";
import { notFound } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import { type TextPageRequest, textPageOf } from "#domain/values/page-key.ts";
import { type Page, type PageRequest, pageOf } from "#domain/values/paging.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as organizations from "#store/accounts/organizations.ts";
import * as imports from "#store/contacts/imports.ts";

/** Rows a statement: what is kept in memory for a slow reader, outside of any transaction. */
const ERRORS_A_PAGE = 1_000;

export async function getImport(ctx: Context, caller: Caller, id: Uuid): Promise<imports.Import> {
  const fileImport = await imports.find(ctx.db, caller.tenantId, id);
  if (!fileImport) throw notFound("Import");
  return fileImport;
}

export async function listImports(
  ctx: Context,
  caller: Caller,
  organizationId: Uuid,
  page: PageRequest,
): Promise<Page<imports.Import>> {
  if (!(await organizations.find(ctx.db, caller.tenantId, organizationId))) throw notFound("Organization");
  return pageOf(await imports.list(ctx.db, caller.tenantId, organizationId, page), page.limit);
}

/** The row number that a page of errors goes on after. */
export const IMPORT_ERRORS_KEY = [/^\d{1,15}$/] as const;

/** The rows that could not be taken, in the file's order. 404 for an unknown import. */
export async function listImportErrors(
  ctx: Context,
  caller: Caller,
  id: Uuid,
  page: TextPageRequest,
): Promise<Page<imports.RowError>> {
  await getImport(ctx, caller, id);
  const after = Number(page.after?.[0] ?? 0);
  const errors = await imports.errorsAfter(ctx.db, caller.tenantId, id, after, page.limit + 1);
  return textPageOf(errors, page.limit, ({ row }) => [String(row)]);
}

/** The rows that could not be taken, as a table: row number, reason, and the row itself under the file's own header. */
export async function importErrors(
  ctx: Context,
  caller: Caller,
  id: Uuid,
): Promise<{ header: string[]; rows: AsyncIterable<string[][]> }> {
  const fileImport = await getImport(ctx, caller, id);
  const header = ["row", "reason", ...fileImport.columns.map(({ column }) => column)];
  return { header: header.map(shownCell), rows: pages(ctx, caller, id) };
}

async function* pages(ctx: Context, caller: Caller, id: Uuid): AsyncGenerator<string[][]> {
  let after = 0;
  for (;;) {
    const errors = await imports.errorsAfter(ctx.db, caller.tenantId, id, after, ERRORS_A_PAGE);
    if (errors.length === 0) return;
    after = errors.at(-1)!.row;
    yield errors.map(({ row, reason, cells }) => [String(row), ...[reason, ...cells].map(shownCell)]);
  }
}
