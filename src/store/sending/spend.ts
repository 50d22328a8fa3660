import type { Uuid } from "#domain/values/id.ts";
import { changing, statement, type Tx } from "#store/database/db.ts";

// What a tenant has spent on its days. Claims lock their lane first, then the day's row, then what they always lock; whoever only adds to it does so
// with the commit, and holds nothing while it waits.

/** Of a tenant: micros of a dollar a day, and the zone whose days count. */
export type SpendSetting = { limit: number | null; zone: string };

const lockDay = changing(
  "lock-spend-day",
  `insert into spend_days (tenant_id, day, micros) values ($1, $2::date, 0)
   on conflict (tenant_id, day) do update set micros = spend_days.micros
   returning micros::float8 as micros`,
);

/** What the day has cost so far, locked until the transaction ends. */
export async function lock(tx: Tx, tenantId: Uuid, day: string): Promise<number> {
  return (await tx.first<{ micros: number }>(lockDay, [tenantId, day]))!.micros;
}

const addToDay = changing(
  "add-to-spend-day",
  `insert into spend_days (tenant_id, day, micros) values ($1, $2::date, greatest(0, $3::bigint))
   on conflict (tenant_id, day) do update set micros = greatest(0, spend_days.micros + $3::bigint)`,
);

/** Adds what was spent, or takes back what was not spent after all, with the commit. */
export async function add(tx: Tx, tenantId: Uuid, day: string, micros: number): Promise<void> {
  if (micros !== 0) await tx.atCommit(addToDay, [tenantId, day, Math.round(micros)]);
}

const readDay = statement(
  "read-spend-day",
  "select micros::float8 as micros from spend_days where tenant_id = $1 and day = $2::date",
);

export async function read(tx: Tx, tenantId: Uuid, day: string): Promise<number> {
  return (await tx.first<{ micros: number }>(readDay, [tenantId, day]))?.micros ?? 0;
}

const setLimit = changing(
  "set-spend-limit",
  "update tenants set spend_limit_micros = $2, spend_zone = $3 where id = $1",
);

export async function change(tx: Tx, tenantId: Uuid, { limit, zone }: SpendSetting): Promise<void> {
  await tx.run(setLimit, [tenantId, limit, zone]);
}
