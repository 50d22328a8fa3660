import type { Uuid } from "#domain/id.ts";
import { crossTenant, statement, type Tx } from "./db.ts";

const insertTenant = statement("insert-tenant", "insert into tenants (id, name, created_at) values ($1, $2, $3)");

export async function insert(tx: Tx, it: { id: Uuid; name: string; created_at: Date }): Promise<void> {
  await tx.run(insertTenant, [it.id, it.name, it.created_at]);
}

const clockOffset = statement("tenant-clock-offset", "select clock_offset_ms from tenants where id = $1");

/** How far the tenant's own time is ahead of real time, in milliseconds. 0 but for tests and demos. */
export async function clockOffsetMs(tx: Tx, tenantId: Uuid): Promise<number> {
  const row = await tx.first<{ clock_offset_ms: string }>(clockOffset, [tenantId]);
  return Number(row?.clock_offset_ms ?? 0);
}

/** The tenant's own time: what its due times, windows and records are told in. */
export async function tenantNow(tx: Tx, tenantId: Uuid, now: Date): Promise<Date> {
  return new Date(now.getTime() + (await clockOffsetMs(tx, tenantId)));
}

const advanceClock = statement(
  "advance-tenant-clock",
  "update tenants set clock_offset_ms = clock_offset_ms + $2 where id = $1 returning clock_offset_ms",
);

/** Moves the clock forward; returns the new offset. */
export async function advance(tx: Tx, tenantId: Uuid, byMs: number): Promise<number> {
  const row = await tx.first<{ clock_offset_ms: string }>(advanceClock, [tenantId, byMs]);
  return Number(row!.clock_offset_ms);
}

const resetOffset = statement(
  "reset-tenant-clock",
  "update tenants set clock_offset_ms = 0 where id = $1 and clock_offset_ms <> 0",
);

/** Back to real time: what was written in the future stays there. */
export const resetClock = async (tx: Tx, tenantId: Uuid): Promise<void> => void (await tx.run(resetOffset, [tenantId]));

const tenantExists = statement("tenant-exists", "select from tenants where id = $1");

export const exists = async (tx: Tx, tenantId: Uuid): Promise<boolean> => (await tx.run(tenantExists, [tenantId])) > 0;

const anyTenant = crossTenant("any-tenant", "select exists (select from tenants) as there");

export async function any(tx: Tx): Promise<boolean> {
  return (await tx.first<{ there: boolean }>(anyTenant))!.there;
}

const firstTenant = crossTenant("first-tenant", "select id from tenants order by id limit 1");

/** The oldest: the one that the first start made, or the operator. */
export async function first(tx: Tx): Promise<Uuid | undefined> {
  return (await tx.first<{ id: Uuid }>(firstTenant))?.id;
}
