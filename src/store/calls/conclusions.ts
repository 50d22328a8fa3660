import { abandonmentCounts } from "#domain/calls/abandonment.ts";
import type { CallPurpose } from "#domain/calls/call.ts";
import {
  breakMs,
  callbackAt,
  callOutcome,
  type EndedCall,
  failuresInARow,
  nextCall,
  type RedialConfig,
  recipientAfter,
} from "#domain/calls/redial.ts";
import type { CallReport } from "#domain/calls/report.ts";
import { resultOf } from "#domain/calls/result.ts";
import { NO_ID, type Uuid } from "#domain/values/id.ts";
import * as counts from "#store/campaigns/counts.ts";
import { isFenced } from "#store/database/cluster.ts";
import { anyOf, changing, changingAndReading, statement, type Tx } from "#store/database/db.ts";
import * as queue from "#store/database/queue.ts";
import * as threads from "#store/messaging/threads.ts";
import { RESTORED } from "#store/system/fence.ts";
import * as dialLanes from "./dial-lanes.ts";
import { type PlannedDial, plan, wakeWaiting } from "./dials.ts";

/** `inDoubt`: it is not known yet whether the call was ever placed; its dial waits for the look-up. */
export type CallEnd = { callId: Uuid; report: CallReport; inDoubt?: boolean };

export type Parts = { now: Date; realNow: Date; newId: () => Uuid };

const endedCalls = statement(
  "list-ended-calls",
  `select call.id, call.campaign_id, call.thread_id, call.dial_id, call.contact_id, call.number,
     case when campaign.channel = 'voice' and dial.id is not null then campaign.agent_id else call.agent_id end as agent_id,
     case when campaign.channel = 'voice' and dial.id is not null then campaign.agent_version else call.agent_version end as agent_version,
     call.phone, call.purpose, call.direction, call.carrier, call.stop_requested_at is not null as is_stopped, consent.opted_out_at is not null as is_opted_out, dial.lane_id, dial.n, dial.state as dial_state, campaign.channel,
     dial.reason = '${RESTORED}' as is_restored, campaign.status as campaign_status, campaign.settings, campaign.end_at as campaign_end_at
   from unnest($2::uuid[]) as it (id)
   join calls call on call.tenant_id = $1 and call.id = it.id
   left join dials dial on dial.tenant_id = $1 and dial.campaign_id = call.campaign_id and dial.id = call.dial_id
   left join campaigns campaign on campaign.tenant_id = $1 and campaign.id = call.campaign_id
   left join consents consent on consent.tenant_id = $1 and consent.phone = call.phone
   where ${anyOf("it.id")}`,
);

type Row = {
  id: Uuid;
  campaign_id: Uuid;
  thread_id: Uuid | null;
  dial_id: Uuid | null;
  contact_id: Uuid | null;
  /** For the next call: the campaign's, which may have been changed since, or this call's. */
  agent_id: Uuid;
  agent_version: number;
  number: string;
  phone: string;
  purpose: CallPurpose;
  direction: "outbound" | "inbound";
  carrier: string;
  /** Its end was requested, whether the node received that in time or not. */
  is_stopped: boolean;
  /** Meanwhile, by a text, or in this call: a redial would wait for as long as its numbers rest, and then be refused. */
  is_opted_out: boolean;
  lane_id: Uuid | null;
  n: number | null;
  dial_state: string | null;
  /** From before a restore, and lost with it: how the call went is unknown, and it may have gone well. */
  is_restored: boolean | null;
  channel: "sms" | "voice" | null;
  campaign_status: string | null;
  settings: { redial_config?: RedialConfig } | null;
  campaign_end_at: Date | null;
};

const finishDials = changingAndReading(
  "finish-dials",
  `with it as (select * from unnest($2::uuid[], $3::uuid[], $4::text[]) as it (campaign_id, id, reason)),
   done as (
     update dials dial set state = 'done', due_at = null, reason = it.reason, updated_at = $5
     from it
     where dial.tenant_id = $1 and dial.campaign_id = it.campaign_id and dial.id = it.id and dial.state = 'dialing' and ${anyOf("it.id")}
     returning dial.campaign_id, dial.thread_id),
   counted as (
     insert into campaign_counts (tenant_id, campaign_id, change_id, state, n)
     select $1, campaign_id, $6, 'pending', -count(*)::int from done where thread_id is not null group by campaign_id
     on conflict do nothing)
   select count(*) from done`,
);

const noteCalls = changing(
  "note-calls-of-threads",
  `with held as (
     select thread.id from unnest($2::uuid[], $3::uuid[]) as it (campaign_id, id)
     join threads thread on thread.tenant_id = $1 and thread.campaign_id = it.campaign_id and thread.id = it.id and ${anyOf("it.id")}
     order by thread.id for no key update of thread)
   update threads thread set called_at = coalesce(it.at, thread.called_at), call_outcome = it.outcome, updated_at = $6,
     call_scheduled_at = case when it.purpose = 'callback' or it.callback_at is not null then it.callback_at
       else thread.call_scheduled_at end
   from unnest($2::uuid[], $3::uuid[], $4::timestamptz[], $5::text[], $7::timestamptz[], $8::text[])
     as it (campaign_id, id, at, outcome, callback_at, purpose)
   join held on held.id = it.id
   where thread.tenant_id = $1 and thread.campaign_id = it.campaign_id and thread.id = it.id and ${anyOf("it.id")}`,
);

const strainLane = changing(
  "strain-dial-lane",
  `update dial_lanes set failures = case when $4 then $3 else failures + $3 end, broken_until = null
   where tenant_id = $1 and id = $2 and ($3 > 0 or failures > 0) returning failures`,
);

const breakLane = changing(
  "break-dial-lane",
  "update dial_lanes set broken_until = $3 where tenant_id = $1 and id = $2",
);

/** Handles the consequences of calls that have ended: finishes their dials, and plans and counts everything after them. */
export async function conclude(tx: Tx, tenantId: Uuid, ended: readonly CallEnd[], parts: Parts): Promise<void> {
  if (ended.length === 0) return;
  const reportOf = new Map(ended.map(({ callId, report }) => [callId, report]));
  const [found, fenced] = await Promise.all([
    tx.rows<Row>(endedCalls, [tenantId, ended.map(({ callId }) => callId)]),
    isFenced(tx, tenantId),
  ]);
  const rows = found.map((row) => ({ ...row, is_restored: row.is_restored || fenced }));
  // In one order, so that two that end calls of the same threads and lanes do not wait for each other.
  rows.sort((a, b) => (a.id < b.id ? -1 : 1));
  // Finished by another meanwhile, or back with its lane: then nothing is to follow from it.
  const open = rows.filter((row) => row.dial_id === null || row.dial_state === "dialing");
  const outcomes = new Map(open.map((row) => [row.id, callOutcome(reportOf.get(row.id)!)]));
  const dialed = open.filter((row) => row.dial_id !== null);
  await tx.first(finishDials, [
    tenantId,
    dialed.map((row) => row.campaign_id),
    dialed.map((row) => row.dial_id),
    dialed.map((row) => outcomes.get(row.id)!),
    parts.now,
    parts.newId(),
  ]);
  const planned: PlannedDial[] = [];
  for (const row of open) {
    const next = await followUp(tx, tenantId, row, reportOf.get(row.id)!, parts);
    if (next) planned.push(next);
  }
  const again = new Set(planned.flatMap(({ threadId }) => (threadId === null ? [] : [threadId])));
  const threaded = open.filter((row) => row.thread_id !== null);
  const recipients = threaded.filter((row) => row.channel === "voice");
  await threads.move(
    tx,
    tenantId,
    recipients.map((row) => {
      const report = reportOf.get(row.id)!;
      const { voicemailLeft, requests } = report;
      const result = resultOf(report);
      const how = {
        voicemailLeft,
        again: again.has(row.thread_id!),
        optedOut: requests.optOut !== undefined,
        untalked: result === "talked" ? null : result,
      };
      return {
        campaignId: row.campaign_id,
        threadId: row.thread_id!,
        ...recipientAfter(outcomes.get(row.id)!, how),
      };
    }),
    parts.newId(),
    parts.now,
  );
  if (threaded.length > 0) {
    await tx.run(noteCalls, [
      tenantId,
      threaded.map((row) => row.campaign_id),
      threaded.map((row) => row.thread_id),
      threaded.map((row) => reportOf.get(row.id)!.answeredAt ?? null),
      threaded.map((row) => outcomes.get(row.id)!),
      parts.now,
      threaded.map(
        (row) => callbackAt(reportOf.get(row.id)!, row.campaign_status === "deleted")?.toISOString() ?? null,
      ),
      threaded.map((row) => row.purpose),
    ]);
  }
  await count(tx, tenantId, recipients, reportOf, parts);
  await enqueue(tx, tenantId, open, planned, reportOf, parts);
  await plan(tx, tenantId, planned, { now: parts.now, realNow: parts.realNow, changeId: parts.newId() });
  await strain(tx, tenantId, dialed, reportOf, parts);
}

const endedCall = (row: Row): EndedCall => ({
  isErased: !row.phone.startsWith("+"),
  isStopped: row.is_stopped || row.is_opted_out,
  isRestored: row.is_restored === true,
  n: row.channel === "voice" ? (row.n ?? undefined) : undefined,
  campaign: {
    isDeleted: row.campaign_status === "deleted",
    redial: row.settings?.redial_config,
    endsAt: row.campaign_end_at,
  },
});

/** The dial of the call that is to follow, if any. */
async function followUp(
  tx: Tx,
  tenantId: Uuid,
  row: Row,
  report: CallReport,
  { now, realNow, newId }: Parts,
): Promise<PlannedDial | undefined> {
  const next = nextCall(endedCall(row), report);
  if (!next) return undefined;
  const target = row.lane_id !== null ? { ...row, laneId: row.lane_id } : undefined;
  const laneId =
    target?.laneId ??
    (await dialLanes.ensureSingle(tx, tenantId, {
      id: newId(),
      carrier: row.carrier,
      ...dialLanes.SINGLE,
      now: realNow,
    }));
  return {
    id: newId(),
    // Who called us is called back outside of any campaign.
    campaignId: target ? row.campaign_id : NO_ID,
    threadId: target ? row.thread_id : null,
    laneId,
    phone: row.phone,
    contactId: row.contact_id,
    agentId: row.agent_id,
    agentVersion: row.agent_version,
    purpose: next.purpose,
    dueAt: next.at < now ? now : next.at,
    // A contact calls back, and picks up, a number that it knows.
    number: row.number,
  };
}

/** Under these states campaign_counts has calls by outcome, beside what abandonment is measured by (domain/calls/abandonment.ts). */
export const CALL_COUNT = "call_";

async function count(
  tx: Tx,
  tenantId: Uuid,
  rows: readonly Row[],
  reportOf: ReadonlyMap<Uuid, CallReport>,
  { newId }: Parts,
): Promise<void> {
  const changes = rows.flatMap((row) => {
    const report = reportOf.get(row.id)!;
    const states = [`${CALL_COUNT}${callOutcome(report)}`, ...abandonmentCounts(report)];
    return states.map((state) => ({ campaignId: row.campaign_id, state, n: 1 }));
  });
  await counts.add(tx, tenantId, newId(), changes);
}

/** The analysis of what was said, the conversation that the call belongs to, and lanes that may have waited for the room. */
async function enqueue(
  tx: Tx,
  tenantId: Uuid,
  rows: readonly Row[],
  planned: readonly PlannedDial[],
  reportOf: ReadonlyMap<Uuid, CallReport>,
  { now }: Parts,
): Promise<void> {
  const wokenAnyway = new Set(planned.filter(({ dueAt }) => dueAt <= now).map(({ laneId }) => laneId));
  const lanes = new Set(rows.flatMap((row) => row.lane_id ?? [])).difference(wokenAnyway);
  const wasAnswered = rows.some((row) => reportOf.get(row.id)!.durationMs > 0);
  const texted = rows.filter((row) => row.channel === "sms" && row.thread_id !== null);
  await queue.enqueue(tx, [
    ...(wasAnswered ? [{ job: "analyse-calls" as const, payload: { tenantId } }] : []),
    ...texted.map((row) => ({
      job: "extract-thread" as const,
      payload: { tenantId, campaignId: row.campaign_id, threadId: row.thread_id! },
    })),
  ]);
  await wakeWaiting(tx, tenantId, [...lanes], now);
}

/** Counts the provider's failures in a row, lane by lane in the order of their calls; any other end resets the count. */
async function strain(
  tx: Tx,
  tenantId: Uuid,
  rows: readonly Row[],
  reportOf: ReadonlyMap<Uuid, CallReport>,
  { realNow }: Parts,
): Promise<void> {
  const byLane = Map.groupBy(rows, (row) => row.lane_id!);
  for (const [laneId, theirs] of [...byLane].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const { inARow, isReset } = failuresInARow(theirs.map((row) => reportOf.get(row.id)!.reason));
    const row = await tx.first<{ failures: number }>(strainLane, [tenantId, laneId, inARow, isReset]);
    const pauseMs = row ? breakMs(row.failures) : 0;
    if (pauseMs > 0) await tx.run(breakLane, [tenantId, laneId, new Date(realNow.getTime() + pauseMs)]);
  }
}
