import type { Uuid } from "#domain/values/id.ts";
import { changing, changingAndReading, crossTenant, statement, type Tx } from "#store/database/db.ts";

// Events get their numbers when they are committed, from one at a time: whoever has the lock of the tenant's head. A number that can be
// read has all before it beside it, for their transaction ended before this one could begin.

/** Large enough that a statement's fixed cost is nothing, small enough that a reader does not wait for it. */
const ROWS_AT_ONCE = 2_000;

const unnumberedTenants = crossTenant(
  "tenants-with-unnumbered-events",
  `with recursive found as (
     (select tenant_id from events where seq is null order by tenant_id limit 1)
     union all
     select (select tenant_id from events where seq is null and tenant_id > found.tenant_id order by tenant_id limit 1)
     from found where found.tenant_id is not null)
   select tenant_id from found where tenant_id is not null limit 1000`,
  "select distinct tenant_id from events where seq is null limit 1000",
);

/** Tenants with events that have no number yet. */
export async function unnumbered(tx: Tx): Promise<Uuid[]> {
  return (await tx.rows<{ tenant_id: Uuid }>(unnumberedTenants)).map((row) => row.tenant_id);
}

const lockHead = statement(
  "lock-event-head",
  "select seq::float8 as seq from event_heads where tenant_id = $1 for update skip locked",
);

// Where there is one it is not tried: that would wait for whoever has it locked.
const makeHead = changing(
  "make-event-head",
  `insert into event_heads (tenant_id, seq)
   select $1, 0 where not exists (select from event_heads where tenant_id = $1) on conflict (tenant_id) do nothing`,
);

// A statement of its own: what the last one numbered is committed and seen, since its lock was waited for or was free.
const numberEvents = changingAndReading(
  "number-events",
  `with fresh as (
     select position, n from events where tenant_id = $1 and seq is null order by position limit ${ROWS_AT_ONCE}),
   numbered as (
     select position, $2::bigint + 1 + sum(n) over (order by position) - n as seq from fresh),
   done as (
     update events event set seq = numbered.seq, numbered_at = $3
     from numbered where event.tenant_id = $1 and event.position = numbered.position
     returning event.n)
   select count(*)::int as "rows", coalesce(sum(n), 0)::int as events from done`,
);

const moveHead = changing("move-event-head", "update event_heads set seq = $2 where tenant_id = $1");

/** Numbers what a tenant has committed, unless another is at it; true when there is more. To be run in a transaction. */
export async function number(tx: Tx, tenantId: Uuid, now: Date): Promise<boolean> {
  const head = await tx.first<{ seq: number }>(lockHead, [tenantId]);
  // Another has it, or it is the tenant's first.
  if (!head) return (await tx.run(makeHead, [tenantId])) === 1;
  const done = (await tx.first<{ rows: number; events: number }>(numberEvents, [tenantId, head.seq, now]))!;
  if (done.rows > 0) await tx.run(moveHead, [tenantId, head.seq + done.events]);
  return done.rows === ROWS_AT_ONCE;
}

const readHeads = crossTenant(
  "list-event-heads",
  "select tenant_id, seq::float8 as seq from event_heads where tenant_id = any($1::uuid[])",
);

/** The last number of each of these tenants; one without events is not in it. */
export async function heads(tx: Tx, tenantIds: readonly Uuid[]): Promise<Map<Uuid, number>> {
  const rows = await tx.rows<{ tenant_id: Uuid; seq: number }>(readHeads, [tenantIds]);
  return new Map(rows.map((row) => [row.tenant_id, row.seq]));
}

const readBounds = statement(
  "event-log-bounds",
  `select coalesce((select seq from event_heads where tenant_id = $1), 0)::float8 as head,
     (select min(seq) from events
      where tenant_id = $1 and seq > coalesce((select floor from event_heads where tenant_id = $1), 0))::float8 as oldest`,
);

/**
 * The last number, and the oldest that is kept: one more than the last where none is. What was numbered before the database was put back
 * is kept no more, in this sense: whoever has followed it must read anew.
 */
export async function bounds(tx: Tx, tenantId: Uuid): Promise<{ head: number; oldest: number }> {
  const { head, oldest } = (await tx.first<{ head: number; oldest: number | null }>(readBounds, [tenantId]))!;
  return { head, oldest: oldest ?? head + 1 };
}

const oldTenants = crossTenant(
  "tenants-with-old-events",
  `select head.tenant_id from event_heads head
   cross join lateral (
     select numbered_at from events where tenant_id = head.tenant_id and seq > 0 order by seq limit 1) oldest
   where oldest.numbered_at < $1 limit 100`,
);

/** Some tenants with events that were numbered before this (real) time. */
export async function tenantsWithOld(tx: Tx, before: Date): Promise<Uuid[]> {
  return (await tx.rows<{ tenant_id: Uuid }>(oldTenants, [before])).map((row) => row.tenant_id);
}

const forgetEvents = changingAndReading(
  "forget-events",
  `with gone as (
     delete from events where tenant_id = $1 and numbered_at < $2
       and seq in (select seq from events where tenant_id = $1 and seq > 0 order by seq limit $3)
     returning n)
   select coalesce(sum(n), 0)::int as events from gone`,
);

/** Deletes a tenant's from before this (real) time, the oldest first, at most so many rows; answers with how many events they stood for. */
export const forget = async (tx: Tx, tenantId: Uuid, before: Date, limit: number): Promise<number> =>
  (await tx.first<{ events: number }>(forgetEvents, [tenantId, before, limit]))!.events;
