import { publicId } from "#domain/values/id.ts";
import type { DeviceCookie } from "#http/access/device-cookie.ts";
import type { SessionCookie } from "#http/access/session-cookie.ts";
import type { Edge } from "#http/server/route.ts";
import { userView } from "#http/server/views.ts";
import { authenticateSession } from "#operations/accounts/authenticate-session.ts";
import { getSession } from "#operations/accounts/read-session.ts";
import { type Caller, contextFor } from "#operations/context.ts";

/** A session as its person gets it, whole or not yet. */
export async function sessionView({ ctx }: Pick<Edge, "ctx">, caller: Caller, cookie: SessionCookie, token: string) {
  const session = await getSession(contextFor(ctx, caller), caller);
  return {
    session: {
      session_id: publicId("session", session.id),
      user: userView(session.user),
      tenant_id: publicId("tenant", caller.accountId),
      organizations: session.organizations.map(({ id, name }) => ({
        unique_id: publicId("organization", id),
        organization_name: name,
      })),
      permission: session.user.permission,
      scopes: session.scopes,
      mode: caller.mode,
      pending: session.pending,
      proof_kinds: session.proofKinds,
      is_live_available: session.isLiveAvailable,
      csrf_token: cookie.csrfToken(token),
      expires_at: session.endsAt.toISOString(),
    },
  };
}

/**
 * Whoever signs in, or rises in a session, has a cookie of a new one from then on, whatever was sent along. The browser is known once the session is
 * whole.
 */
export async function signedIn(
  edge: Pick<Edge, "ctx">,
  { cookie, device }: { cookie: SessionCookie; device: DeviceCookie },
  token: string,
) {
  const caller = await authenticateSession(edge.ctx, token);
  cookie.set(token);
  const answer = await sessionView(edge, caller, cookie, token);
  if (answer.session.pending === null) device.set(answer.session.user.email);
  return answer;
}
