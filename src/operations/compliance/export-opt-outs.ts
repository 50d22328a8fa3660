import { shownCell } from "#domain/values/csv-cell.ts";
import { notFound } from "#domain/values/errors.ts";
import { NO_ID, publicId, type Uuid } from "#domain/values/id.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as organizations from "#store/accounts/organizations.ts";
import * as consents from "#store/compliance/consents.ts";
import * as doNotCall from "#store/compliance/do-not-call.ts";

/** Rows a statement: what is kept in memory for a slow reader. */
const ROWS_A_PAGE = 1_000;

/** A table for a file: its rows are yielded as they are read, a page at a time. */
type Table = { header: string[]; rows: AsyncIterable<string[][]> };

/** The do-not-call entries by phone: all, or those of one organization. 404 for an unknown organization. */
export async function exportDoNotCall(ctx: Context, caller: Caller, organizationId: Uuid | undefined): Promise<Table> {
  if (organizationId !== undefined && !(await organizations.find(ctx.db, caller.tenantId, organizationId))) {
    throw notFound("Organization");
  }
  return {
    header: ["phone_number", "organization_id", "reason", "source", "added_by", "created_at"],
    rows: doNotCallRows(ctx, caller, organizationId),
  };
}

async function* doNotCallRows(
  ctx: Context,
  { tenantId, organizations: limit }: Caller,
  organizationId: Uuid | undefined,
) {
  let after = { phone: "", organizationId: NO_ID };
  for (;;) {
    const ofAll = limit === undefined;
    const page = { after, phone: undefined, organizationId, ofAll, limit: ROWS_A_PAGE };
    const entries = await doNotCall.list(ctx.db, tenantId, page);
    const last = entries.at(-1);
    if (last === undefined) return;
    after = { phone: last.phone, organizationId: last.organization_id };
    yield entries.map((entry) =>
      [
        entry.phone,
        entry.organization_id === NO_ID ? "" : publicId("organization", entry.organization_id),
        entry.reason ?? "",
        entry.source ?? "",
        entry.added_by_name ?? "",
        entry.created_at.toISOString(),
      ].map(shownCell),
    );
  }
}

/** Every phone that is opted out, the latest first. */
export function exportOptOuts(ctx: Context, caller: Caller): Table {
  return { header: ["phone_number", "opted_out_at", "source", "quote"], rows: optOutRows(ctx, caller) };
}

async function* optOutRows(ctx: Context, { tenantId, organizations: limit }: Caller) {
  let before: { at: Date | "infinity"; phone: string } = { at: "infinity", phone: "" };
  for (;;) {
    const found = await consents.optedOut(ctx.db, tenantId, { before, organizations: limit, limit: ROWS_A_PAGE });
    const last = found.at(-1);
    if (last === undefined) return;
    before = { at: last.opted_out_at, phone: last.phone };
    yield found.map((optOut) =>
      [optOut.phone, optOut.opted_out_at.toISOString(), optOut.source ?? "", optOut.quote ?? ""].map(shownCell),
    );
  }
}
