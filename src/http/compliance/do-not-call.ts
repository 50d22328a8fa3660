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

function organizationOf(it: { organization_id?: string | undefined }): Uuid | undefined {
  return it.organization_id === undefined ? undefined : requireId("organization", it.organization_id, "Organization");
}

function entryView(it: DoNotCallEntry) {
  return {
    phone_number: it.phone,
    organization_id: it.organization_id === NO_ID ? null : publicId("organization", it.organization_id),
    reason: it.reason,
    created_at: it.created_at.toISOString(),
    source: it.source,
    added_by: it.added_by && { unique_id: publicId("user", it.added_by), name: it.added_by_name! },
  };
}
