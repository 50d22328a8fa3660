import * as contract from "#contract/organizations.ts";
import { publicId, requireId } from "#domain/id.ts";
import { pageRequest } from "#domain/paging.ts";
import { createOrganization } from "#operations/create-organization.ts";
import { getOrganization, listOrganizations } from "#operations/read-organizations.ts";
import { pageAnswer } from "../page.ts";
import { type Edge, route } from "../route.ts";

export function organizationRoutes(edge: Edge): void {
  const { ctx } = edge;

  route(edge, contract.createOrganization, async ({ caller, body }) => {
    const made = await createOrganization(ctx, caller, body);
    return { unique_id: publicId("organization", made.id), organization_name: made.name };
  });

  route(edge, contract.listOrganizations, async ({ caller, query }) => {
    const page = await listOrganizations(ctx, caller, { ...pageRequest(query), name: query.name });
    return pageAnswer("organizations", page, organizationView);
  });

  route(edge, contract.getOrganization, async ({ caller, params }) => {
    const id = requireId("organization", params.org_id, "Organization");
    return { organization: organizationView(await getOrganization(ctx, caller, id)) };
  });
}

type Row = { id: string; name: string; contact_email: string | null; created_at: Date };

function organizationView(it: Row) {
  return {
    unique_id: publicId("organization", it.id),
    organization_name: it.name,
    contact_email: it.contact_email,
    created_at: it.created_at.toISOString(),
  };
}
