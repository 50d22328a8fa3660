import type { Pending } from "#domain/accounts/factor.ts";
import type { Uuid } from "#domain/values/id.ts";
import { changing, crossTenant, statement, type Tx } from "#store/database/db.ts";
import type { User } from "./users.ts";

export type Session = {
  id: Uuid;
  /** The tenant's public id. */
  tenant_id: Uuid;
  user_id: Uuid;
  mode: "live" | "test";
  address: string;
  user_agent: string | null;
  created_at: Date;
  seen_at: Date;
  expires_at: Date;
  /** What it lacks before it opens anything; null: it is a whole session. */
  pending: Pending | null;
  /** When its person last showed who it is: at the sign-in, or since. */
  proved_at: Date | null;
};

const COLUMNS =
  "id, tenant_id, user_id, mode, address, user_agent, created_at, seen_at, expires_at, pending, proved_at";

const insertSession = changing(
  "insert-session",
  `insert into sessions (tenant_id, digest, id, user_id, mode, address, user_agent, created_at, seen_at, expires_at, pending, proved_at, has_shown_factor)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
);

/** `hasShownFactor` where its sign-in was two factors in one. */
export async function insert(tx: Tx, digest: Buffer, session: Session, hasShownFactor: boolean): Promise<void> {
  const when = [session.created_at, session.seen_at, session.expires_at];
  await tx.run(insertSession, [
    session.tenant_id,
    digest,
    session.id,
    session.user_id,
    session.mode,
    session.address,
    session.user_agent,
    ...when,
    session.pending,
    session.proved_at,
    hasShownFactor,
  ]);
}

const renewSession = changing(
  "renew-session",
  `update sessions set digest = $4, id = $5, pending = null, proved_at = coalesce($6, proved_at), seen_at = $7, expires_at = $8
   where tenant_id = $1 and id = $2 and pending is not distinct from $3`,
);

/**
 * Gives a session another cookie and another id, and what it lacked. False when another request has done so, or it has ended. `from` is what it lacked;
 * `proved` is null where nothing was shown.
 */
export async function renew(
  tx: Tx,
  tenantId: Uuid,
  session: { id: Uuid; from: Pending | null },
  to: { digest: Buffer; id: Uuid; proved: Date | null; seen_at: Date; expires_at: Date },
): Promise<boolean> {
  const values = [tenantId, session.id, session.from, to.digest, to.id, to.proved, to.seen_at, to.expires_at];
  return (await tx.run(renewSession, values)) === 1;
}

export type FoundSession = Session &
  Pick<User, "permission" | "organization_ids"> & { in_mode: Uuid; lacks_factor: boolean };

const findSession = crossTenant(
  "find-session",
  `select ${COLUMNS}, has_shown_factor from sessions where digest = $1 and expires_at > $2 and seen_at > $3`,
);

const findUserOfSession = statement(
  "find-user-of-session",
  `select u.permission, u.organization_ids, case t.mode when $3 then t.id else t.other_id end as in_mode,
     p.tenant_id is not null and not $4::boolean and not exists (
       select from factors f where f.tenant_id = $1 and f.user_id = u.id and f.confirmed_at is not null
     ) as lacks_factor
   from users u join tenants t on t.id = $1
     left join sign_in_policies p on p.tenant_id = $1 and (p.factor_required
       or case u.permission when 'admin' then cardinality(p.required_of) > 0 else u.organization_ids && p.required_of end)
   where u.tenant_id = $1 and u.id = $2 and u.deleted_at is null`,
);

/**
 * The session of a cookie's digest, unless it is over, with its user's current permissions and the id of what belongs to its mode. It lacks a factor
 * where one is required of its user, who has none: as operations/sign-in/begin-session.ts says it of a sign-in. Looked at with each request, so that a
 * requirement counts at once, also of who comes under it by another organization.
 */
export async function byDigest(
  tx: Tx,
  digest: Buffer,
  { now, seenAfter }: { now: Date; seenAfter: Date },
): Promise<FoundSession | undefined> {
  const found = await tx.first<Session & { has_shown_factor: boolean }>(findSession, [digest, now, seenAfter]);
  if (!found) return undefined;
  const { has_shown_factor, ...session } = found;
  const values = [session.tenant_id, session.user_id, session.mode, has_shown_factor];
  const user = await tx.first<Omit<FoundSession, keyof Session>>(findUserOfSession, values);
  return user && { ...session, ...user };
}

const touchSession = changing(
  "touch-session",
  "update sessions set seen_at = greatest(seen_at, $3) where tenant_id = $1 and id = $2",
);

export async function touch(tx: Tx, tenantId: Uuid, id: Uuid, at: Date): Promise<void> {
  await tx.run(touchSession, [tenantId, id, at]);
}

const setSessionMode = changing("set-session-mode", "update sessions set mode = $3 where tenant_id = $1 and id = $2");

export async function setMode(tx: Tx, tenantId: Uuid, id: Uuid, mode: Session["mode"]): Promise<void> {
  await tx.run(setSessionMode, [tenantId, id, mode]);
}

const listSessions = statement(
  "list-sessions",
  `select ${COLUMNS} from sessions
   where tenant_id = $1 and user_id = $2 and expires_at > $3 and seen_at > $4 and id < $5 and pending is null
   order by id desc limit $6`,
);

/** A user's sessions that are not over, without those that have not signed in wholly, newest first, one more than a page. */
export function list(
  tx: Tx,
  tenantId: Uuid,
  userId: Uuid,
  { now, seenAfter, before, limit }: { now: Date; seenAfter: Date; before: Uuid; limit: number },
): Promise<Session[]> {
  return tx.rows<Session>(listSessions, [tenantId, userId, now, seenAfter, before, limit + 1]);
}

const endSession = changing("end-session", "delete from sessions where tenant_id = $1 and user_id = $2 and id = $3");

/** Ends a session of this user's. False when he has none of this id. */
export async function end(tx: Tx, tenantId: Uuid, userId: Uuid, id: Uuid): Promise<boolean> {
  return (await tx.run(endSession, [tenantId, userId, id])) === 1;
}

const endSessionsOfUser = changing(
  "end-sessions-of-user",
  "delete from sessions where tenant_id = $1 and user_id = $2 and id is distinct from $3::uuid",
);

/** Ends all sessions of a user but one; returns how many. */
export async function endAll(tx: Tx, tenantId: Uuid, userId: Uuid, but: Uuid | undefined): Promise<number> {
  return tx.run(endSessionsOfUser, [tenantId, userId, but ?? null]);
}

const forgetSessions = changing(
  "forget-sessions",
  "delete from sessions where tenant_id = $1 and user_id = $2 and (expires_at <= $3 or seen_at <= $4)",
);

/** Deletes a user's sessions that are over. */
export async function forget(
  tx: Tx,
  tenantId: Uuid,
  userId: Uuid,
  { now, seenAfter }: { now: Date; seenAfter: Date },
): Promise<void> {
  await tx.run(forgetSessions, [tenantId, userId, now, seenAfter]);
}
