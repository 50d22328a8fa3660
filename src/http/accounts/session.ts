import * as contract from "#contract/accounts/session.ts";
import { publicId, requireId } from "#domain/values/id.ts";
import { pageRequest } from "#domain/values/paging.ts";
import type { DeviceCookie } from "#http/access/device-cookie.ts";
import { networkOf } from "#http/access/rate-limit.ts";
import type { SessionCookie } from "#http/access/session-cookie.ts";
import { pageAnswer } from "#http/server/page.ts";
import { type Edge, route } from "#http/server/route.ts";
import { openSessionView, userView } from "#http/server/views.ts";
import { authenticateSession } from "#operations/accounts/authenticate-session.ts";
import { changeMode, changePassword, endSession } from "#operations/accounts/change-session.ts";
import { getSession, listSessions } from "#operations/accounts/read-session.ts";
import { acceptInvitation, isSetupNeeded, setUp, signIn } from "#operations/accounts/sign-in.ts";
import { type Caller, contextFor, personOf } from "#operations/context.ts";

export function sessionRoutes(edge: Edge): void {
  const { ctx, logins } = edge;

  const view = async (caller: Caller, cookie: SessionCookie, token: string) => {
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
        is_live_available: session.isLiveAvailable,
        csrf_token: cookie.csrfToken(token),
        expires_at: session.endsAt.toISOString(),
      },
    };
  };
  /** Whoever signs in has a cookie of a new session from then on, whatever was sent along, and is known in this browser. */
  const signedIn = async (cookie: SessionCookie, device: DeviceCookie, token: string) => {
    const caller = await authenticateSession(ctx, token);
    cookie.set(token);
    const answer = await view(caller, cookie, token);
    device.set(answer.session.user.email);
    return answer;
  };

  route(edge, contract.getSetup, async () => ({ needed: await isSetupNeeded(ctx) }));

  route(edge, contract.setUp, async ({ ctx, body, cookie, device, from }) => {
    const { address } = from;
    return signedIn(cookie, device, await logins.attempt({ address }, () => setUp(ctx, body, from)));
  });

  route(edge, contract.acceptInvitation, async ({ ctx, body, cookie, device, from }) => {
    const { address } = from;
    return signedIn(cookie, device, await logins.attempt({ address }, () => acceptInvitation(ctx, body, from)));
  });

  route(edge, contract.signIn, async ({ ctx, body, cookie, device, from }) => {
    const account = body.email.toLowerCase();
    const known = device.of(account);
    const waits = { line: known ?? networkOf(from.address), isKnown: known !== undefined };
    const guessed = { account: `user ${account}`, address: from.address, device: known };
    return signedIn(cookie, device, await logins.attempt(guessed, () => signIn(ctx, body, from, waits)));
  });

  route(edge, contract.getSession, async ({ caller, cookie }) => view(caller, cookie, cookie.token!));

  route(edge, contract.changeSession, async ({ ctx, caller, body, cookie }) =>
    view(await changeMode(ctx, caller, body.mode), cookie, cookie.token!),
  );

  route(edge, contract.signOut, async ({ ctx, caller, cookie }) => {
    const { sessionId } = personOf(caller);
    await endSession(ctx, caller, sessionId);
    cookie.clear();
    return { session_id: publicId("session", sessionId) };
  });

  route(edge, contract.changePassword, async ({ ctx, caller, body, from }) => {
    const input = { current: body.current_password, wanted: body.new_password };
    const guessed = { account: `password ${personOf(caller).userId}`, address: from.address };
    const ended = await logins.attempt(guessed, () => changePassword(ctx, caller, input));
    return { ended_sessions: ended };
  });

  route(edge, contract.listSessions, async ({ ctx, caller, query }) => {
    const { sessionId } = personOf(caller);
    const page = await listSessions(ctx, caller, pageRequest(query));
    return pageAnswer("sessions", page, (session) => openSessionView(session, sessionId));
  });

  route(edge, contract.endSession, async ({ ctx, caller, params }) => {
    await endSession(ctx, caller, requireId("session", params.session_id, "Session"));
    return { session_id: params.session_id };
  });
}
