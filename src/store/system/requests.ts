import type { LoggedRequest, RequestClass } from "#domain/system/logged-request.ts";
import type { Uuid } from "#domain/values/id.ts";
import {
  changing,
  changingAndReading,
  crossTenant,
  crossTenantChanging,
  statement,
  type Tx,
} from "#store/database/db.ts";

// The log of requests: noted in memory, written in sets, and kept for some days.

const insertRequests = crossTenantChanging(
  "insert-requests",
  `insert into request_log (tenant_id, id, at, method, path, operation, class, status, ms, key_id, user_id,
     answer)
   select * from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::text[], $5::text[], $6::text[], $7::text[], $8::smallint[],
     $9::int[], $10::uuid[], $11::uuid[], $12::text[])
   on conflict (tenant_id, id) do nothing`,
);

/** Writes what a node has noted, of all its tenants at once. */
export async function insert(tx: Tx, them: readonly LoggedRequest[]): Promise<void> {
  await tx.run(insertRequests, [
    them.map((request) => request.tenantId),
    them.map((request) => request.id),
    them.map((request) => request.at),
    them.map((request) => request.method),
    them.map((request) => request.path),
    them.map((request) => request.operation),
    them.map((request) => request.class),
    them.map((request) => request.status),
    them.map((request) => request.ms),
    them.map((request) => request.keyId),
    them.map((request) => request.userId),
    them.map((request) => request.answer),
  ]);
}

export type RequestRow = {
  id: Uuid;
  at: Date;
  method: string;
  path: string;
  operation: string;
  class: RequestClass;
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
  class: RequestClass | undefined;
  /** By an API key, or by somebody who is signed in. */
  by: "key" | "person" | undefined;
  userId: Uuid | undefined;
};

const listRequests = statement(
  "list-requests",
  `select id, at, method, path, operation, class, status, ms, key_id, user_id, answer from request_log
   where tenant_id = $1 and id < $2 and status >= $3 and status < $4
     and ($5::text is null or method = $5) and ($6::text is null or operation = $6) and ($7::text is null or class = $7)
     and ($8::text is null or ($8 = 'person') = (user_id is not null)) and ($10::uuid is null or user_id = $10)
   order by id desc limit $9`,
);

/** Newest first, one more than a page. */
export function list(tx: Tx, tenantId: Uuid, wanted: RequestsWanted): Promise<RequestRow[]> {
  const { method = null, operation = null, class: of = null, by = null } = wanted;
  return tx.rows<RequestRow>(listRequests, [
    tenantId,
    wanted.before,
    ...wanted.statuses,
    method,
    operation,
    of,
    by,
    wanted.limit + 1,
    wanted.userId ?? null,
  ]);
}

const oldTenants = (name: string, of: string) =>
  crossTenant(
    name,
    `select distinct tenant_id from (
       select tenant_id from request_log where ${of} and at < $1 order by at limit 10000) as oldest`,
  );
const forgetOld = (name: string, of: string) =>
  changing(
    name,
    `delete from request_log where tenant_id = $1 and id in (
       select id from request_log where tenant_id = $1 and ${of} and at < $2 order by at limit $3)`,
  );
const [ADMINS, OTHERS] = ["class = 'administration'", "class <> 'administration'"];

const withOld = {
  admins: oldTenants("tenants-with-old-requests-of-admins", ADMINS),
  others: oldTenants("tenants-with-old-requests", OTHERS),
};
const forgetOf = {
  admins: forgetOld("forget-old-requests-of-admins", ADMINS),
  others: forgetOld("forget-old-requests", OTHERS),
};

/** Some tenants with requests, of admins or of others, from before this (real) time. */
export async function tenantsWithOld(tx: Tx, of: keyof typeof withOld, before: Date): Promise<Uuid[]> {
  return (await tx.rows<{ tenant_id: Uuid }>(withOld[of], [before])).map((row) => row.tenant_id);
}

/** Deletes a tenant's oldest from before this (real) time, at most so many; answers with how many they were. */
export const forget = (
  tx: Tx,
  of: keyof typeof forgetOf,
  tenantId: Uuid,
  before: Date,
  limit: number,
): Promise<number> => tx.run(forgetOf[of], [tenantId, before, limit]);

// Each operation of each key or session has a share: its first and its last are worth most, and of those who have more than the others what
// is in the middle goes. So whoever floods the log pushes out what he himself floods it with, and neither what was before nor what comes after.
const trimRequests = changingAndReading(
  "trim-requests",
  `with placed as (
     select id, least(
       row_number() over (partition by operation, key_id order by id),
       row_number() over (partition by operation, key_id order by id desc)) as place
     from request_log where tenant_id = $1 and class = $2
       and exists (select from request_log where tenant_id = $1 and class = $2 order by id offset $3 limit 1))
   delete from request_log where tenant_id = $1 and id in (select id from placed order by place, id desc offset $3)`,
);

/** Leaves so many of a tenant's class. */
export async function trim(tx: Tx, tenantId: Uuid, of: RequestClass, keep: number): Promise<void> {
  await tx.run(trimRequests, [tenantId, of, keep]);
}
