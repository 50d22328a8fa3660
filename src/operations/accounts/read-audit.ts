import { canonicalJson } from "#domain/values/canonical.ts";
import { shownCell } from "#domain/values/csv-cell.ts";
import { LAST_ID, type Page, type PageRequest, pageOf } from "#domain/values/paging.ts";
import { type Caller, type Context, isOfBothModes } from "#operations/context.ts";
import * as audit from "#store/accounts/audit.ts";

export type AuditFilter = audit.AuditFilter;
export type ListedEntry = audit.ListedEntry;

/** The tenant's audit log, newest first. */
export async function listAudit(
  ctx: Context,
  caller: Caller,
  wanted: AuditFilter & PageRequest,
): Promise<Page<ListedEntry>> {
  return pageOf(await audit.list(ctx.db, caller.accountId, { ...wanted, ...seenBy(caller) }), wanted.limit);
}

/** A test key sees nothing of live mode, here either. */
const seenBy = (caller: Caller): Pick<AuditFilter, "mode"> => (isOfBothModes(caller) ? {} : { mode: "test" });

/** What an entry says, with the values of contacts who are not erased in their places. */
export function contentOf({ content, personal }: ListedEntry): Record<string, unknown> {
  return shown(content, personal) as Record<string, unknown>;
}

const ERASED = "(erased)";

function shown(value: unknown, personal: Readonly<Record<string, unknown>>): unknown {
  if (Array.isArray(value)) return value.map((each) => shown(each, personal));
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value);
  const [first] = fields;
  if (fields.length === 1 && first?.[0] === "personal" && typeof first[1] === "string")
    return personal[first[1]] ?? ERASED;
  return Object.fromEntries(fields.map(([name, each]) => [name, shown(each, personal)]));
}

const ROWS_AT_ONCE = 500;

/** The same as a table, page by page. `line` makes the cells of one. */
export function exportAudit(
  ctx: Context,
  caller: Caller,
  wanted: AuditFilter,
  line: (entry: ListedEntry) => Record<string, unknown>,
  header: string[],
): { header: string[]; rows: AsyncIterable<string[][]> } {
  async function* pages(): AsyncGenerator<string[][]> {
    for (let before = LAST_ID; ; ) {
      const found = await audit.list(ctx.db, caller.accountId, {
        ...wanted,
        ...seenBy(caller),
        before,
        limit: ROWS_AT_ONCE - 1,
      });
      yield found.map((entry) => {
        const cells = line(entry);
        return header.map((name) => cell(cells[name]));
      });
      if (found.length < ROWS_AT_ONCE) return;
      before = found.at(-1)!.id;
    }
  }
  return { header, rows: pages() };
}

const cell = (value: unknown): string => {
  if (value === null || value === undefined) return "";
  return shownCell(typeof value === "object" ? canonicalJson(value) : String(value));
};
