import type { Uuid } from "#domain/values/id.ts";
import { changing, crossTenant, crossTenantChanging, statement, type Tx } from "#store/database/db.ts";

export type KeptRequest = {
  body_hash: Buffer;
  seed: Uuid;
  status: number | null;
  body: string | null;
  started_at: Date;
  /** It has ended without an answer to keep: the next repeat runs it. */
  freed_at: Date | null;
};

/** A run of a request: it owns the key until another run takes it over, which a different `startedAt` shows. */
export type Run = { name: string; key: string; startedAt: Date };

const insertRequest = changing(
  "insert-idempotency-key",
  `insert into idempotency_keys (tenant_id, operation, key, body_hash, seed, started_at)
   values ($1, $2, $3, $4, $5, $6) on conflict (tenant_id, operation, key) do nothing`,
);

/** True when this key is new and the request is ours to run. */
export async function begin(
  tx: Tx,
  tenantId: Uuid,
  request: { name: string; key: string; bodyHash: Buffer; seed: Uuid; now: Date },
): Promise<boolean> {
  return (
    (await tx.run(insertRequest, [
      tenantId,
      request.name,
      request.key,
      request.bodyHash,
      request.seed,
      request.now,
    ])) === 1
  );
}

const findRequest = statement(
  "find-idempotency-key",
  `select body_hash, seed, status, body, started_at, freed_at from idempotency_keys
   where tenant_id = $1 and operation = $2 and key = $3`,
);

export function find(tx: Tx, tenantId: Uuid, name: string, key: string): Promise<KeptRequest | undefined> {
  return tx.first<KeptRequest>(findRequest, [tenantId, name, key]);
}

const takeOver = changing(
  "take-over-idempotency-key",
  `update idempotency_keys set started_at = $4, freed_at = null
   where tenant_id = $1 and operation = $2 and key = $3 and status is null and started_at = $5
     and freed_at is not distinct from $6`,
);

/** Takes up a request as it was found, freed or its runner gone. False when another was quicker. */
export async function resume(tx: Tx, tenantId: Uuid, run: Run, found: KeptRequest): Promise<boolean> {
  const { name, key, startedAt } = run;
  return (await tx.run(takeOver, [tenantId, name, key, startedAt, found.started_at, found.freed_at])) === 1;
}

const finishRequest = changing(
  "finish-idempotency-key",
  `update idempotency_keys set status = $4, body = $5
   where tenant_id = $1 and operation = $2 and key = $3 and started_at = $6 and status is null`,
);

/** Keeps the answer of a run. That of one which was only slow, and whose request another has taken over, is not kept. */
export async function finish(
  tx: Tx,
  tenantId: Uuid,
  run: Run,
  answer: { status: number; body: string },
): Promise<void> {
  await tx.run(finishRequest, [tenantId, run.name, run.key, answer.status, answer.body, run.startedAt]);
}

const freeRequest = changing(
  "free-idempotency-key",
  `update idempotency_keys set freed_at = $4
   where tenant_id = $1 and operation = $2 and key = $3 and started_at = $5 and status is null`,
);

/** Lets the next repeat run the request again, unless another has taken it over. */
export async function free(tx: Tx, tenantId: Uuid, run: Run, now: Date): Promise<void> {
  await tx.run(freeRequest, [tenantId, run.name, run.key, now, run.startedAt]);
}

// A node of the release before 0028 frees a key by that time; a later release may forget it too.
const forgetRequests = crossTenantChanging(
  "forget-idempotency-keys",
  "delete from idempotency_keys where started_at < $1 and started_at > 'epoch'",
);

// A change of all tenants' rows locks them on each server: so one looks first.
const anyOld = crossTenant(
  "any-old-idempotency-key",
  "select tenant_id from idempotency_keys where started_at < $1 and started_at > 'epoch' limit 1",
);

export async function forget(tx: Tx, before: Date): Promise<number> {
  return (await tx.first(anyOld, [before])) ? tx.run(forgetRequests, [before]) : 0;
}
