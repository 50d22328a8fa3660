import { Type } from "typebox";
import { operation } from "#contract/values/operation.ts";
import { id, named, nullable, page, paging, tenantId, text, timestamp } from "#contract/values/shapes.ts";
import { GivenPermission, User } from "./organizations.ts";
import { OpenSession } from "./session.ts";

const tag = "Organizations and users";

export const TeamMember = named("TeamMember", {
  ...User.properties,
  can_sign_in: Type.Boolean({ description: "Has set a password for the console" }),
  invited_until: nullable(timestamp()),
});

export const listTenantUsers = operation({
  id: "listTenantUsers",
  method: "GET",
  path: "/v1/users",
  tag,
  summary: "List the tenant's users, newest first",
  scope: "read",
  query: Type.Object({ tenant_id: tenantId(), ...paging }),
  status: 200,
  response: page("users", TeamMember),
});

const params = Type.Object({ user_id: id("user") });

export const updateUser = operation({
  id: "updateUser",
  method: "PATCH",
  path: "/v1/users/:user_id",
  tag,
  summary: "Change a user's name, permission or organizations, on every node at once",
  scope: "admin",
  params,
  body: Type.Object({
    name: Type.Optional(text(200)),
    permission: Type.Optional(GivenPermission),
    organization_ids: Type.Optional(
      Type.Array(id("organization"), {
        minItems: 1,
        maxItems: 100,
        uniqueItems: true,
        description: "All that the user works for; the one that the user was made in may be left out",
      }),
    ),
    tenant_id: tenantId(),
  }),
  errors: ["live_key_required", "proof_required"],
  status: 200,
  response: Type.Object({ user: TeamMember }),
});

export const deleteUser = operation({
  id: "deleteUser",
  method: "DELETE",
  path: "/v1/users/:user_id",
  tag,
  summary: "Delete a user and end the user's sessions, on every node at once",
  scope: "admin",
  params,
  errors: ["live_key_required"],
  status: 200,
  response: Type.Object({ user_id: Type.String() }),
});

export const inviteUser = operation({
  id: "inviteUser",
  method: "POST",
  path: "/v1/users/:user_id/invitation",
  tag,
  summary: "Make a link by which a user sets a password, once, within 72 hours; it replaces the one before",
  scope: "admin",
  params,
  errors: ["live_key_required", "proof_required"],
  status: 201,
  response: Type.Object({
    user_id: Type.String(),
    invitation_url: nullable(Type.String({ description: "Shown this once; a repeat of the request has null" })),
    expires_at: timestamp(),
  }),
});

export const listUserSessions = operation({
  id: "listUserSessions",
  method: "GET",
  path: "/v1/users/:user_id/sessions",
  tag,
  summary: "List where a user is signed in, newest first, at most 100",
  scope: "admin",
  params,
  query: Type.Object({ tenant_id: tenantId() }),
  status: 200,
  response: Type.Object({ sessions: Type.Array(OpenSession) }),
});

export const endUserSessions = operation({
  id: "endUserSessions",
  method: "DELETE",
  path: "/v1/users/:user_id/sessions",
  tag,
  summary: "End a session of a user, or all of them but the caller's own, on every node at once",
  scope: "admin",
  params,
  query: Type.Object({ session_id: Type.Optional(id("session, to end it alone")), tenant_id: tenantId() }),
  status: 200,
  response: Type.Object({ user_id: Type.String(), ended_sessions: Type.Integer() }),
});
