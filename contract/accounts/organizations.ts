import { Type } from "typebox";
import { operation } from "#contract/values/operation.ts";
import { email, id, named, nullable, page, paging, tenantId, text, timestamp } from "#contract/values/shapes.ts";
import type { Role } from "./roles.ts";

const tag = "Organizations and users";

export const Organization = named("Organization", {
  unique_id: Type.String(),
  organization_name: Type.String(),
  contact_email: nullable(Type.String()),
  created_at: timestamp(),
  archived_at: nullable(
    Type.String({ format: "date-time", description: "Since when nothing goes out for it; null: it is not archived" }),
  ),
});

export const User = named("User", {
  unique_id: Type.String(),
  name: Type.String(),
  email: Type.String(),
  permission: Type.String(),
  organization_id: Type.String({ description: "The organization that the user was made in" }),
  organization_ids: Type.Array(Type.String(), {
    description: "All that the user works for. An admin sees the whole tenant, whatever stands here",
  }),
  created_at: timestamp(),
});

export const Permission = Type.Union([
  Type.Literal("admin"),
  Type.Literal("manager"),
  Type.Literal("agent"),
  Type.Literal("viewer"),
]);
export type Permission = Role;

/** As a request says it. */
export const GivenPermission = Type.Union([...Permission.anyOf, Type.Literal("member")], {
  description: "`member` is an older word for `manager`",
});

export const createOrganization = operation({
  id: "createOrganization",
  method: "POST",
  path: "/v1/organizations",
  tag,
  summary: "Create an organization",
  scope: "admin",
  body: Type.Object({ name: text(200), contact_email: Type.Optional(email()), tenant_id: tenantId() }),
  status: 201,
  response: Type.Object({ unique_id: Type.String(), organization_name: Type.String() }),
});

export const listOrganizations = operation({
  id: "listOrganizations",
  method: "GET",
  path: "/v1/organizations",
  tag,
  summary: "List organizations, newest first",
  scope: "read",
  query: Type.Object({
    name: Type.Optional(text(200, "Only those of exactly this name")),
    include_archived: Type.Optional(Type.Boolean({ description: "Those that are archived as well; default false" })),
    tenant_id: tenantId(),
    ...paging,
  }),
  status: 200,
  response: page("organizations", Organization),
});

export const getOrganization = operation({
  id: "getOrganization",
  method: "GET",
  path: "/v1/organizations/:org_id",
  tag,
  summary: "Get an organization",
  scope: "read",
  params: Type.Object({ org_id: id("organization") }),
  status: 200,
  response: Type.Object({ organization: Organization }),
});

export const updateOrganization = operation({
  id: "updateOrganization",
  method: "PATCH",
  path: "/v1/organizations/:org_id",
  tag,
  summary: "Archive an organization, or restore it: nothing goes out for one that is archived",
  scope: "admin",
  params: Type.Object({ org_id: id("organization") }),
  body: Type.Object({
    archived: Type.Boolean({
      description:
        "true pauses its campaigns, of texts and calls; false leaves them paused until somebody resumes them",
    }),
    tenant_id: tenantId(),
  }),
  status: 200,
  response: Type.Object({ organization: Organization }),
});

export const createUser = operation({
  id: "createUser",
  method: "POST",
  path: "/v1/organizations/:org_id/users",
  tag,
  summary: "Create a user of an organization",
  scope: "admin",
  params: Type.Object({ org_id: id("organization") }),
  body: Type.Object({
    name: text(200),
    email: email(),
    permission: Type.Optional(GivenPermission),
    tenant_id: tenantId(),
  }),
  status: 201,
  response: Type.Object({ unique_id: Type.String(), name: Type.String(), permission: Type.String() }),
});

export const listUsers = operation({
  id: "listUsers",
  method: "GET",
  path: "/v1/organizations/:org_id/users",
  tag,
  summary: "List the users of an organization, newest first",
  scope: "read",
  params: Type.Object({ org_id: id("organization") }),
  query: Type.Object({ ...paging }),
  status: 200,
  response: page("users", User),
});
