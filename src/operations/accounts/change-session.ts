import type { KeyMode } from "#domain/accounts/api-key.ts";
import { normalPassword, passwordProblem } from "#domain/accounts/password.ts";
import { sessionText } from "#domain/accounts/session.ts";
import { conflict, invalidField, notFound, sessionOver, wrongCredentials } from "#domain/values/errors.ts";
import { publicId, type Uuid } from "#domain/values/id.ts";
import { type Caller, type Context, mayGoLive, personOf } from "#operations/context.ts";
import { newSession, type SessionToken } from "#operations/sign-in/begin-session.ts";
import * as logins from "#store/accounts/logins.ts";
import * as sessions from "#store/accounts/sessions.ts";
import * as tenants from "#store/accounts/tenants.ts";

/** Switches a session between live and test mode. 409 where nothing real is there, and the user cannot connect it either. */
export async function changeMode(ctx: Context, caller: Caller, mode: KeyMode): Promise<Caller> {
  const { sessionId } = personOf(caller);
  if (mode === "live" && !(await mayGoLive(ctx, caller)))
    throw conflict("There is no carrier or trunk to be live with", "mode");
  const object = { kind: "session", id: publicId("session", sessionId) };
  ctx.audit.note({ object, before: { mode: caller.mode }, after: { mode } });
  await sessions.setMode(ctx.db, caller.accountId, sessionId, mode);
  const tenantId = await tenants.inMode(ctx.db, caller.accountId, mode);
  return { ...caller, mode, tenantId: tenantId! };
}

/** Ends all of the caller's own sessions but this one; returns how many. */
export function endOtherSessions(ctx: Context, caller: Caller): Promise<number> {
  const { userId, sessionId } = personOf(caller);
  return sessions.endAll(ctx.db, caller.accountId, userId, sessionId);
}

/** Ends one of the caller's own sessions; 404 for any other. */
export async function endSession(ctx: Context, caller: Caller, id: Uuid): Promise<void> {
  const { userId } = personOf(caller);
  ctx.audit.note({ object: { kind: "session", id: publicId("session", id) } });
  if (!(await sessions.end(ctx.db, caller.accountId, userId, id))) throw notFound("Session");
}

/**
 * Changes the caller's own password, and ends the caller's other sessions; returns how many. The session goes on under another cookie and another id.
 * 401 for a wrong current password.
 */
export async function changePassword(
  ctx: Context,
  caller: Caller,
  input: { current: string; wanted: string },
): Promise<{ ended: number; token: SessionToken }> {
  const { accountId } = caller;
  const { userId, sessionId, lastEnd } = personOf(caller);
  const login = await logins.ofUser(ctx.db, accountId, userId);
  const waits = { line: userId, isKnown: true };
  ctx.audit.note({ object: { kind: "user", id: publicId("user", userId) } });
  const isRight = await ctx.passwords.matches(normalPassword(input.current), login?.password, waits);
  if (!isRight || !login) {
    ctx.audit.refused(ctx.db, "wrong password");
    throw wrongCredentials();
  }
  const wanted = normalPassword(input.wanted);
  const problem = passwordProblem(wanted, login.email, ctx.passwords.common);
  if (problem !== undefined) throw invalidField("new_password", problem);
  const password = await ctx.passwords.hash(wanted);
  const { id, token } = newSession(ctx);
  const now = ctx.now();
  return ctx.db.transaction(async (tx) => {
    // Another session or an invitation has changed it meanwhile: the given current password is wrong by now.
    if (!(await logins.change(tx, login, password, ctx.now()))) throw wrongCredentials();
    // A password alone is no proof of who has a second factor.
    const to = { digest: ctx.digest(sessionText(token)), id, proved: null, seen_at: now, expires_at: lastEnd };
    if (!(await sessions.renew(tx, accountId, { id: sessionId, from: null }, to))) throw sessionOver();
    return { ended: await sessions.endAll(tx, accountId, userId, id), token };
  });
}
