import type { Uuid } from "#domain/id.ts";
import { crossTenant, statement, type Tx } from "./db.ts";

export type KeptRequest = {
  body_hash: Buffer;
  seed: Uuid;
  status: number | null;
  body: string | null;
  started_at: Date;
};

const insertRequest = statement(
  "insert-idempotency-key",
  `insert into idempotency_keys (tenant_id, operation, key, body_hash, seed, started_at)
   values ($1, $2, $3, $4, $5, $6) on conflict (tenant_id, operation, key) do nothing`,
);

/** True when this key is new and the request is ours to run. */
export async function begin(
  tx: Tx,
  tenantId: Uuid,
  it: { name: string; key: string; bodyHash: Buffer; seed: Uuid; now: Date },
): Promise<boolean> {
  return (await tx.run(insertRequest, [tenantId, it.name, it.key, it.bodyHash, it.seed, it.now])) === 1;
}

const findRequest = statement(
  "find-idempotency-key",
  `select body_hash, seed, status, body, started_at from idempotency_keys
   where tenant_id = $1 and operation = $2 and key = $3`,
);

export function find(tx: Tx, tenantId: Uuid, name: string, key: string): Promise<KeptRequest | undefined> {
  return tx.first<KeptRequest>(findRequest, [tenantId, name, key]);
}

const takeOver = statement(
  "take-over-idempotency-key",
  `update idempotency_keys set started_at = $4
   where tenant_id = $1 and operation = $2 and key = $3 and status is null and started_at = $5`,
);

/** Takes up a request whose runner is gone. False when another was quicker. */
export async function resume(
  tx: Tx,
  tenantId: Uuid,
  name: string,
  key: string,
  now: Date,
  from: Date,
): Promise<boolean> {
  return (await tx.run(takeOver, [tenantId, name, key, now, from])) === 1;
}

const finishRequest = statement(
  "finish-idempotency-key",
  `update idempotency_keys set status = $4, body = $5, started_at = case when $4::int is null then 'epoch' else started_at end
   where tenant_id = $1 and operation = $2 and key = $3`,
);

/** Keeps the answer; without one, lets the next repeat run the request again. */
export async function finish(
  tx: Tx,
  tenantId: Uuid,
  name: string,
  key: string,
  answer: { status: number; body: string } | undefined,
): Promise<void> {
  await tx.run(finishRequest, [tenantId, name, key, answer?.status ?? null, answer?.body ?? null]);
}

const forgetRequests = crossTenant(
  "forget-idempotency-keys",
  "delete from idempotency_keys where started_at < $1 and started_at > 'epoch'",
);

export function forget(tx: Tx, before: Date): Promise<number> {
  return tx.run(forgetRequests, [before]);
}
