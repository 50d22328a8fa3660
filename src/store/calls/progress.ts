import type { Uuid } from "#domain/values/id.ts";
import { anyOf, changingAndReading, type Tx } from "#store/database/db.ts";
import * as threads from "#store/messaging/threads.ts";

export type PlacedCall = {
  ref: Uuid;
  callId: Uuid;
  campaignId: Uuid;
  dialId: Uuid;
  state: "accepted" | "uncertain" | "held" | "not_sent" | "rejected";
  carrierId: string | null;
  errorCode: string | null;
};

// As settle-attempts: found by the ref, never by the state, locked in the order of the refs. A certain word also takes a dial back from
// the person whom it was held for: it goes on as if the word had come in time.
const settlePlacements = changingAndReading(
  "settle-placements",
  `with result as (
     select * from unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::uuid[])
       as result (ref, state, carrier_id, error_code, call_id)
     where ${anyOf("ref")}),
   open as (
     select result.*, attempt.was from (select * from result order by ref) result
     cross join lateral (
       select attempt.state as was from attempts attempt where attempt.tenant_id = $1 and attempt.ref = result.ref
         and coalesce(attempt.state in ('in_flight', 'uncertain')
           or (attempt.state = 'held' and result.state in ('accepted', 'rejected', 'not_sent')), false) for update) attempt),
   attempt as (
     update attempts attempt set state = open.state, carrier_id = coalesce(open.carrier_id, attempt.carrier_id),
       error_code = open.error_code, settled_at = $7, check_at = $8
     from open
     where attempt.tenant_id = $1 and attempt.ref = open.ref
     returning attempt.ref, attempt.campaign_id, attempt.message_id, attempt.state, attempt.carrier_id, open.call_id, open.was),
   resumed as (
     update dials dial set state = 'dialing', reason = null, updated_at = $7
     from attempt
     where attempt.was = 'held' and dial.tenant_id = $1 and dial.campaign_id = attempt.campaign_id and dial.id = attempt.message_id
       and dial.state = 'unknown'
     returning dial.campaign_id, dial.thread_id),
   counted as (
     insert into campaign_counts (tenant_id, campaign_id, change_id, state, n)
     select $1, campaign_id, $9, 'pending', count(*)::int from resumed where thread_id is not null group by campaign_id
     on conflict do nothing),
   named as (
     update calls call set carrier_id = attempt.carrier_id
     from attempt where attempt.carrier_id is not null and call.tenant_id = $1 and call.id = attempt.call_id
     returning call.id),
   noted as (
     insert into events (tenant_id, kind, at, organization_id, carrier, campaign_id, n, object_ids, thread_ids, data)
     select $1, 'call.started', $7, call.organization_id, call.carrier, call.campaign_id, count(*)::int, array_agg(call.id),
       array_agg(call.thread_id), jsonb_build_object('direction', call.direction)
     from attempt join calls call on call.tenant_id = $1 and call.id = attempt.call_id
     where attempt.state = 'accepted' group by call.organization_id, call.carrier, call.campaign_id, call.direction
     on conflict do nothing)
   select ref, campaign_id, message_id as dial_id, state, was = 'held' as was_held from attempt`,
);

export type SettledPlacement = {
  ref: Uuid;
  campaign_id: Uuid;
  dial_id: Uuid;
  state: PlacedCall["state"];
  /** It was held for a person meanwhile, and other processes may have ended its call. */
  was_held: boolean;
};

/**
 * Writes the results of attempts to place calls; returns those that it settled. The caller moves their dials, in a statement of its own. `changeId`
 * is new for each.
 */
export function settle(
  tx: Tx,
  tenantId: Uuid,
  placed: readonly Pick<PlacedCall, "ref" | "state" | "carrierId" | "errorCode" | "callId">[],
  change: { now: Date; checkAt: Date; changeId: Uuid },
): Promise<SettledPlacement[]> {
  return tx.rows(settlePlacements, [
    tenantId,
    placed.map(({ ref }) => ref),
    placed.map(({ state }) => state),
    placed.map(({ carrierId }) => carrierId),
    placed.map(({ errorCode }) => errorCode),
    placed.map(({ callId }) => callId),
    change.now,
    change.checkAt,
    change.changeId,
  ]);
}

// A stop is a word in the call's row, which goes: whoever says it now is waited for, and whoever comes later finds no call.
const requeueDials = changingAndReading(
  "requeue-dials",
  `with it as (select * from unnest($2::uuid[], $3::uuid[], $4::timestamptz[], $5::text[]) as it (campaign_id, id, due_at, reason)),
   held as (
     select call.id, call.dialed_at, call.stop_requested_at, dial.campaign_id, dial.id as dial_id
     from it
     join dials dial on dial.tenant_id = $1 and dial.campaign_id = it.campaign_id and dial.id = it.id and dial.state = 'dialing'
     join calls call on call.tenant_id = $1 and call.id = dial.call_id
     where ${anyOf("it.id")} order by call.id for update of call),
   again as (
     update dials dial set state = 'scheduled', due_at = it.due_at, reason = it.reason, updated_at = $6
     from it
     where dial.tenant_id = $1 and dial.campaign_id = it.campaign_id and dial.id = it.id and dial.state = 'dialing'
       and not exists (select from held where held.id = dial.call_id and held.stop_requested_at is not null)
     returning dial.lane_id, dial.call_id, dial.due_at),
   -- It never was a call. Those who know its id find it by its dial.
   gone as (
     delete from calls call using again where call.tenant_id = $1 and call.id = again.call_id and call.answered_at is null)
   select lane_id, min(due_at) as due_at, null::uuid as call_id, null::timestamptz as dialed_at, null::uuid as campaign_id,
     null::uuid as dial_id
   from again group by lane_id
   union all
   select null, null, id, dialed_at, campaign_id, dial_id from held where stop_requested_at is not null
   order by lane_id, call_id`,
);

/** A call that was not placed and whose end was requested: it is to be ended, and its dial with it. */
export type StoppedCall = { call_id: Uuid; dialed_at: Date; campaign_id: Uuid; dial_id: Uuid };

/**
 * Puts dials back that were certainly not placed; returns their lanes, each with its earliest due time. Those whose calls are to be stopped are not
 * placed again: the caller ends their calls (ends.ts).
 */
export async function requeue(
  tx: Tx,
  tenantId: Uuid,
  them: readonly { campaignId: Uuid; dialId: Uuid; dueAt: Date; reason: string | null }[],
  now: Date,
): Promise<{ lanes: Map<Uuid, Date>; stopped: StoppedCall[] }> {
  if (them.length === 0) return { lanes: new Map(), stopped: [] };
  type Lane = { lane_id: Uuid; due_at: Date };
  const rows = await tx.rows<Lane | ({ lane_id: null } & StoppedCall)>(requeueDials, [
    tenantId,
    them.map((dial) => dial.campaignId),
    them.map((dial) => dial.dialId),
    them.map((dial) => dial.dueAt),
    them.map((dial) => dial.reason),
    now,
  ]);
  return {
    lanes: new Map(rows.flatMap((row) => (row.lane_id === null ? [] : [[row.lane_id, row.due_at]]))),
    stopped: rows.filter((row) => row.lane_id === null),
  };
}

const holdDials = changingAndReading(
  "hold-unknown-dials",
  `with it as (select * from unnest($2::uuid[], $3::uuid[]) as it (campaign_id, id)),
   held as (
     update dials dial set state = 'unknown', reason = 'no_word_from_carrier', updated_at = $4
     from it where dial.tenant_id = $1 and dial.campaign_id = it.campaign_id and dial.id = it.id and dial.state = 'dialing'
     returning dial.campaign_id, dial.thread_id),
   counted as (
     insert into campaign_counts (tenant_id, campaign_id, change_id, state, n)
     select $1, campaign_id, $5, 'pending', -count(*)::int from held where thread_id is not null group by campaign_id
     on conflict do nothing)
   select campaign_id, thread_id from held where thread_id is not null`,
);

/** Gives up dials of which it can never be known whether they were placed: they are shown, and not placed again. */
export async function hold(
  tx: Tx,
  tenantId: Uuid,
  them: readonly { campaignId: Uuid; dialId: Uuid }[],
  newId: () => Uuid,
  now: Date,
): Promise<void> {
  if (them.length === 0) return;
  const values = [tenantId, them.map((dial) => dial.campaignId), them.map((dial) => dial.dialId), now, newId()];
  const held = await tx.rows<{ campaign_id: Uuid; thread_id: Uuid }>(holdDials, values);
  const moves = held.map((thread) => ({
    campaignId: thread.campaign_id,
    threadId: thread.thread_id,
    state: "unknown" as const,
    reason: "no_word_from_carrier",
  }));
  await threads.move(tx, tenantId, moves, newId(), now);
}

const answerCalls = changingAndReading(
  "answer-calls",
  `with answered as (
     update calls call set status = 'ongoing', answered_at = it.at, start_at = it.start_at
     from unnest($2::uuid[], $3::timestamptz[], $4::timestamptz[]) as it (id, at, start_at)
     where call.tenant_id = $1 and call.id = it.id and call.status = 'registered' and ${anyOf("it.id")}
     returning call.id, organization_id, carrier, campaign_id, thread_id, direction, call.answered_at)
   insert into events (tenant_id, kind, at, organization_id, carrier, campaign_id, n, object_ids, thread_ids, data)
   select $1, 'call.answered', max(answered_at), organization_id, carrier, campaign_id, count(*)::int, array_agg(id), array_agg(thread_id),
     jsonb_build_object('direction', direction)
   from answered group by organization_id, carrier, campaign_id, direction
   on conflict do nothing`,
);

/** Calls that were answered. `startAt` from clock.ts. */
export async function answered(
  tx: Tx,
  tenantId: Uuid,
  them: readonly { callId: Uuid; at: Date; startAt: Date }[],
): Promise<void> {
  if (them.length === 0) return;
  const ids = them.map(({ callId }) => callId);
  await tx.run(answerCalls, [tenantId, ids, them.map(({ at }) => at), them.map(({ startAt }) => startAt)]);
}
