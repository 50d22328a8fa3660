import type { Uuid } from "#domain/values/id.ts";
import { changing, statement, type Tx } from "#store/database/db.ts";

const insertCodes = changing(
  "insert-recovery-codes",
  `insert into recovery_codes (tenant_id, user_id, digest, created_at)
   select $1, $2, digest, $4 from unnest($3::bytea[]) as it (digest) on conflict do nothing`,
);

const removeCodes = changing(
  "remove-recovery-codes",
  "delete from recovery_codes where tenant_id = $1 and user_id = $2",
);

export async function removeAll(tx: Tx, tenantId: Uuid, userId: Uuid): Promise<void> {
  await tx.run(removeCodes, [tenantId, userId]);
}

/** A user's new codes, in place of all before. */
export async function replace(
  tx: Tx,
  tenantId: Uuid,
  userId: Uuid,
  { digests, at }: { digests: readonly Buffer[]; at: Date },
): Promise<void> {
  await removeAll(tx, tenantId, userId);
  await tx.run(insertCodes, [tenantId, userId, digests, at]);
}

const takeCode = changing(
  "take-recovery-code",
  "delete from recovery_codes where tenant_id = $1 and user_id = $2 and digest = $3",
);

/** Uses a code up. False when the user has no such code, or another request has used it. */
export async function take(tx: Tx, tenantId: Uuid, userId: Uuid, digest: Buffer): Promise<boolean> {
  return (await tx.run(takeCode, [tenantId, userId, digest])) === 1;
}

const countCodes = statement(
  "count-recovery-codes",
  "select count(*)::int as n from recovery_codes where tenant_id = $1 and user_id = $2",
);

export async function left(tx: Tx, tenantId: Uuid, userId: Uuid): Promise<number> {
  return (await tx.first<{ n: number }>(countCodes, [tenantId, userId]))!.n;
}
