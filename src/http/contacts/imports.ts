import multipart from "@fastify/multipart";
import * as contract from "#contract/contacts/imports.ts";
import { costOf } from "#domain/messaging/price.ts";
import { publicId, requireId } from "#domain/values/id.ts";
import { textPageRequest } from "#domain/values/page-key.ts";
import { pageRequest } from "#domain/values/paging.ts";
import { pageAnswer } from "#http/server/page.ts";
import { type Edge, route } from "#http/server/route.ts";
import { exportCampaignLeads, exportContacts, exportVoiceCampaignLeads } from "#operations/contacts/export-contacts.ts";
import {
  getImport,
  IMPORT_ERRORS_KEY,
  importErrors,
  listImportErrors,
  listImports,
} from "#operations/imports/read-imports.ts";
import { startImport } from "#operations/imports/start-import.ts";
import { undoImport } from "#operations/imports/undo-import.ts";

export function importRoutes(edge: Edge): void {
  route(edge, contract.listImports, async ({ ctx, caller, query }) => {
    const organizationId = requireId("organization", query.organization_id, "Organization");
    return pageAnswer("imports", await listImports(ctx, caller, organizationId, pageRequest(query)), importView);
  });

  route(edge, contract.getImport, async ({ ctx, caller, params }) => {
    return { import: importView(await getImport(ctx, caller, requireId("import", params.import_id, "Import"))) };
  });

  route(edge, contract.getImportErrors, async ({ ctx, caller, params }) => {
    const table = await importErrors(ctx, caller, requireId("import", params.import_id, "Import"));
    return { ...table, fileName: "errors.csv" };
  });

  route(edge, contract.listImportErrors, async ({ ctx, caller, params, query }) => {
    const page = textPageRequest(query, IMPORT_ERRORS_KEY);
    const found = await listImportErrors(ctx, caller, requireId("import", params.import_id, "Import"), page);
    return pageAnswer("errors", found, ({ row, reason, cells }) => ({ row, reason, cells }));
  });

  route(edge, contract.undoImport, async ({ ctx, caller, params }) => {
    return { import: importView(await undoImport(ctx, caller, requireId("import", params.import_id, "Import"))) };
  });

  route(edge, contract.exportContacts, async ({ ctx, caller, query }) => {
    const organizationId = requireId("organization", query.organization_id, "Organization");
    return { ...(await exportContacts(ctx, caller, organizationId)), fileName: "contacts.csv" };
  });

  route(edge, contract.exportCampaignLeads, async ({ ctx, caller, params }) => {
    return { ...(await exportCampaignLeads(ctx, caller, params.campaign_id)), fileName: "leads.csv" };
  });

  route(edge, contract.exportVoiceCampaignLeads, async ({ ctx, caller, params }) => {
    return { ...(await exportVoiceCampaignLeads(ctx, caller, params.campaign_id)), fileName: "leads.csv" };
  });
}

/** The one route that takes a form, in a scope of its own: everywhere else a form is a 415. */
export async function uploadRoutes(edge: Edge): Promise<void> {
  await edge.app.register(multipart);

  route(edge, contract.startImport, async ({ ctx, caller, body, file }) => {
    const { started, lookups: most } = await startImport(ctx, caller, file!, file!.fileName, body);
    const price = ctx.pricePerLookup;
    const cost = most !== undefined && { price_per_lookup: price, amount: costOf(most, price), currency: "USD" };
    return { import: importView(started), look_up: cost ? { most, ...cost } : null };
  });
}

type ImportRow = Awaited<ReturnType<typeof getImport>>;

function importView(row: ImportRow) {
  const isUndone = row.status === "undoing" || row.status === "undone";
  return {
    import_id: publicId("import", row.id),
    organization_id: publicId("organization", row.organization_id),
    user_id: publicId("user", row.user_id),
    list_id: publicId("list", row.list_id),
    file_name: row.file_name,
    encoding: row.encoding,
    delimiter: row.delimiter,
    columns: row.columns,
    status: row.status,
    error: row.problem,
    progress: row.status === "completed" ? 1 : Math.min(1, row.byte_offset / Math.max(1, row.bytes)),
    rows: row.created + row.updated + row.skipped + row.failed,
    created: row.created,
    updated: row.updated,
    skipped: row.skipped,
    failed: row.failed,
    undo: isUndone ? { removed: row.removed, restored: row.restored, kept: row.kept } : null,
    created_at: row.created_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
  };
}
