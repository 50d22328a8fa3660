import * as contract from "#contract/accounts/session.ts";
import { publicId, requireId } from "#domain/values/id.ts";
import { pageRequest } from "#domain/values/paging.ts";
import { networkOf } from "#http/access/rate-limit.ts";
import { pageAnswer } from "#http/server/page.ts";
import { type Edge, route } from "#http/server/route.ts";
import { openSessionView } from "#http/server/views.ts";
import { changeMode, changePassword, endOtherSessions, endSession } from "#operations/accounts/change-session.ts";
import { listSessions } from "#operations/accounts/read-session.ts";
import { acceptInvitation, isSetupNeeded, setUp, signIn } from "#operations/accounts/sign-in.ts";
import { personOf } from "#operations/context.ts";
import { sessionView, signedIn } from "./session-view.ts";

export function sessionRoutes(edge: Edge): void {
  const { ctx, logins } = edge;

  route(edge, contract.getSetup, async () => ({ needed: await isSetupNeeded(ctx) }));

  route(edge, contract.setUp, async ({ ctx, body, cookie, device, from }) => {
    const { address } = from;
    return signedIn(edge, { cookie, device }, await logins.attempt({ address }, () => setUp(ctx, body, from)));
  });

  route(edge, contract.acceptInvitation, async ({ ctx, body, cookie, device, from }) => {
    const { address } = from;
    return signedIn(
      edge,
      { cookie, device },
      await logins.attempt({ address }, () => acceptInvitation(ctx, body, from)),
    );
  });

  route(edge, contract.signIn, async ({ ctx, body, cookie, device, from }) => {
    const account = body.email.toLowerCase();
    const known = device.of(account);
    const waits = { line: known ?? networkOf(from.address), isKnown: known !== undefined };
    const guessed = { account: `user ${account}`, address: from.address, device: known };
    return signedIn(edge, { cookie, device }, await logins.attempt(guessed, () => signIn(ctx, body, from, waits)));
  });

  route(edge, contract.getSession, async ({ caller, cookie }) => sessionView(edge, caller, cookie, cookie.token!));

  route(edge, contract.changeSession, async ({ ctx, caller, body, cookie }) =>
    sessionView(edge, await changeMode(ctx, caller, body.mode), cookie, cookie.token!),
  );

  route(edge, contract.signOut, async ({ ctx, caller, cookie }) => {
    const { sessionId } = personOf(caller);
    await endSession(ctx, caller, sessionId);
    cookie.clear();
    return { session_id: publicId("session", sessionId) };
  });

  route(edge, contract.changePassword, async ({ ctx, caller, body, cookie, device, from }) => {
    const input = { current: body.current_password, wanted: body.new_password };
    const guessed = { account: `password ${personOf(caller).userId}`, address: from.address };
    const { ended, token } = await logins.attempt(guessed, () => changePassword(ctx, caller, input));
    return { ended_sessions: ended, ...(await signedIn(edge, { cookie, device }, token)) };
  });

  route(edge, contract.listSessions, async ({ ctx, caller, query }) => {
    const { sessionId } = personOf(caller);
    const page = await listSessions(ctx, caller, pageRequest(query));
    return pageAnswer("sessions", page, (session) => openSessionView(session, sessionId, ctx.sessionTimes));
  });

  route(edge, contract.endOtherSessions, async ({ ctx, caller }) => ({
    ended_sessions: await endOtherSessions(ctx, caller),
  }));

  route(edge, contract.endSession, async ({ ctx, caller, params }) => {
    await endSession(ctx, caller, requireId("session", params.session_id, "Session"));
    return { session_id: params.session_id };
  });
}
