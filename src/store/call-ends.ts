import type { CallPurpose, DisconnectionReason } from "#domain/call.ts";
import { type CallReport, transcriptOf } from "#domain/call-report.ts";
import { NO_ID, type Uuid } from "#domain/id.ts";
import { recordingProblem } from "#domain/recording-guard.ts";
import {
  breakMs,
  callOutcome,
  isAbandoned,
  isAnsweredLive,
  isProviderFailure,
  type RedialConfig,
  recipientAfter,
  redialAt,
} from "#domain/redial.ts";
import * as counts from "./campaign-counts.ts";
import { anyOf, statement, type Tx } from "./db.ts";
import * as dialLanes from "./dial-lanes.ts";
import { type PlannedDial, plan } from "./dials.ts";
import * as doomedObjects from "./doomed-objects.ts";
import { RESTORED } from "./fence.ts";
import type * as openCalls from "./open-calls.ts";
import * as queue from "./queue.ts";
import * as threads from "./threads.ts";

// How a call comes to its end in the database: the call, its dial, its recipient, what is to follow and the campaign's counts move in one
// transaction. Whoever conducted the call does it, or whoever finds that its node is lost; the second changes nothing.

/** `inDoubt`: nobody can say yet whether the call was ever placed; its dial waits for the look-up. */
export type CallEnd = { callId: Uuid; report: CallReport; inDoubt?: boolean };

const endCalls = statement(
  "end-calls",
  `with ended as (
     update calls call set status = it.status, reason = it.reason, carrier_code = it.carrier_code, answerer = it.answerer,
       in_voicemail = it.in_voicemail, duration_ms = it.duration_ms, answered_at = coalesce(it.answered_at, call.answered_at),
       end_at = it.end_at, recording_due_at = case when call.recording_due_at is not null then it.recording_due_at end
     from unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::boolean[], $8::int[], $9::timestamptz[], $10::timestamptz[],
         $11::timestamptz[])
       as it (id, status, reason, carrier_code, answerer, in_voicemail, duration_ms, answered_at, end_at, recording_due_at)
     where call.tenant_id = $1 and call.id = it.id and call.status in ('registered', 'ongoing') and ${anyOf("it.id")}
     returning call.*),
   noted as (
     insert into events (tenant_id, kind, at, organization_id, carrier, campaign_id, n, object_ids, thread_ids, data)
     select $1, 'call.ended', max(end_at), organization_id, carrier, campaign_id, count(*)::int, array_agg(id), array_agg(thread_id),
       jsonb_agg(jsonb_build_object('direction', direction, 'call_status', status, 'in_voicemail', in_voicemail,
         'call_duration_ms', duration_ms))
     from ended group by organization_id, carrier, campaign_id
     on conflict do nothing)
   select id from ended`,
);

const keepDetails = statement(
  "keep-call-details",
  `insert into call_details (tenant_id, call_id, transcript, utterances, latencies, recording, recording_bytes, recording_ms, usage,
     voicemail_left)
   select $1, it.id, transcript, utterances::jsonb, latencies::jsonb, recording, bytes, ms, usage::jsonb, voicemail_left
   from unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::int[], $9::text[], $10::boolean[])
     as it (id, transcript, utterances, latencies, recording, bytes, ms, usage, voicemail_left)
   -- Of a person who was erased meanwhile nothing is kept.
   join calls call on call.tenant_id = $1 and call.id = it.id and call.phone like '+%'
   on conflict (tenant_id, call_id) do update set transcript = excluded.transcript, utterances = excluded.utterances,
     latencies = excluded.latencies, recording = coalesce(excluded.recording, call_details.recording),
     recording_bytes = coalesce(excluded.recording_bytes, call_details.recording_bytes),
     recording_ms = coalesce(excluded.recording_ms, call_details.recording_ms), usage = excluded.usage,
     voicemail_left = excluded.voicemail_left
   returning call_id`,
);

const endedCalls = statement(
  "list-ended-calls",
  `select call.id, call.campaign_id, call.thread_id, call.dial_id, call.contact_id, call.agent_id, call.agent_version, call.number,
     call.phone, call.purpose, call.direction, call.carrier, dial.lane_id, dial.n, dial.state as dial_state, campaign.channel,
     dial.reason = '${RESTORED}' or (select fenced_at is not null from cluster) as is_restored, campaign.status as campaign_status, campaign.settings, campaign.end_at as campaign_end_at
   from unnest($2::uuid[]) as it (id)
   join calls call on call.tenant_id = $1 and call.id = it.id
   left join dials dial on dial.tenant_id = $1 and dial.campaign_id = call.campaign_id and dial.id = call.dial_id
   left join campaigns campaign on campaign.tenant_id = $1 and campaign.id = call.campaign_id
   where ${anyOf("it.id")}`,
);

type Row = {
  id: Uuid;
  campaign_id: Uuid;
  thread_id: Uuid | null;
  dial_id: Uuid | null;
  contact_id: Uuid | null;
  agent_id: Uuid;
  agent_version: number;
  number: string;
  phone: string;
  purpose: CallPurpose;
  direction: "outbound" | "inbound";
  carrier: string;
  lane_id: Uuid | null;
  n: number | null;
  dial_state: string | null;
  /** Of a day that the database has forgotten: nobody knows how the call went, and it may have gone well. */
  is_restored: boolean | null;
  channel: "sms" | "voice" | null;
  campaign_status: string | null;
  settings: { redial_config?: RedialConfig } | null;
  campaign_end_at: Date | null;
};

const finishDials = statement(
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

const noteCalls = statement(
  "note-calls-of-threads",
  `update threads thread set called_at = coalesce(it.at, thread.called_at), call_outcome = it.outcome, updated_at = $6,
     call_scheduled_at = case when it.purpose = 'callback' or it.callback_at is not null then it.callback_at
       else thread.call_scheduled_at end
   from unnest($2::uuid[], $3::uuid[], $4::timestamptz[], $5::text[], $7::timestamptz[], $8::text[])
     as it (campaign_id, id, at, outcome, callback_at, purpose)
   where thread.tenant_id = $1 and thread.campaign_id = it.campaign_id and thread.id = it.id and ${anyOf("it.id")}`,
);

const strainLane = statement(
  "strain-dial-lane",
  `update dial_lanes set failures = case when $4 then $3 else failures + $3 end, broken_until = null
   where tenant_id = $1 and id = $2 and ($3 > 0 or failures > 0) returning failures`,
);

const breakLane = statement(
  "break-dial-lane",
  "update dial_lanes set broken_until = $3 where tenant_id = $1 and id = $2",
);

type Parts = { now: Date; realNow: Date; newId: () => Uuid };

/**
 * Ends calls and all that hangs on them: keeps what was said, finishes their dials, moves their recipients, plans redials and callbacks,
 * counts, and rings for the analysis and for lanes that have room again. A call that had ended before stays as it is; one call may
 * come once. Takes threads before lanes, as everybody.
 */
export async function end(tx: Tx, tenantId: Uuid, ends: readonly CallEnd[], it: Parts): Promise<void> {
  if (ends.length === 0) return;
  const byId = new Map(ends.toSorted((a, b) => (a.callId < b.callId ? -1 : 1)).map((call) => [call.callId, call]));
  const all = [...byId.values()];
  const reports = all.map(({ report }) => report);
  const moved = await tx.rows<{ id: Uuid }>(endCalls, [
    tenantId,
    all.map(({ callId }) => callId),
    reports.map(({ status }) => status),
    reports.map(({ reason }) => reason),
    reports.map(({ carrierCode }) => carrierCode ?? null),
    reports.map(({ answerer }) => answerer ?? null),
    reports.map(({ inVoicemail }) => inVoicemail),
    reports.map(({ durationMs }) => Math.round(durationMs)),
    reports.map(({ answeredAt }) => answeredAt ?? null),
    reports.map(({ endedAt }) => endedAt),
    reports.map((report) => recordingDueAt(report, it.realNow)),
  ]);
  const ended = moved.map(({ id }) => byId.get(id)!);
  if (ended.length === 0) return;
  await keep(tx, tenantId, ended, it);
  await conclude(
    tx,
    tenantId,
    ended.filter((call) => !call.inDoubt),
    it,
  );
}

/**
 * For a node that died to be found lost, and for the one in its place to find what it had left behind; the alarm has to be there within a
 * minute of the end.
 */
const LOOK_INTO_RECORDING_AFTER_MS = 30_000;

/** When the recording of a call that should have one is to be looked into; null: it is as long as the call. */
function recordingDueAt({ durationMs, recording }: CallReport, realNow: Date): Date | null {
  const problem = recordingProblem({ durationMs, recordedMs: recording?.durationMs });
  return problem === undefined ? null : new Date(realNow.getTime() + LOOK_INTO_RECORDING_AFTER_MS);
}

async function keep(tx: Tx, tenantId: Uuid, ended: readonly CallEnd[], { realNow }: Parts): Promise<void> {
  const spoken = ended.filter(({ report }) => report.durationMs > 0 || report.recording !== undefined);
  if (spoken.length === 0) return;
  const reports = spoken.map(({ report }) => report);
  const kept = await tx.rows<{ call_id: Uuid }>(keepDetails, [
    tenantId,
    spoken.map(({ callId }) => callId),
    reports.map(({ utterances }) => transcriptOf(utterances)),
    reports.map(({ utterances }) => JSON.stringify(utterances)),
    reports.map(({ latencies }) => JSON.stringify(latencies)),
    reports.map(({ recording }) => recording?.name ?? null),
    reports.map(({ recording }) => recording?.bytes ?? null),
    reports.map(({ recording }) => (recording ? Math.round(recording.durationMs) : null)),
    reports.map(({ usage }) => JSON.stringify(usage)),
    reports.map(({ voicemailLeft }) => voicemailLeft),
  ]);
  const ids = new Set(kept.map((row) => row.call_id));
  const nobodys = spoken.filter(({ callId }) => !ids.has(callId)).flatMap(({ report }) => report.recording?.name ?? []);
  await doomedObjects.add(tx, tenantId, nobodys, realNow);
}

/** What follows from calls that have ended: their dials are finished, and everything after them is planned and counted. */
export async function conclude(tx: Tx, tenantId: Uuid, ended: readonly CallEnd[], it: Parts): Promise<void> {
  if (ended.length === 0) return;
  const reportOf = new Map(ended.map(({ callId, report }) => [callId, report]));
  const rows = await tx.rows<Row>(endedCalls, [tenantId, ended.map(({ callId }) => callId)]);
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
    it.now,
    it.newId(),
  ]);
  const planned: PlannedDial[] = [];
  for (const row of open) {
    const next = await followUp(tx, tenantId, row, reportOf.get(row.id)!, it);
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
      const { voicemailLeft, wishes } = report;
      const how = { voicemailLeft, again: again.has(row.thread_id!), optedOut: wishes.optOut !== undefined };
      return {
        campaignId: row.campaign_id,
        threadId: row.thread_id!,
        ...recipientAfter(outcomes.get(row.id)!, how),
      };
    }),
    it.newId(),
    it.now,
  );
  if (threaded.length > 0) {
    await tx.run(noteCalls, [
      tenantId,
      threaded.map((row) => row.campaign_id),
      threaded.map((row) => row.thread_id),
      threaded.map((row) => reportOf.get(row.id)!.answeredAt ?? null),
      threaded.map((row) => outcomes.get(row.id)!),
      it.now,
      threaded.map((row) => callbackOf(row, reportOf.get(row.id)!)?.toISOString() ?? null),
      threaded.map((row) => row.purpose),
    ]);
  }
  await count(tx, tenantId, recipients, reportOf, it);
  await ring(tx, tenantId, open, planned, reportOf, it);
  await plan(tx, tenantId, planned, { now: it.now, realNow: it.realNow, changeId: it.newId() });
  await strain(tx, tenantId, dialed, reportOf, it);
}

/** When the contact wants to be called again, if it may be. */
function callbackOf(row: Row, { wishes }: CallReport): Date | undefined {
  if (wishes.optOut || !wishes.callback || row.campaign_status === "deleted") return undefined;
  return new Date(wishes.callback.at);
}

/** The call that is to follow, by the contact's wish or the campaign's policy. */
async function followUp(
  tx: Tx,
  tenantId: Uuid,
  row: Row,
  report: CallReport,
  { now, realNow, newId }: Parts,
): Promise<PlannedDial | undefined> {
  const callbackAt = callbackOf(row, report);
  const mayRedial =
    row.channel === "voice" &&
    row.n !== null &&
    row.campaign_status !== "deleted" &&
    !row.is_restored &&
    !report.wishes.optOut;
  const how = { n: row.n ?? 0, endedAt: new Date(report.endedAt), campaignEndsAt: row.campaign_end_at };
  const redial = mayRedial ? redialAt(row.settings?.redial_config, report, how) : undefined;
  const dueAt = callbackAt ?? redial;
  if (dueAt === undefined) return undefined;
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
    purpose: callbackAt ? "callback" : "redial",
    dueAt: dueAt < now ? now : dueAt,
    // A contact calls back, and picks up, a number that it knows.
    ...(callbackAt ? { number: row.number } : {}),
  };
}

/** Under these states campaign_counts has calls by outcome, and what abandonment is measured by. */
export const CALL_COUNT = "call_";
export const ANSWERED_COUNT = "calls_answered";
export const ABANDONED_COUNT = "calls_abandoned";

async function count(
  tx: Tx,
  tenantId: Uuid,
  rows: readonly Row[],
  reportOf: ReadonlyMap<Uuid, CallReport>,
  { newId }: Parts,
): Promise<void> {
  const changes = rows.flatMap((row) => {
    const report = reportOf.get(row.id)!;
    const states = [`${CALL_COUNT}${callOutcome(report)}`];
    if (isAnsweredLive(report)) states.push(ANSWERED_COUNT);
    if (isAbandoned(report)) states.push(ABANDONED_COUNT);
    return states.map((state) => ({ campaignId: row.campaign_id, state, n: 1 }));
  });
  await counts.add(tx, tenantId, newId(), changes);
}

const lanesWithWork = statement(
  "list-dial-lanes-with-work",
  "select id from dial_lanes where tenant_id = $1 and id = any($2::uuid[]) and next_due_at <= $3",
);

/** The analysis of what was said, the conversation that the call belongs to, and lanes that may have waited for the room. */
async function ring(
  tx: Tx,
  tenantId: Uuid,
  rows: readonly Row[],
  planned: readonly PlannedDial[],
  reportOf: ReadonlyMap<Uuid, CallReport>,
  { now }: Parts,
): Promise<void> {
  const lanes = [...new Set(rows.flatMap((row) => row.lane_id ?? []))];
  const toldAnyway = new Set(planned.filter(({ dueAt }) => dueAt <= now).map(({ laneId }) => laneId));
  const waiting = await tx.rows<{ id: Uuid }>(lanesWithWork, [tenantId, lanes, now]);
  const wasAnswered = rows.some((row) => reportOf.get(row.id)!.durationMs > 0);
  const texted = rows.filter((row) => row.channel === "sms" && row.thread_id !== null);
  await queue.ring(tx, [
    ...(wasAnswered ? [{ job: "analyse-calls" as const, payload: { tenantId } }] : []),
    ...texted.map((row) => ({
      job: "extract-thread" as const,
      payload: { tenantId, campaignId: row.campaign_id, threadId: row.thread_id! },
    })),
    ...waiting
      .filter(({ id }) => !toldAnyway.has(id))
      .map(({ id }) => ({ job: "drain-dial-lane" as const, payload: { tenantId, laneId: id } })),
  ]);
}

/** Counts the provider's failures in a row, lane by lane in the order of their calls; any other end mends the lane. */
async function strain(
  tx: Tx,
  tenantId: Uuid,
  rows: readonly Row[],
  reportOf: ReadonlyMap<Uuid, CallReport>,
  { realNow }: Parts,
): Promise<void> {
  const byLane = Map.groupBy(rows, (row) => row.lane_id!);
  for (const [laneId, theirs] of [...byLane].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const failed = theirs.map((row) => isProviderFailure(reportOf.get(row.id)!.reason));
    const lastGood = failed.lastIndexOf(false);
    const inARow = failed.length - 1 - lastGood;
    const row = await tx.first<{ failures: number }>(strainLane, [tenantId, laneId, inARow, lastGood >= 0]);
    const pauseMs = row ? breakMs(row.failures) : 0;
    if (pauseMs > 0) await tx.run(breakLane, [tenantId, laneId, new Date(realNow.getTime() + pauseMs)]);
  }
}

/** The report of a call that nobody can tell of any more: its node is lost. */
export const lostReport = (it: { dialedAt: Date; answeredAt: Date | null; endedAt: Date }): CallReport =>
  reportOf({
    status: "error",
    reason: "error_unknown",
    ...it,
    durationMs: it.answeredAt ? Math.max(0, it.endedAt.getTime() - it.answeredAt.getTime()) : 0,
  });

/** The report of a call that has ended, as far as its end decides what is to follow. */
export const storedReport = (it: openCalls.EndedCall): CallReport => ({
  ...reportOf({
    status: it.status,
    reason: it.reason,
    dialedAt: it.dialed_at,
    answeredAt: it.answered_at,
    endedAt: it.end_at,
    durationMs: it.duration_ms,
  }),
  inVoicemail: it.in_voicemail,
  voicemailLeft: it.voicemail_left ?? false,
  utterances: it.utterances ?? [],
});

function reportOf(it: {
  status: CallReport["status"];
  reason: DisconnectionReason;
  dialedAt: Date;
  answeredAt: Date | null;
  endedAt: Date;
  durationMs: number;
}): CallReport {
  return {
    status: it.status,
    reason: it.reason,
    dialedAt: it.dialedAt.toISOString(),
    ...(it.answeredAt ? { answeredAt: it.answeredAt.toISOString() } : {}),
    endedAt: it.endedAt.toISOString(),
    durationMs: it.durationMs,
    inVoicemail: false,
    voicemailLeft: false,
    utterances: [],
    latencies: [],
    wishes: {},
    usage: { voiceCharacters: 0, earsMs: 0, inputTokens: 0, outputTokens: 0 },
  };
}
