import { scopesOf } from "#contract/accounts/roles.ts";
import { idleSince, sessionText } from "#domain/accounts/session.ts";
import { sessionOver } from "#domain/values/errors.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as organizations from "#store/accounts/organizations.ts";
import * as sessions from "#store/accounts/sessions.ts";

/** A session ends after five minutes without use at the earliest; recording its last use once a minute is precise enough. */
const TOUCH_EVERY_MS = 60_000;

/**
 * Who is behind a session's cookie, with the permissions of this moment: nothing is cached between requests, so that signing out, a lower permission
 * and a deleted user count at once on every node. Requests that the console makes by itself are no use of the session (`isUsed`). Fails with one 401.
 */
export async function authenticateSession(ctx: Context, token: string, { isUsed } = { isUsed: true }): Promise<Caller> {
  const now = ctx.now();
  const digest = ctx.digest(sessionText(token));
  const found = await sessions.byDigest(ctx.db, digest, { now, seenAfter: idleSince(now, ctx.sessionTimes) });
  if (!found) throw sessionOver();
  const { id, tenant_id, user_id, permission } = found;
  const pending = found.pending ?? (found.lacks_factor ? "enrolment" : null);
  if (isUsed && now.getTime() - found.seen_at.getTime() > TOUCH_EVERY_MS) {
    sessions.touch(ctx.db, tenant_id, id, now).catch(() => {});
  }
  const limits = permission === "admin" ? undefined : found.organization_ids;
  return {
    tenantId: found.in_mode,
    accountId: tenant_id,
    keyId: id,
    mode: found.mode,
    scopes: pending === null ? scopesOf(permission) : [],
    organizations: limits,
    isArchived: limits !== undefined && (await organizations.areArchived(ctx.db, found.in_mode, limits)),
    newId: ctx.newId,
    person: {
      ...{ sessionId: id, userId: user_id, permission, lastEnd: found.expires_at },
      ...{ pending, begunPending: found.pending, provedAt: found.proved_at },
    },
  };
}
