import { RETAINED, type Retained, type Retention } from "#domain/system/retention.ts";
import type { Uuid } from "#domain/values/id.ts";
import { changing, crossTenant, preparing, statement, type Tx } from "#store/database/db.ts";

// How long tenants keep what they have, and how far the removal of what is older has come.

const readRetention = statement("read-retention", "select retention from tenants where id = $1");
const setRetention = changing("set-retention", "update tenants set retention = $2 where id = $1");

export async function read(tx: Tx, tenantId: Uuid): Promise<Retention> {
  const row = await tx.first<{ retention: Partial<Retention> }>(readRetention, [tenantId]);
  const days = (kind: Retained) => row?.retention[kind] ?? null;
  return Object.fromEntries(RETAINED.map((kind) => [kind, days(kind)])) as Record<Retained, number | null>;
}

export async function put(tx: Tx, tenantId: Uuid, retention: Retention): Promise<void> {
  const set = Object.fromEntries(Object.entries(retention).filter(([, days]) => days !== null));
  await tx.run(setRetention, [tenantId, JSON.stringify(set)]);
}

const listWanted = crossTenant(
  "list-retention-of-tenants",
  `select tenants.id as tenant_id, it.kind, it.days::int as days, tenants.clock_offset_ms::float8 as offset_ms,
     walk.before, walk.place is null and walk.kind is not null as is_through
   from tenants cross join lateral jsonb_each_text(tenants.retention) as it (kind, days)
   left join retention_walks walk on walk.tenant_id = tenants.id and walk.kind = it.kind
   where tenants.retention <> '{}'`,
);

/** What a tenant wants to be removed after so many days, and since when what is older is gone. */
export type Wanted = {
  tenant_id: Uuid;
  kind: Retained;
  days: number;
  /** How far the tenant's time is ahead. */
  offset_ms: number;
  before: Date | null;
  is_through: boolean;
};

export const wanted = (tx: Tx): Promise<Wanted[]> => tx.rows<Wanted>(listWanted);

const makeWalk = preparing(
  "make-retention-walk",
  "insert into retention_walks (tenant_id, kind, before, place) values ($1, $2, $3, '{}') on conflict (tenant_id, kind) do nothing",
);

/** Makes sure that there is one. */
export async function make(tx: Tx, tenantId: Uuid, kind: Retained, before: Date): Promise<void> {
  await tx.run(makeWalk, [tenantId, kind, before]);
}

const lockWalk = statement(
  "lock-retention-walk",
  "select before, place, removed from retention_walks where tenant_id = $1 and kind = $2 for update skip locked",
);

/** Where a walk is: by what its kind walks along; null once it is through. */
export type Place = readonly string[] | null;
export type Walk = { before: Date; place: Place; removed: Record<string, number> };

/** Undefined while another has it. */
export const lock = (tx: Tx, tenantId: Uuid, kind: Retained): Promise<Walk | undefined> =>
  tx.first<Walk>(lockWalk, [tenantId, kind]);

const moveWalk = changing(
  "move-retention-walk",
  "update retention_walks set before = $3, place = $4, removed = $5 where tenant_id = $1 and kind = $2",
);

export async function move(tx: Tx, tenantId: Uuid, kind: Retained, { before, place, removed }: Walk): Promise<void> {
  await tx.run(moveWalk, [tenantId, kind, before, place, JSON.stringify(removed)]);
}
