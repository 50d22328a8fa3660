import * as contract from "#contract/organizations.ts";
import { publicId, requireId } from "#domain/id.ts";
import { pageRequest } from "#domain/paging.ts";
import { createOrganization } from "#operations/create-organization.ts";
import { createUser } from "#operations/create-user.ts";
import { getOrganization, listOrganizations } from "#operations/read-organizations.ts";
import { listUsers } from "#operations/read-users.ts";
import { pageAnswer } from "../page.ts";
import { type Edge, route } from "../route.ts";
import { userView } from "../views.ts";

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

  route(edge, contract.createUser, async ({ caller, params, body }) => {
    const id = requireId("organization", params.org_id, "Organization");
    const made = await createUser(ctx, caller, id, body);
    return { unique_id: publicId("user", made.id), name: made.name, permission: made.permission };
  });

  route(edge, contract.listUsers, async ({ caller, params, query }) => {
    const id = requireId("organization", params.org_id, "Organization");
    return pageAnswer("users", await listUsers(ctx, caller, id, pageRequest(query)), userView);
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
