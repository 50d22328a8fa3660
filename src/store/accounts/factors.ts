import type { FactorKind } from "#domain/accounts/factor.ts";
import type { Uuid } from "#domain/values/id.ts";
import { changing, statement, type Tx } from "#store/database/db.ts";

/** As its user sees it. */
export type Factor = {
  id: Uuid;
  kind: FactorKind;
  name: string;
  created_at: Date;
  last_used_at: Date | null;
};

/** An app's, whose secret is sealed. */
export type TimedFactor = { id: Uuid; secret: string };

/** A passkey, with its public key. */
export type PasskeyFactor = {
  id: Uuid;
  user_id: Uuid;
  credential: string;
  public_key: Buffer;
  sign_count: string;
  transports: string[];
};

const insertFactor = changing(
  "insert-factor",
  `insert into factors (tenant_id, id, user_id, kind, name, secret, credential, public_key, sign_count, transports, created_at, confirmed_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) on conflict do nothing`,
);

type New = { id: Uuid; user_id: Uuid; name: string; created_at: Date };

/** Takes an app's secret, which counts once a code of it has been shown. */
export async function insertTimed(tx: Tx, tenantId: Uuid, factor: New & { secret: string }): Promise<void> {
  const { id, user_id, name, secret, created_at } = factor;
  const none = [null, null, null, null];
  await tx.run(insertFactor, [tenantId, id, user_id, "totp", name, secret, ...none, created_at, null]);
}

/** False when the tenant has this passkey already. */
export async function insertPasskey(
  tx: Tx,
  tenantId: Uuid,
  factor: New & { credential: string; public_key: Uint8Array; sign_count: number; transports: readonly string[] },
): Promise<boolean> {
  const { id, user_id, name, credential, public_key, sign_count, transports, created_at } = factor;
  const key = [null, credential, Buffer.from(public_key), sign_count, transports];
  return (await tx.run(insertFactor, [tenantId, id, user_id, "passkey", name, ...key, created_at, created_at])) === 1;
}

const listFactors = statement(
  "list-factors",
  `select id, kind, name, created_at, last_used_at from factors
   where tenant_id = $1 and user_id = $2 and confirmed_at is not null order by id`,
);

/** A user's, the oldest first. */
export function list(tx: Tx, tenantId: Uuid, userId: Uuid): Promise<Factor[]> {
  return tx.rows<Factor>(listFactors, [tenantId, userId]);
}

const usersWithFactors = statement(
  "users-with-factors",
  "select distinct user_id from factors where tenant_id = $1 and user_id = any($2::uuid[]) and confirmed_at is not null",
);

/** Who of these has a second factor. */
export async function havers(tx: Tx, tenantId: Uuid, userIds: readonly Uuid[]): Promise<ReadonlySet<Uuid>> {
  const rows = await tx.rows<{ user_id: Uuid }>(usersWithFactors, [tenantId, userIds]);
  return new Set(rows.map(({ user_id }) => user_id));
}

const timedFactors = statement(
  "list-timed-factors",
  `select id, secret from factors
   where tenant_id = $1 and user_id = $2 and kind = 'totp' and confirmed_at is not null order by id`,
);

export function timed(tx: Tx, tenantId: Uuid, userId: Uuid): Promise<TimedFactor[]> {
  return tx.rows<TimedFactor>(timedFactors, [tenantId, userId]);
}

const unconfirmedFactor = statement(
  "find-unconfirmed-factor",
  `select id, secret from factors
   where tenant_id = $1 and user_id = $2 and id = $3 and kind = 'totp' and confirmed_at is null and created_at > $4`,
);

export function unconfirmed(
  tx: Tx,
  tenantId: Uuid,
  userId: Uuid,
  { id, since }: { id: Uuid; since: Date },
): Promise<TimedFactor | undefined> {
  return tx.first<TimedFactor>(unconfirmedFactor, [tenantId, userId, id, since]);
}

const confirmFactor = changing(
  "confirm-factor",
  `update factors set confirmed_at = $4, last_used_at = $4, last_step = $5
   where tenant_id = $1 and user_id = $2 and id = $3 and confirmed_at is null
   returning id, kind, name, created_at, last_used_at`,
);

/** From now on it counts. Undefined when another request has confirmed it, or it is gone. */
export async function confirm(
  tx: Tx,
  tenantId: Uuid,
  userId: Uuid,
  { id, step, at }: { id: Uuid; step: number; at: Date },
): Promise<Factor | undefined> {
  return tx.first<Factor>(confirmFactor, [tenantId, userId, id, at, step]);
}

const useStep = changing(
  "use-factor-step",
  `update factors set last_step = $4, last_used_at = $5
   where tenant_id = $1 and user_id = $2 and id = $3 and (last_step is null or last_step < $4::bigint)`,
);

/** Takes the code of a step of time. False when it, or a later one, was taken before: also by another process. */
export async function takeStep(
  tx: Tx,
  tenantId: Uuid,
  userId: Uuid,
  { id, step, at }: { id: Uuid; step: number; at: Date },
): Promise<boolean> {
  return (await tx.run(useStep, [tenantId, userId, id, step, at])) === 1;
}

const PASSKEY = "id, user_id, credential, public_key, sign_count, transports";

const passkeysOfUser = statement(
  "list-passkeys",
  `select ${PASSKEY} from factors where tenant_id = $1 and user_id = $2 and kind = 'passkey' order by id`,
);

export function passkeys(tx: Tx, tenantId: Uuid, userId: Uuid): Promise<PasskeyFactor[]> {
  return tx.rows<PasskeyFactor>(passkeysOfUser, [tenantId, userId]);
}

const findPasskey = statement(
  "find-passkey",
  `select ${PASSKEY} from factors where tenant_id = $1 and credential = $2 and kind = 'passkey'`,
);

export function byCredential(tx: Tx, tenantId: Uuid, credential: string): Promise<PasskeyFactor | undefined> {
  return tx.first<PasskeyFactor>(findPasskey, [tenantId, credential]);
}

const usePasskey = changing(
  "use-passkey",
  `update factors set sign_count = $4, last_used_at = $5
   where tenant_id = $1 and user_id = $2 and id = $3 and (sign_count < $4::bigint or (sign_count = 0 and $4::bigint = 0))`,
);

/** Takes a signature's count. False when this one or a later was taken before, or the passkey is gone. */
export async function takeCount(
  tx: Tx,
  tenantId: Uuid,
  userId: Uuid,
  { id, count, at }: { id: Uuid; count: number; at: Date },
): Promise<boolean> {
  return (await tx.run(usePasskey, [tenantId, userId, id, count, at])) === 1;
}

const renameFactor = changing(
  "rename-factor",
  `update factors set name = $4 where tenant_id = $1 and user_id = $2 and id = $3 and confirmed_at is not null
   returning id, kind, name, created_at, last_used_at`,
);

export function rename(
  tx: Tx,
  tenantId: Uuid,
  userId: Uuid,
  { id, name }: { id: Uuid; name: string },
): Promise<Factor | undefined> {
  return tx.first<Factor>(renameFactor, [tenantId, userId, id, name]);
}

const removeFactor = changing(
  "remove-factor",
  "delete from factors where tenant_id = $1 and user_id = $2 and id = $3 and confirmed_at is not null",
);

export async function remove(tx: Tx, tenantId: Uuid, userId: Uuid, id: Uuid): Promise<boolean> {
  return (await tx.run(removeFactor, [tenantId, userId, id])) === 1;
}

const removeUnconfirmed = changing(
  "remove-unconfirmed-factors",
  "delete from factors where tenant_id = $1 and user_id = $2 and confirmed_at is null",
);

export async function removeBegun(tx: Tx, tenantId: Uuid, userId: Uuid): Promise<void> {
  await tx.run(removeUnconfirmed, [tenantId, userId]);
}

const removeFactors = changing(
  "remove-factors",
  "delete from factors where tenant_id = $1 and user_id = $2 returning confirmed_at",
);

/** All of a user's; returns how many counted. */
export async function removeAll(tx: Tx, tenantId: Uuid, userId: Uuid): Promise<number> {
  const gone = await tx.rows<{ confirmed_at: Date | null }>(removeFactors, [tenantId, userId]);
  return gone.filter(({ confirmed_at }) => confirmed_at !== null).length;
}

const useChallenge = changing(
  "use-challenge",
  `insert into used_challenges (tenant_id, digest, expires_at) values ($1, $2, $3) on conflict do nothing`,
);

const forgetChallenges = changing(
  "forget-challenges",
  "delete from used_challenges where tenant_id = $1 and expires_at < $2",
);

/** Takes a challenge. False when it has been answered before, here or by another process. */
export async function takeChallenge(
  tx: Tx,
  tenantId: Uuid,
  { digest, end, now }: { digest: Buffer; end: Date; now: Date },
): Promise<boolean> {
  await tx.run(forgetChallenges, [tenantId, now]);
  return (await tx.run(useChallenge, [tenantId, digest, end])) === 1;
}
