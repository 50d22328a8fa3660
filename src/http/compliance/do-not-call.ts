import * as contract from "#contract/compliance/do-not-call.ts";
import { linesOf } from "#domain/compliance/do-not-call.ts";
import { NO_ID, publicId, requireId, type Uuid } from "#domain/values/id.ts";
import { textPageRequest } from "#domain/values/page-key.ts";
import { pageAnswer } from "#http/server/page.ts";
import { type Edge, route } from "#http/server/route.ts";
import { addDoNotCall, importDoNotCall } from "#operations/compliance/add-do-not-call.ts";
import { exportDoNotCall } from "#operations/compliance/export-opt-outs.ts";
import { DO_NOT_CALL_KEY, type DoNotCallEntry, listDoNotCall } from "#operations/compliance/read-do-not-call.ts";
import { removeDoNotCall } from "#operations/compliance/remove-do-not-call.ts";

export function doNotCallRoutes(edge: Edge): void {
  route(edge, contract.addDoNotCall, async ({ ctx, caller, body }) => {
    const scope = { organizationId: organizationOf(body), reason: body.reason };
    return { entry: entryView(await addDoNotCall(ctx, caller, body.phone_number, scope)) };
  });

  route(edge, contract.removeDoNotCall, async ({ ctx, caller, body }) => {
    const { phone, removed } = await removeDoNotCall(ctx, caller, body.phone_number, organizationOf(body));
    return { phone_number: phone, removed };
  });

  route(edge, contract.listDoNotCall, async ({ ctx, caller, query }) => {
    const page = await listDoNotCall(ctx, caller, {
      ...textPageRequest(query, DO_NOT_CALL_KEY),
      phoneNumber: query.phone_number,
      organizationId: organizationOf(query),
    });
    return pageAnswer("entries", page, entryView);
  });

  route(edge, contract.exportDoNotCall, async ({ ctx, caller, query }) => ({
    ...(await exportDoNotCall(ctx, caller, organizationOf(query))),
    fileName: "dnc.csv",
  }));

  route(edge, contract.importDoNotCall, async ({ ctx, caller, body }) => {
    const scope = { organizationId: organizationOf(body), reason: body.reason };
    const numbers = [...(body.phone_numbers ?? []), ...(body.file === undefined ? [] : linesOf(body.file))];
    return importDoNotCall(ctx, caller, numbers, scope);
  });
}

function organizationOf(query: { organization_id?: string | undefined }): Uuid | undefined {
  return query.organization_id === undefined
    ? undefined
    : requireId("organization", query.organization_id, "Organization");
}

function entryView(entry: DoNotCallEntry) {
  return {
    phone_number: entry.phone,
    organization_id: entry.organization_id === NO_ID ? null : publicId("organization", entry.organization_id),
    reason: entry.reason,
    created_at: entry.created_at.toISOString(),
    source: entry.source,
    added_by: entry.added_by && { unique_id: publicId("user", entry.added_by), name: entry.added_by_name! },
  };
}
