import type { Uuid } from "#domain/id.ts";
import type { LoggedRequest } from "#domain/logged-request.ts";
import { crossTenant, statement, type Tx } from "./db.ts";

// The log of requests: noted in memory, written in sets, and kept for some days.

const insertRequests = crossTenant(
  "insert-requests",
  `insert into request_log (tenant_id, id, at, method, path, operation, status, ms, key_id, user_id, answer)
   select * from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::text[], $5::text[], $6::text[], $7::smallint[], $8::int[],
     $9::uuid[], $10::uuid[], $11::text[])
   on conflict (tenant_id, id) do nothing`,
);

/** Writes what a node has noted, of all its tenants at once. */
export async function insert(tx: Tx, them: readonly LoggedRequest[]): Promise<void> {
  await tx.run(insertRequests, [
    them.map((it) => it.tenantId),
    them.map((it) => it.id),
    them.map((it) => it.at),
    them.map((it) => it.method),
    them.map((it) => it.path),
    them.map((it) => it.operation),
    them.map((it) => it.status),
    them.map((it) => it.ms),
    them.map((it) => it.keyId),
    them.map((it) => it.userId),
    them.map((it) => it.answer),
  ]);
}

export type RequestRow = {
  id: Uuid;
  at: Date;
  method: string;
  path: string;
  operation: string;
  status: number;
  ms: number;
  key_id: Uuid;
  user_id: Uuid | null;
  answer: string | null;
};

export type RequestsWanted = {
  before: Uuid;
  limit: number;
  /** From the one up to, but not including, the other. */
  statuses: readonly [from: number, to: number];
  method: string | undefined;
  operation: string | undefined;
};

const listRequests = statement(
  "list-requests",
  `select id, at, method, path, operation, status, ms, key_id, user_id, answer from request_log
   where tenant_id = $1 and id < $2 and status >= $3 and status < $4
     and ($5::text is null or method = $5) and ($6::text is null or operation = $6)
   order by id desc limit $7`,
);

/** Newest first, one more than a page. */
export function list(tx: Tx, tenantId: Uuid, it: RequestsWanted): Promise<RequestRow[]> {
  const values = [tenantId, it.before, ...it.statuses, it.method ?? null, it.operation ?? null, it.limit + 1];
  return tx.rows<RequestRow>(listRequests, values);
}

const forgetOld = crossTenant(
  "forget-old-requests",
  `delete from request_log where (tenant_id, id) in (
     select tenant_id, id from request_log where at < $1 order by at limit $2)`,
);

/** Deletes the oldest of before this (real) time, at most so many; answers with how many they were. */
export const forget = (tx: Tx, before: Date, limit: number): Promise<number> => tx.run(forgetOld, [before, limit]);

const trimRequests = statement(
  "trim-requests",
  `delete from request_log where tenant_id = $1 and id <= (
     select id from request_log where tenant_id = $1 order by id desc offset $2 limit 1)`,
);

/** Leaves a tenant's newest. */
export async function trim(tx: Tx, tenantId: Uuid, keep: number): Promise<void> {
  await tx.run(trimRequests, [tenantId, keep]);
}
