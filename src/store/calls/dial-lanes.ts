import type { CarrierStatus } from "#domain/numbers/carrier-account.ts";
import type { Uuid } from "#domain/values/id.ts";
import { isFenced } from "#store/database/cluster.ts";
import { changing, crossTenant, statement, type Tx } from "#store/database/db.ts";

/** A lane of calls: a campaign's (the lane has the campaign's id), or that of a tenant's single calls over one carrier. */
export type DialLane = {
  id: Uuid;
  carrier: string;
  /** Ours to call from, E.164; empty for single calls, which each bring their own. */
  numbers: string[];
  /** Calls a second, and at once. */
  per_second: number;
  concurrency: number;
  tokens: number;
  tokens_at: Date;
  /** Nothing is dialled before this time; null while the provider works. */
  broken_until: Date | null;
  /** Failures of the provider's in a row. */
  failures: number;
  next_due_at: Date | null;
};

const COLUMNS = "id, carrier, numbers, per_second, concurrency, tokens, tokens_at, broken_until, failures, next_due_at";

/** Single calls are placed one by one, by a person or a program: more than this at once should be a campaign. */
export const SINGLE = { per_second: 10, concurrency: 100 } as const;

type NewLane = Pick<DialLane, "id" | "carrier" | "numbers" | "per_second" | "concurrency"> & { now: Date };

const insertLane = changing(
  "insert-dial-lane",
  `insert into dial_lanes (tenant_id, id, carrier, numbers, per_second, concurrency, tokens, tokens_at)
   values ($1, $2, $3, $4, $5::real, $6, $5::real, $7) on conflict (tenant_id, id) do nothing`,
);

/** Makes a campaign's lane, once. `now` is real time. */
export async function insert(tx: Tx, tenantId: Uuid, lane: NewLane): Promise<void> {
  await tx.run(insertLane, [
    tenantId,
    lane.id,
    lane.carrier,
    lane.numbers,
    lane.per_second,
    lane.concurrency,
    lane.now,
  ]);
}

const changeLane = changing(
  "change-dial-lane",
  `update dial_lanes set numbers = $3, per_second = $4::real, concurrency = $5, tokens = least(tokens, $4::real)
   where tenant_id = $1 and id = $2`,
);

/** Changes what a campaign's lane calls from and how fast. Waits for claims of the lane. */
export async function change(tx: Tx, tenantId: Uuid, id: Uuid, pace: Pace): Promise<void> {
  await tx.run(changeLane, [tenantId, id, pace.numbers, pace.per_second, pace.concurrency]);
}

const ensureSingleLane = changing(
  "ensure-single-dial-lane",
  `insert into dial_lanes (tenant_id, id, carrier, numbers, per_second, concurrency, tokens, tokens_at, single)
   values ($1, $2, $3, '{}', $4::real, $5, $4::real, $6, true)
   on conflict (tenant_id, carrier) where single do update set per_second = excluded.per_second, concurrency = excluded.concurrency
   returning id`,
);

/** The id of the lane of a tenant's single calls over a carrier; made when it has none. `now` is real time. */
export async function ensureSingle(tx: Tx, tenantId: Uuid, lane: Omit<NewLane, "numbers">): Promise<Uuid> {
  const values = [tenantId, lane.id, lane.carrier, lane.per_second, lane.concurrency, lane.now];
  return (await tx.first<{ id: Uuid }>(ensureSingleLane, values))!.id;
}

const lockLane = statement(
  "lock-dial-lane",
  `select ${COLUMNS.replace(/\w+/g, "lane.$&")}, account.revision, account.status as "accountStatus",
     case when account.lent_from is not null then jsonb_build_object('callsAtOnce', account.calls_at_once, 'numbers', (
       select coalesce(jsonb_agg(had.phone), '[]') from phone_numbers had where had.tenant_id = $1 and had.carrier = lane.carrier)) end as lent
   from dial_lanes lane
   left join carrier_accounts account on account.tenant_id = $1 and account.carrier = lane.carrier
   where lane.tenant_id = $1 and lane.id = $2 for update of lane`,
);

export type LockedLane = DialLane & {
  /** The database was put back to an earlier day, or another server took over that may be behind, and nothing may leave yet. */
  fenced: boolean;
  /** Of the account that its calls leave by; null where that is none, or is there no more. */
  revision: number | null;
  accountStatus: CarrierStatus | null;
  /** Of an account that the tenant was lent: what may go on by it at once (null: no calls), and the numbers of it that the tenant has now. */
  lent: { callsAtOnce: number | null; numbers: string[] } | null;
};

export async function lock(tx: Tx, tenantId: Uuid, id: Uuid): Promise<LockedLane | undefined> {
  const [lane, fenced] = await Promise.all([
    tx.first<Omit<LockedLane, "fenced">>(lockLane, [tenantId, id]),
    isFenced(tx, tenantId),
  ]);
  return lane && { ...lane, fenced };
}

const noteDue = changing(
  "note-dial-lane-due",
  "update dial_lanes set next_due_at = least(next_due_at, $3) where tenant_id = $1 and id = $2",
);

/** Something is due at `at` (the tenant's time). For dials.ts, whose `wakeLanes` enqueues the job too. */
export async function due(tx: Tx, tenantId: Uuid, id: Uuid, at: Date): Promise<void> {
  await tx.atCommit(noteDue, [tenantId, id, at]);
}

const settleLane = changing(
  "settle-dial-lane",
  "update dial_lanes set tokens = $3, tokens_at = $4, next_due_at = $5 where tenant_id = $1 and id = $2",
);

/** Writes a locked lane's bucket and next due time back. */
export async function settle(
  tx: Tx,
  tenantId: Uuid,
  id: Uuid,
  pace: { tokens: number; tokensAt: Date; nextDueAt: Date | null },
): Promise<void> {
  await tx.run(settleLane, [tenantId, id, pace.tokens, pace.tokensAt, pace.nextDueAt]);
}

const dueLanes = crossTenant(
  "due-dial-lanes",
  `select lane.tenant_id, lane.id from tenants
   join dial_lanes lane on lane.tenant_id = tenants.id
   where lane.next_due_at <= $1::timestamptz + tenants.clock_offset_ms * interval '1 millisecond'
     and ($2::uuid is null or tenants.id = $2) and tenants.sending_stopped_at is null
   limit 1000`,
);

/** Lanes with a call due, of every tenant or one. Each tenant's own clock decides. */
export function withDueWork(tx: Tx, now: Date, tenantId: Uuid | null): Promise<{ tenant_id: Uuid; id: Uuid }[]> {
  return tx.rows(dueLanes, [now, tenantId]);
}

const lanesFrom = statement(
  "list-dial-lanes-of-number",
  "select id from dial_lanes where tenant_id = $1 and $2 = any(numbers) and next_due_at is not null order by id",
);

/** Lanes that call from a number and have a call waiting. */
export async function callingFrom(tx: Tx, tenantId: Uuid, number: string): Promise<Uuid[]> {
  return (await tx.rows<{ id: Uuid }>(lanesFrom, [tenantId, number])).map((row) => row.id);
}

const brokenLanes = statement(
  "list-broken-dial-lanes",
  "select id from dial_lanes where tenant_id = $1 and id = any($2::uuid[]) and broken_until > $3",
);

/** Those of the lanes on which nothing is dialled now, since the provider fails. `now` is real time. */
export async function brokenOf(tx: Tx, tenantId: Uuid, ids: readonly Uuid[], now: Date): Promise<Set<Uuid>> {
  return new Set((await tx.rows<{ id: Uuid }>(brokenLanes, [tenantId, ids, now])).map((row) => row.id));
}

/** What campaigns call from, and how fast: calls a second and at once. */
export type Pace = Pick<DialLane, "numbers" | "per_second" | "concurrency">;

const lanePaces = statement(
  "read-dial-lane-paces",
  "select id, numbers, per_second, concurrency from dial_lanes where tenant_id = $1 and id = any($2::uuid[])",
);

export async function paces(tx: Tx, tenantId: Uuid, ids: readonly Uuid[]): Promise<Map<Uuid, Pace>> {
  const rows = await tx.rows<Pace & { id: Uuid }>(lanePaces, [tenantId, ids]);
  return new Map(rows.map(({ id, ...pace }) => [id, pace]));
}
