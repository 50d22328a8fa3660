import type { CallPurpose } from "#domain/calls/call.ts";
import type { Uuid } from "#domain/values/id.ts";
import { changing, changingAndReading, statement, type Tx } from "#store/database/db.ts";
import * as queue from "#store/database/queue.ts";
import * as dialLanes from "./dial-lanes.ts";

/** A call that is to be placed, through the gate, when it is due. */
export type PlannedDial = {
  id: Uuid;
  /** NO_ID and no thread for a single call. */
  campaignId: Uuid;
  threadId: Uuid | null;
  laneId: Uuid;
  phone: string;
  contactId: Uuid | null;
  agentId: Uuid;
  agentVersion: number;
  purpose: CallPurpose;
  /** In the tenant's time. */
  dueAt: Date;
  /** The number of ours to call from; absent: the lane's next. */
  number?: string | undefined;
  /** The id that the call is to have, where the caller is given it before it is dialled. */
  callId?: Uuid | undefined;
  /** For a single call: its owner, where that is not the agent's user, and its purpose. */
  userId?: Uuid | undefined;
  objective?: string | undefined;
  /** For a single call: its own in the tenant, from clock.ts. */
  createdAt?: Date | undefined;
};

const insertDials = changingAndReading(
  "insert-dials",
  `with planned as (
     select * from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::text[], $7::uuid[], $8::uuid[], $9::int[], $10::text[],
         $11::timestamptz[], $12::text[], $13::uuid[], $16::uuid[], $17::text[], $18::timestamptz[])
       as planned (id, campaign_id, thread_id, lane_id, phone, contact_id, agent_id, agent_version, purpose, due_at, number, call_id,
         user_id, objective, created_at)),
   made as (
     insert into dials (tenant_id, campaign_id, id, thread_id, lane_id, phone, contact_id, number, agent_id, agent_version, purpose, n,
       state, due_at, call_id, user_id, objective, created_at, updated_at)
     select $1, campaign_id, id, thread_id, lane_id, phone, contact_id, number, agent_id, agent_version, purpose,
       1 + coalesce((select max(n) from dials known where known.tenant_id = $1 and known.campaign_id = planned.campaign_id
         and known.thread_id = planned.thread_id), 0),
       'scheduled', due_at, call_id, user_id, objective, created_at, $14
     from planned
     on conflict do nothing
     returning campaign_id, id, thread_id),
   counted as (
     insert into campaign_counts (tenant_id, campaign_id, change_id, state, n)
     select $1, campaign_id, $15, 'pending', count(*)::int from made where thread_id is not null group by campaign_id
     on conflict do nothing)
   select id from made`,
);

/**
 * Plans calls: writes a dial each and wakes its lane. A dial that is there already is left as it is. Returns the ids that were new.
 */
export async function plan(
  tx: Tx,
  tenantId: Uuid,
  dials: readonly PlannedDial[],
  change: { now: Date; realNow: Date; changeId: Uuid },
): Promise<Uuid[]> {
  if (dials.length === 0) return [];
  const made = await tx.rows<{ id: Uuid }>(insertDials, [
    tenantId,
    dials.map((dial) => dial.id),
    dials.map((dial) => dial.campaignId),
    dials.map((dial) => dial.threadId),
    dials.map((dial) => dial.laneId),
    dials.map((dial) => dial.phone),
    dials.map((dial) => dial.contactId),
    dials.map((dial) => dial.agentId),
    dials.map((dial) => dial.agentVersion),
    dials.map((dial) => dial.purpose),
    dials.map((dial) => dial.dueAt),
    dials.map((dial) => dial.number ?? null),
    dials.map((dial) => dial.callId ?? null),
    change.now,
    change.changeId,
    dials.map((dial) => dial.userId ?? null),
    dials.map((dial) => dial.objective ?? null),
    dials.map((dial) => dial.createdAt ?? change.now),
  ]);
  const soonest = new Map<Uuid, Date>();
  for (const { laneId, dueAt } of dials) {
    const known = soonest.get(laneId);
    if (!known || dueAt < known) soonest.set(laneId, dueAt);
  }
  await wakeLanes(tx, tenantId, soonest, change);
  return made.map(({ id }) => id);
}

const withdrawWaiting = changingAndReading(
  "withdraw-dials-of-thread",
  `with gone as (
     update dials set state = 'cancelled', due_at = null, reason = $4, updated_at = $5
     where tenant_id = $1 and campaign_id = $2 and thread_id = $3 and due_at is not null returning id)
   insert into campaign_counts (tenant_id, campaign_id, change_id, state, n)
   select $1, $2, $6, 'pending', -count(*)::int from gone having count(*) > 0
   on conflict do nothing`,
);

/** Cancels the calls that wait in a locked thread. */
export async function withdraw(
  tx: Tx,
  tenantId: Uuid,
  thread: { campaign_id: Uuid; id: Uuid },
  change: { reason: string; now: Date; changeId: Uuid },
): Promise<void> {
  await tx.run(withdrawWaiting, [tenantId, thread.campaign_id, thread.id, change.reason, change.now, change.changeId]);
}

const wakeDials = changing(
  "wake-dials",
  `update dials set due_at = $3, state = 'scheduled', rule = null, reason = null, updated_at = $3
   where tenant_id = $1 and campaign_id = $2 and due_at = 'infinity'`,
);

/** Makes due again the calls of a campaign that were put off without end: by a pause, for one. Wakes the lane. */
export async function wake(
  tx: Tx,
  tenantId: Uuid,
  campaignId: Uuid,
  times: { now: Date; realNow: Date },
): Promise<void> {
  const woken = await tx.run(wakeDials, [tenantId, campaignId, times.now]);
  if (woken > 0) await wakeLanes(tx, tenantId, new Map([[campaignId, times.now]]), times);
}

const wakeHeldDials = changing(
  "wake-held-dials",
  `update dials set due_at = $4, updated_at = $4
   where tenant_id = $1 and phone = any($2::text[]) and due_at is not null and rule = $3 returning lane_id`,
);

/** Makes the dials due that a rule holds for these phones, once its condition is met, and wakes their lanes. */
export async function wakeByRule(
  tx: Tx,
  tenantId: Uuid,
  phones: readonly string[],
  rule: string,
  times: { now: Date; realNow: Date },
): Promise<void> {
  const rows = await tx.rows<{ lane_id: Uuid }>(wakeHeldDials, [tenantId, phones, rule, times.now]);
  await wakeLanes(tx, tenantId, new Map(rows.map((row) => [row.lane_id, times.now])), times);
}

const hastenDials = changing(
  "hasten-dials-of-carrier",
  `update dials dial set due_at = $3, updated_at = $3 from dial_lanes lane
   where dial.tenant_id = $1 and lane.tenant_id = $1 and lane.id = dial.lane_id and lane.carrier = $2 and dial.due_at is not null
   returning dial.lane_id`,
);

/** Makes all dials due that wait for a carrier, which was removed: each is then refused with the reason, not when its time would have come. */
export async function hasten(
  tx: Tx,
  tenantId: Uuid,
  carrier: string,
  times: { now: Date; realNow: Date },
): Promise<void> {
  const rows = await tx.rows<{ lane_id: Uuid }>(hastenDials, [tenantId, carrier, times.now]);
  await wakeLanes(tx, tenantId, new Map(rows.map((row) => [row.lane_id, times.now])), times);
}

const dialsOfThread = statement(
  "list-dials-of-thread",
  `select purpose, state, reason, rule, due_at from dials
   where tenant_id = $1 and campaign_id = $2 and thread_id = $3 order by n desc limit 20`,
);

export type ThreadDial = {
  purpose: CallPurpose;
  state: "scheduled" | "held" | "dialing" | "done" | "suppressed" | "expired" | "cancelled" | "unknown";
  reason: string | null;
  rule: string | null;
  /** A number (infinity) while it waits without end. */
  due_at: Date | number | null;
};

/** The calls that were planned in a conversation, the last first. */
export function ofThread(tx: Tx, tenantId: Uuid, campaignId: Uuid, threadId: Uuid): Promise<ThreadDial[]> {
  return tx.rows<ThreadDial>(dialsOfThread, [tenantId, campaignId, threadId]);
}

/**
 * Has the lanes look for calls when each has something due (the tenant's time): enqueues their jobs, and writes the due times, by which the sweep finds
 * a lane whose job is lost. Both are written at or after the commit, so this may be called anywhere in a transaction; in order, since two that wrote
 * the lanes in different orders would wait for each other.
 */
export async function wakeLanes(
  tx: Tx,
  tenantId: Uuid,
  lanes: ReadonlyMap<Uuid, Date>,
  times: { now: Date; realNow: Date },
): Promise<void> {
  const inOrder = [...lanes].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const behindMs = times.realNow.getTime() - times.now.getTime();
  await queue.enqueue(
    tx,
    inOrder.map(([laneId, at]) => ({
      job: "drain-dial-lane" as const,
      payload: { tenantId, laneId },
      ...(at > times.now ? { runAt: new Date(at.getTime() + behindMs) } : {}),
    })),
  );
  for (const [laneId, at] of inOrder) await dialLanes.due(tx, tenantId, laneId, at);
}

const lanesWithWork = statement(
  "list-dial-lanes-with-work",
  "select id from dial_lanes where tenant_id = $1 and id = any($2::uuid[]) and next_due_at <= $3",
);

/** Has those lanes look for calls that have one due: it may have waited until another call ended. */
export async function wakeWaiting(tx: Tx, tenantId: Uuid, laneIds: readonly Uuid[], now: Date): Promise<void> {
  if (laneIds.length === 0) return;
  const waiting = await tx.rows<{ id: Uuid }>(lanesWithWork, [tenantId, laneIds, now]);
  await queue.enqueue(
    tx,
    waiting.map(({ id }) => ({ job: "drain-dial-lane", payload: { tenantId, laneId: id } })),
  );
}
