import { scopesOf } from "#contract/accounts/roles.ts";
import type { FactorKind, Pending, ProofKind } from "#domain/accounts/factor.ts";
import { idleSince, nextEnd } from "#domain/accounts/session.ts";
import { notFound, sessionOver } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import { LAST_ID, type Page, type PageRequest, pageOf } from "#domain/values/paging.ts";
import { type Caller, type Context, mayGoLive, personOf } from "#operations/context.ts";
import type { Factor } from "#store/accounts/factors.ts";
import * as factors from "#store/accounts/factors.ts";
import * as logins from "#store/accounts/logins.ts";
import type { Organization } from "#store/accounts/organizations.ts";
import * as organizations from "#store/accounts/organizations.ts";
import * as recoveryCodes from "#store/accounts/recovery-codes.ts";
import type { Session } from "#store/accounts/sessions.ts";
import * as sessions from "#store/accounts/sessions.ts";
import type { User } from "#store/accounts/users.ts";
import * as users from "#store/accounts/users.ts";

/** Organizations shown in the console's switcher; a user with more searches for them by name. */
const MAX_ORGANIZATIONS = 100;

/** The signed-in user, with permissions. Of one who has not signed in wholly yet, no organizations. */
export type OwnSession = {
  id: string;
  user: User;
  organizations: Organization[];
  scopes: readonly string[];
  isLiveAvailable: boolean;
  pending: Pending | null;
  proofKinds: readonly (ProofKind | "password")[];
  endsAt: Date;
};

/** The session of the request. */
export async function getSession(ctx: Context, caller: Caller): Promise<OwnSession> {
  const { sessionId, userId, lastEnd, pending } = personOf(caller);
  const first = { before: LAST_ID, limit: MAX_ORGANIZATIONS, name: undefined };
  const [user, open, isLiveAvailable, own, codesLeft, login] = await Promise.all([
    users.find(ctx.db, caller.accountId, userId),
    organizations.list(ctx.db, caller.tenantId, { ...first, withArchived: false }),
    mayGoLive(ctx, caller),
    factors.list(ctx.db, caller.accountId, userId),
    recoveryCodes.left(ctx.db, caller.accountId, userId),
    logins.ofUser(ctx.db, caller.accountId, userId),
  ]);
  // Where all are archived the console still opens, for who restores one.
  const some =
    open.length > 0 ? open : await organizations.list(ctx.db, caller.tenantId, { ...first, withArchived: true });
  if (!user) throw sessionOver();
  return {
    id: sessionId,
    user,
    organizations: pending === null ? some.slice(0, MAX_ORGANIZATIONS) : [],
    scopes: pending === null ? scopesOf(user.permission) : [],
    isLiveAvailable,
    pending,
    proofKinds: proofKindsOf(own, codesLeft, login !== undefined),
    endsAt: nextEnd(ctx.now(), lastEnd, ctx.sessionTimes),
  };
}

/** What a user can show: the password alone where there is no factor. Nothing, for who comes by an identity provider and has neither. */
function proofKindsOf(own: readonly Factor[], codesLeft: number, hasPassword: boolean): (ProofKind | "password")[] {
  const has = (kind: FactorKind) => own.some((factor) => factor.kind === kind);
  return [
    ...(has("passkey") ? (["passkey"] as const) : []),
    ...(has("totp") ? (["code"] as const) : []),
    ...(codesLeft > 0 ? (["recovery_code"] as const) : []),
    ...(own.length === 0 && hasPassword ? (["password"] as const) : []),
  ];
}

/** The caller's own sessions, newest first; or those of a user of the tenant, 404 without. */
export async function listSessions(
  ctx: Context,
  caller: Caller,
  page: PageRequest,
  userId?: Uuid,
): Promise<Page<Session>> {
  if (userId !== undefined && !(await users.find(ctx.db, caller.tenantId, userId))) throw notFound("User");
  const now = ctx.now();
  const open = { now, seenAfter: idleSince(now, ctx.sessionTimes), ...page };
  return pageOf(await sessions.list(ctx.db, caller.accountId, userId ?? personOf(caller).userId, open), page.limit);
}
