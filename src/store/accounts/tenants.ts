import type { Uuid } from "#domain/values/id.ts";
import { changing, crossTenant, crossTenantChanging, statement, type Tx } from "#store/database/db.ts";

export type Mode = "live" | "test";

const insertTenant = changing(
  "insert-tenant",
  "insert into tenants (id, name, created_at, mode, account_id, other_id) values ($1, $2, $3, $4, $5, $6)",
);

const noteTenants = crossTenantChanging(
  "note-tenant-ids",
  "insert into tenant_ids (id) select unnest($1::uuid[]) on conflict do nothing",
);

/**
 * Makes a tenant. Each mode has a row, whose id is the `tenant_id` of what belongs to that mode, so that modes are separated as tenants are. `id` is
 * the tenant's public id, and the id of `mode`; `otherId` is the other mode's. In a transaction.
 */
export async function insert(
  tx: Tx,
  tenant: { id: Uuid; otherId: Uuid; name: string; mode: Mode; created_at: Date },
): Promise<void> {
  const other = tenant.mode === "live" ? "test" : "live";
  await tx.run(insertTenant, [tenant.id, tenant.name, tenant.created_at, tenant.mode, tenant.id, tenant.otherId]);
  await tx.run(insertTenant, [tenant.otherId, tenant.name, tenant.created_at, other, tenant.id, tenant.id]);
  await tx.run(noteTenants, [[tenant.id, tenant.otherId]]);
}

const findTenant = statement("find-tenant", "select mode, account_id, other_id from tenants where id = $1");

export type TenantInMode = { mode: Mode; account_id: Uuid; other_id: Uuid };

/** The mode of a tenant's id, the tenant's public id, and the other mode's id. */
export function find(tx: Tx, tenantId: Uuid): Promise<TenantInMode | undefined> {
  return tx.first<TenantInMode>(findTenant, [tenantId]);
}

/** The id of the other mode. */
export async function otherMode(tx: Tx, tenantId: Uuid): Promise<Uuid> {
  return (await find(tx, tenantId))!.other_id;
}

/** The id of this mode of the tenant with the public id `accountId`; undefined when there is no such tenant. */
export async function inMode(tx: Tx, accountId: Uuid, mode: Mode): Promise<Uuid | undefined> {
  const found = await find(tx, accountId);
  if (found?.account_id !== accountId) return undefined;
  return found.mode === mode ? accountId : found.other_id;
}

const clockOffset = statement("tenant-clock-offset", "select clock_offset_ms, mode from tenants where id = $1");

/** How far the tenant's own time is ahead of real time, in milliseconds. 0 but for tests and demos. */
export async function clockOffsetMs(tx: Tx, tenantId: Uuid): Promise<number> {
  const row = await tx.first<{ clock_offset_ms: string }>(clockOffset, [tenantId]);
  return Number(row?.clock_offset_ms ?? 0);
}

/** The same with the tenant's mode. */
export async function clock(tx: Tx, tenantId: Uuid): Promise<{ offsetMs: number; mode: Mode }> {
  const row = await tx.first<{ clock_offset_ms: string; mode: Mode }>(clockOffset, [tenantId]);
  return { offsetMs: Number(row?.clock_offset_ms ?? 0), mode: row?.mode ?? "test" };
}

/** The tenant's own time: its due times, windows and records are in it. */
export async function tenantNow(tx: Tx, tenantId: Uuid, now: Date): Promise<Date> {
  return new Date(now.getTime() + (await clockOffsetMs(tx, tenantId)));
}

const advanceClock = changing(
  "advance-tenant-clock",
  "update tenants set clock_offset_ms = clock_offset_ms + $2 where id = $1 returning clock_offset_ms",
);

/** Moves the clock forward; returns the new offset. */
export async function advance(tx: Tx, tenantId: Uuid, byMs: number): Promise<number> {
  const row = await tx.first<{ clock_offset_ms: string }>(advanceClock, [tenantId, byMs]);
  return Number(row!.clock_offset_ms);
}

const tenantExists = statement("tenant-exists", "select from tenants where id = $1");

export const exists = async (tx: Tx, tenantId: Uuid): Promise<boolean> => (await tx.run(tenantExists, [tenantId])) > 0;

const anyTenant = crossTenant("any-tenant", "select exists (select 1 from tenants) as there");

export async function any(tx: Tx): Promise<boolean> {
  return (await tx.first<{ there: boolean }>(anyTenant))!.there;
}

const firstTenant = crossTenant("first-tenant", "select id from tenants where id = account_id order by id limit 1");

const listTenants = crossTenant(
  "list-tenants",
  "select id from tenants where id = account_id and id > $1 order by id limit $2",
);

/** The public ids of all tenants, some at a time. */
export async function list(tx: Tx, after: Uuid, limit: number): Promise<Uuid[]> {
  return (await tx.rows<{ id: Uuid }>(listTenants, [after, limit])).map(({ id }) => id);
}

/** The public id of the oldest tenant: the one that the first start made, or the operator. */
export async function first(tx: Tx): Promise<Uuid | undefined> {
  return (await tx.first<{ id: Uuid }>(firstTenant))?.id;
}
