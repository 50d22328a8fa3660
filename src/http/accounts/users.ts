import { roleOf } from "#contract/accounts/roles.ts";
import * as contract from "#contract/accounts/users.ts";
import { requireId } from "#domain/values/id.ts";
import { pageRequest } from "#domain/values/paging.ts";
import { pageAnswer } from "#http/server/page.ts";
import { type Edge, route } from "#http/server/route.ts";
import { openSessionView, type UserRow, userView } from "#http/server/views.ts";
import { deleteUser, endUserSessions, inviteUser, updateUser } from "#operations/accounts/change-user.ts";
import { listSessions } from "#operations/accounts/read-session.ts";
import { listMembers } from "#operations/accounts/read-users.ts";

/** Of one user; nobody is signed in at more places. */
const MOST_SESSIONS = 100;

export function userRoutes(edge: Edge): void {
  route(edge, contract.listTenantUsers, async ({ ctx, caller, query }) => {
    return pageAnswer("users", await listMembers(ctx, caller, pageRequest(query)), memberView);
  });

  route(edge, contract.updateUser, async ({ ctx, caller, params, body }) => {
    const id = requireId("user", params.user_id, "User");
    const { name, permission, organization_ids } = body;
    const organizationIds = organization_ids?.map((each) => requireId("organization", each, "Organization"));
    const change = { name, permission: permission && roleOf(permission), organizationIds };
    return { user: memberView(await updateUser(ctx, caller, id, change)) };
  });

  route(edge, contract.deleteUser, async ({ ctx, caller, params }) => {
    await deleteUser(ctx, caller, requireId("user", params.user_id, "User"));
    return { user_id: params.user_id };
  });

  route(edge, contract.listUserSessions, async ({ ctx, caller, params }) => {
    const id = requireId("user", params.user_id, "User");
    const { items } = await listSessions(ctx, caller, pageRequest({ limit: MOST_SESSIONS }), id);
    return { sessions: items.map((session) => openSessionView(session, caller.person?.sessionId, ctx.sessionTimes)) };
  });

  route(edge, contract.endUserSessions, async ({ ctx, caller, params, query }) => {
    const id = requireId("user", params.user_id, "User");
    const one = query.session_id === undefined ? undefined : requireId("session", query.session_id, "Session");
    return { user_id: params.user_id, ended_sessions: await endUserSessions(ctx, caller, id, one) };
  });

  route(edge, contract.inviteUser, async ({ ctx, caller, params, origin }) => {
    const { token, expiresAt } = await inviteUser(ctx, caller, requireId("user", params.user_id, "User"));
    return {
      user_id: params.user_id,
      // After the #: browsers send that to nobody, and no log has it.
      invitation_url: `${origin}/console/invitation#token=${token}`,
      expires_at: expiresAt.toISOString(),
    };
  });
}

const memberView = (user: UserRow & { can_sign_in: boolean; invited_until: Date | null }) => ({
  ...userView(user),
  can_sign_in: user.can_sign_in,
  invited_until: user.invited_until?.toISOString() ?? null,
});
