import { piecesLeft, spendDay, spendLeft } from "#domain/sending/spend-limit.ts";
import { failure } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import { changing, crossTenant, statement, type Tx } from "#store/database/db.ts";
import type { SpendSetting } from "./spend.ts";
import * as spend from "./spend.ts";

/** Nothing of the tenant leaves and nobody is called. In real time; `by` is the public id of a key or user. */
export type Stop = { at: Date; by: string | null; reason: string | null };

type Mode = "live" | "test";
type Row = {
  clock_offset_ms: string;
  mode: Mode;
  at: Date | null;
  by: string | null;
  reason: string | null;
  limit: number | null;
  zone: string | null;
};

const readSending = statement(
  "read-sending-of-tenant",
  `select clock_offset_ms, mode, sending_stopped_at as at, sending_stopped_by as by, sending_stop_reason as reason,
     spend_limit_micros::float8 as limit, spend_zone as zone
   from tenants where id = $1`,
);

/**
 * How far the tenant's own time is ahead, its mode, whether its sending is stopped, and what it may spend. A claim reads it after it has locked its lane: `unclaimed` below waits for
 * that lock, so that a claim which did not see the stop is over by then.
 */
export async function read(
  tx: Tx,
  tenantId: Uuid,
): Promise<{ clockOffsetMs: number; mode: Mode; stop: Stop | undefined; spending: SpendSetting }> {
  const row = await tx.first<Row>(readSending, [tenantId]);
  return {
    clockOffsetMs: Number(row?.clock_offset_ms ?? 0),
    mode: row?.mode ?? "test",
    stop: row?.at ? { at: row.at, by: row.by, reason: row.reason } : undefined,
    spending: { limit: row?.limit ?? null, zone: row?.zone ?? "America/New_York" },
  };
}

/** The tenant's time, and why nothing of what is due leaves now, of the whole tenant; `eachMicros` is what the next would cost at least. */
export async function held(
  tx: Tx,
  tenantId: Uuid,
  realNow: Date,
  eachMicros: number,
): Promise<{ now: Date; because: "sending_stopped" | "spend_limit" | null }> {
  const { clockOffsetMs, stop, spending } = await read(tx, tenantId);
  const now = new Date(realNow.getTime() + clockOffsetMs);
  if (stop) return { now, because: "sending_stopped" };
  if (spending.limit === null) return { now, because: null };
  const left = spendLeft(spending.limit, await spend.read(tx, tenantId, spendDay(spending.zone, now).date));
  return { now, because: piecesLeft(left.outreach, eachMicros) < 1 ? "spend_limit" : null };
}

/** For what somebody wants to leave now, and would not want to leave whenever the sending goes on. */
export async function refuse(tx: Tx, tenantId: Uuid): Promise<void> {
  if ((await read(tx, tenantId)).stop) {
    throw failure("conflict", "All sending and calling is stopped: resume it first (POST /v1/sending/resume)");
  }
}

const setStop = changing(
  "stop-sending-of-tenant",
  `update tenants set sending_stopped_at = $2, sending_stopped_by = $3, sending_stop_reason = $4
   where id = $1 and sending_stopped_at is null`,
);

/** False when it was stopped already: then it stays as it is. */
export async function set(tx: Tx, tenantId: Uuid, stop: Stop): Promise<boolean> {
  return (await tx.run(setStop, [tenantId, stop.at, stop.by, stop.reason])) > 0;
}

const clearStop = changing(
  "resume-sending-of-tenant",
  `update tenants set sending_stopped_at = null, sending_stopped_by = null, sending_stop_reason = null
   where id = $1 and sending_stopped_at is not null`,
);

/** False when it was not stopped. */
export async function clear(tx: Tx, tenantId: Uuid): Promise<boolean> {
  return (await tx.run(clearStop, [tenantId])) > 0;
}

const stoppedTenants = crossTenant(
  "list-stopped-tenants",
  "select id from tenants where sending_stopped_at is not null",
);

export async function stopped(tx: Tx): Promise<Uuid[]> {
  return (await tx.rows<{ id: Uuid }>(stoppedTenants)).map(({ id }) => id);
}

const lanesOfTenant = statement(
  "list-lanes-of-tenant",
  "select id from lanes where tenant_id = $1 union all select id from dial_lanes where tenant_id = $1",
);

/** Every lane of texts and of calls. */
export async function lanes(tx: Tx, tenantId: Uuid): Promise<Uuid[]> {
  return (await tx.rows<{ id: Uuid }>(lanesOfTenant, [tenantId])).map(({ id }) => id);
}

const unclaimedLanes = statement(
  "list-unclaimed-lanes",
  `with of_texts as (
     select lane.id from lanes lane where lane.tenant_id = $1 and lane.id = any($2::uuid[]) for key share skip locked),
   of_calls as (
     select dial.id from dial_lanes dial where dial.tenant_id = $1 and dial.id = any($2::uuid[]) for key share skip locked)
   select id from of_texts union all select id from of_calls`,
);

/** Those of the lanes that no claim holds now. Waits for none: a claim may itself be waiting for an opt-out. */
export async function unclaimed(tx: Tx, tenantId: Uuid, ids: readonly Uuid[]): Promise<Uuid[]> {
  return (await tx.rows<{ id: Uuid }>(unclaimedLanes, [tenantId, ids])).map(({ id }) => id);
}

const openAttempts = statement(
  "list-open-texts-of-tenant",
  `select attempt.ref from attempts attempt
   join messages message on message.tenant_id = $1 and message.campaign_id = attempt.campaign_id and message.id = attempt.message_id
   where attempt.tenant_id = $1 and attempt.state in ('in_flight', 'uncertain') and attempt.channel = 'sms'
     and message.kind <> 'confirmation'`,
);

/** Texts that are being handed to a carrier, or of which it is not known yet whether they were taken; no confirmations. */
export async function openTexts(tx: Tx, tenantId: Uuid): Promise<Uuid[]> {
  return (await tx.rows<{ ref: Uuid }>(openAttempts, [tenantId])).map(({ ref }) => ref);
}

/** What became of texts that were under way. `not_sent`: they did not leave, and wait. */
export type UnderWay = Record<"accepted" | "rejected" | "not_sent" | "uncertain" | "in_flight", number>;

const statesOfAttempts = statement(
  "count-attempts-by-state",
  `select state, count(*)::int as n from attempts where tenant_id = $1 and ref = any($2::uuid[]) group by state`,
);

/** How many of these attempts are in which state. */
export async function states(tx: Tx, tenantId: Uuid, refs: readonly Uuid[]): Promise<UnderWay> {
  const counted: UnderWay = { accepted: 0, rejected: 0, not_sent: 0, uncertain: 0, in_flight: 0 };
  for (const { state, n } of await tx.rows<{ state: string; n: number }>(statesOfAttempts, [tenantId, refs])) {
    // Held is what nobody can look up: as uncertain as before.
    counted[state === "held" ? "uncertain" : (state as keyof UnderWay)] += n;
  }
  return counted;
}

const requestStops = changing(
  "request-stops-of-tenant",
  `with asked as (
     update calls set stop_requested_at = coalesce(stop_requested_at, $2)
     where tenant_id = $1 and direction = 'outbound' and status in ('registered', 'ongoing') returning status)
   select count(*) filter (where status = 'registered')::int as dialled, count(*) filter (where status = 'ongoing')::int as ongoing from asked`,
);

/** Requests the end of every call that we placed. `at` in the tenant's time. */
export async function endCalls(tx: Tx, tenantId: Uuid, at: Date): Promise<{ dialled: number; ongoing: number }> {
  return (await tx.first<{ dialled: number; ongoing: number }>(requestStops, [tenantId, at]))!;
}

const openCallsOf = statement(
  "count-open-outbound-calls",
  `select count(*)::int as n from calls where tenant_id = $1 and direction = 'outbound' and status in ('registered', 'ongoing')`,
);

/** Calls that we placed and that go on, or whose end is not written yet. */
export async function openCalls(tx: Tx, tenantId: Uuid): Promise<number> {
  return (await tx.first<{ n: number }>(openCallsOf, [tenantId]))!.n;
}
