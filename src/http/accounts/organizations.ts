import * as contract from "#contract/accounts/organizations.ts";
import { roleOf } from "#contract/accounts/roles.ts";
import { publicId, requireId } from "#domain/values/id.ts";
import { pageRequest } from "#domain/values/paging.ts";
import { pageAnswer } from "#http/server/page.ts";
import { type Edge, route } from "#http/server/route.ts";
import { userView } from "#http/server/views.ts";
import { archiveOrganization, restoreOrganization } from "#operations/accounts/archive-organization.ts";
import { createOrganization } from "#operations/accounts/create-organization.ts";
import { createUser } from "#operations/accounts/create-user.ts";
import { getOrganization, listOrganizations } from "#operations/accounts/read-organizations.ts";
import { listUsers } from "#operations/accounts/read-users.ts";

export function organizationRoutes(edge: Edge): void {
  route(edge, contract.createOrganization, async ({ ctx, caller, body }) => {
    const made = await createOrganization(ctx, caller, body);
    return { unique_id: publicId("organization", made.id), organization_name: made.name };
  });

  route(edge, contract.listOrganizations, async ({ ctx, caller, query }) => {
    const page = await listOrganizations(ctx, caller, {
      ...pageRequest(query),
      name: query.name,
      withArchived: query.include_archived ?? false,
    });
    return pageAnswer("organizations", page, organizationView);
  });

  route(edge, contract.getOrganization, async ({ ctx, caller, params }) => {
    const id = requireId("organization", params.org_id, "Organization");
    return { organization: organizationView(await getOrganization(ctx, caller, id)) };
  });

  route(edge, contract.updateOrganization, async ({ ctx, caller, params, body }) => {
    const id = requireId("organization", params.org_id, "Organization");
    const change = body.archived ? archiveOrganization : restoreOrganization;
    return { organization: organizationView(await change(ctx, caller, id)) };
  });

  route(edge, contract.createUser, async ({ ctx, caller, params, body }) => {
    const id = requireId("organization", params.org_id, "Organization");
    const { name, email, permission } = body;
    const made = await createUser(ctx, caller, id, { name, email, permission: permission && roleOf(permission) });
    return { unique_id: publicId("user", made.id), name: made.name, permission: made.permission };
  });

  route(edge, contract.listUsers, async ({ ctx, caller, params, query }) => {
    const id = requireId("organization", params.org_id, "Organization");
    return pageAnswer("users", await listUsers(ctx, caller, id, pageRequest(query)), userView);
  });
}

type Row = { id: string; name: string; contact_email: string | null; created_at: Date; archived_at: Date | null };

function organizationView(row: Row) {
  return {
    unique_id: publicId("organization", row.id),
    organization_name: row.name,
    contact_email: row.contact_email,
    created_at: row.created_at.toISOString(),
    archived_at: row.archived_at?.toISOString() ?? null,
  };
}
