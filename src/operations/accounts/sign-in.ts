import { timingSafeEqual } from "node:crypto";
import { normalPassword, passwordProblem } from "#domain/accounts/password.ts";
import { invitationText, setupToken as newSetupToken, setupText, setupUntil } from "#domain/accounts/session.ts";
import { conflict, invalidField, linkUsed, wrongCredentials } from "#domain/values/errors.ts";
import { publicId } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import { beginSession, type From, newSession, type SessionToken } from "#operations/sign-in/begin-session.ts";
import type { Waits } from "#ports/sign-in.ts";
import * as setups from "#store/accounts/console-setup.ts";
import * as invitations from "#store/accounts/invitations.ts";
import * as logins from "#store/accounts/logins.ts";
import * as organizations from "#store/accounts/organizations.ts";
import * as sessions from "#store/accounts/sessions.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as users from "#store/accounts/users.ts";

/** Signs a user in by password. An unknown address, a wrong password and a user without a password fail alike, after the same time. */
export async function signIn(
  ctx: Context,
  input: { email: string; password: string },
  from: From,
  waits: Waits,
): Promise<SessionToken> {
  const login = await logins.byEmail(ctx.db, input.email.toLowerCase());
  const isRight = await ctx.passwords.matches(normalPassword(input.password), login?.password, waits);
  if (!isRight || !login) {
    // An address that nobody has belongs to no tenant's log.
    if (login) {
      ctx.audit.by({ tenantId: login.tenant_id });
      ctx.audit.note({ object: { kind: "user", id: publicId("user", login.user_id) } });
      ctx.audit.refused(ctx.db, "wrong password");
    }
    throw wrongCredentials();
  }
  const session = newSession(ctx);
  return ctx.db.transaction(async (tx) => {
    const { tenant_id: tenantId, user_id: userId } = login;
    // Locked before the factors are read: a first one that is being added ends the sessions of before, and one begun beside it would lack none.
    const user = await users.lock(tx, tenantId, userId);
    // The password was changed, or the user deleted, while it was being checked.
    if (!user || !(await logins.hold(tx, login))) throw wrongCredentials();
    return beginSession(ctx, tx, session, { tenantId, userId, hasShownFactor: false }, from);
  });
}

/** Sets a user's password by an invitation's link and signs the user in; the user's other sessions end. */
export async function acceptInvitation(
  ctx: Context,
  input: { token: string; password: string },
  from: From,
): Promise<SessionToken> {
  const digest = ctx.digest(invitationText(input.token));
  const invited = await invitations.byDigest(ctx.db, digest, ctx.now());
  if (!invited) throw linkUsed();
  const { tenant_id, user_id, email } = invited;
  const password = await hashOf(ctx, input.password, email);
  const session = newSession(ctx);
  return ctx.db.transaction(async (tx) => {
    const user = await users.lock(tx, tenant_id, user_id);
    if (!user || !(await invitations.take(tx, tenant_id, user_id, digest))) throw linkUsed();
    const login = { tenant_id, user_id, email: user.email.toLowerCase(), password };
    if (!(await logins.put(tx, login, ctx.now()))) throw conflict("This e-mail address cannot sign in here", "email");
    await sessions.endAll(tx, tenant_id, user_id, undefined);
    return beginSession(ctx, tx, session, { tenantId: tenant_id, userId: user_id, hasShownFactor: false }, from);
  });
}

/** Whether nobody can sign in to the console yet. */
export const isSetupNeeded = async (ctx: Context): Promise<boolean> => !(await logins.any(ctx.db));

/** The token of a setup link: good for 24 hours, and useless once somebody can sign in. */
export async function setupToken(ctx: Context): Promise<string> {
  const salt = await setups.salt(ctx.db);
  return newSetupToken(ctx.now(), (until) => ctx.signLink(setupText(salt, until)).toString("base64url"));
}

async function isSetupToken(ctx: Context, token: string): Promise<boolean> {
  const until = setupUntil(token, ctx.now());
  if (until === undefined) return false;
  const right = ctx.signLink(setupText(await setups.salt(ctx.db), until)).toString("base64url");
  return timingSafeEqual(Buffer.from(token), Buffer.from(`${until}_${right}`));
}

/** Makes the console's first user, an admin of a new organization in the first tenant, and signs that user in. */
export async function setUp(
  ctx: Context,
  input: { token: string; email: string; password: string; first_name?: string | undefined; organization_name: string },
  from: From,
): Promise<SessionToken> {
  if (!(await isSetupToken(ctx, input.token)) || !(await isSetupNeeded(ctx))) throw linkUsed();
  const password = await hashOf(ctx, input.password, input.email);
  const session = newSession(ctx);
  const [newTenant, otherId, organizationId, userId] = [ctx.newId(), ctx.newId(), ctx.newId(), ctx.newId()];
  const now = ctx.now();
  return ctx.db.transaction(async (tx) => {
    await setups.hold(tx);
    if (await logins.any(tx)) throw linkUsed();
    const tenantId = (await tenants.first(tx)) ?? newTenant;
    const name = input.organization_name;
    if (tenantId === newTenant)
      await tenants.insert(tx, { id: tenantId, otherId, name, mode: "test", created_at: now });
    const modes = [tenantId, await tenants.otherMode(tx, tenantId)];
    await organizations.insert(tx, modes, { id: organizationId, name, contact_email: input.email, created_at: now });
    const isNew = await users.insert(tx, modes, {
      id: userId,
      organization_id: organizationId,
      organization_ids: [organizationId],
      name: input.first_name ?? input.email.split("@")[0]!,
      email: input.email,
      permission: "admin",
      test_only: false,
      created_at: now,
    });
    if (!isNew) throw conflict("A user with this email exists; take another, and invite that one later", "email");
    await logins.put(tx, { tenant_id: tenantId, user_id: userId, email: input.email.toLowerCase(), password }, now);
    return beginSession(ctx, tx, session, { tenantId, userId, hasShownFactor: false }, from);
  });
}

/** The hash of a new password. Fails with 400 when it cannot be one. */
async function hashOf(ctx: Context, given: string, email: string): Promise<string> {
  const password = normalPassword(given);
  const problem = passwordProblem(password, email, ctx.passwords.common);
  if (problem !== undefined) throw invalidField("password", problem);
  return ctx.passwords.hash(password);
}
