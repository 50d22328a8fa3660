import { recordingProblem } from "#domain/calls/recording-guard.ts";
import { type CallReport, transcriptOf } from "#domain/calls/report.ts";
import type { Uuid } from "#domain/values/id.ts";
import * as tenants from "#store/accounts/tenants.ts";
import { anyOf, changing, type Tx } from "#store/database/db.ts";
import { type CallEnd, conclude, type Parts } from "./conclusions.ts";
import * as objectsToDelete from "./objects-to-delete.ts";
import * as openCalls from "./open-calls.ts";
import * as callProgress from "./progress.ts";

// How a call comes to its end in the database: the call, its dial, its recipient, what is to follow and the campaign's counts move in one
// transaction. Whoever conducted the call does it, or whoever finds that its node is lost; the second changes nothing.

const endCalls = changing(
  "end-calls",
  `with ended as (
     update calls call set status = it.status, reason = it.reason, carrier_code = it.carrier_code, carrier_text = it.carrier_text, answerer = it.answerer,
       in_voicemail = it.in_voicemail, duration_ms = it.duration_ms, answered_at = coalesce(it.answered_at, call.answered_at),
       end_at = it.end_at, recording_due_at = case when call.recording_due_at is not null then it.recording_due_at end
     from unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::boolean[], $8::int[], $9::timestamptz[], $10::timestamptz[],
         $11::timestamptz[], $12::text[])
       as it (id, status, reason, carrier_code, answerer, in_voicemail, duration_ms, answered_at, end_at, recording_due_at, carrier_text)
     where call.tenant_id = $1 and call.id = it.id and call.status in ('registered', 'ongoing') and ${anyOf("it.id")}
     returning call.id, organization_id, carrier, call.campaign_id, thread_id, direction, call.status, call.in_voicemail, call.duration_ms, call.end_at),
   noted as (
     insert into events (tenant_id, kind, at, organization_id, carrier, campaign_id, n, object_ids, thread_ids, data)
     select $1, 'call.ended', max(end_at), organization_id, carrier, campaign_id, count(*)::int, array_agg(id), array_agg(thread_id),
       jsonb_agg(jsonb_build_object('direction', direction, 'call_status', status, 'in_voicemail', in_voicemail,
         'call_duration_ms', duration_ms))
     from ended group by organization_id, carrier, campaign_id
     on conflict do nothing)
   select id, direction from ended`,
);

const keepDetails = changing(
  "keep-call-details",
  `insert into call_details (tenant_id, call_id, transcript, utterances, latencies, recording, recording_bytes, recording_ms, usage,
     voicemail_left, speech_to_text, codec, encrypted)
   select $1, it.id, transcript, utterances::jsonb, latencies::jsonb, recording, bytes, ms, usage::jsonb, voicemail_left, speech_to_text,
     codec, encrypted
   from unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::int[], $9::text[], $10::boolean[], $11::text[],
       $12::text[], $13::boolean[])
     as it (id, transcript, utterances, latencies, recording, bytes, ms, usage, voicemail_left, speech_to_text, codec, encrypted)
   -- Of a person who was erased meanwhile nothing is kept.
   join calls call on call.tenant_id = $1 and call.id = it.id and call.phone like '+%'
   on conflict (tenant_id, call_id) do update set transcript = excluded.transcript, utterances = excluded.utterances,
     latencies = excluded.latencies, recording = coalesce(excluded.recording, call_details.recording),
     recording_bytes = coalesce(excluded.recording_bytes, call_details.recording_bytes),
     recording_ms = coalesce(excluded.recording_ms, call_details.recording_ms), usage = excluded.usage,
     voicemail_left = excluded.voicemail_left, speech_to_text = excluded.speech_to_text,
     codec = excluded.codec, encrypted = excluded.encrypted
   returning call_id`,
);

/**
 * Ends calls and everything that depends on them: stores what was said, finishes their dials, moves their recipients, plans redials and callbacks,
 * counts, and enqueues the analysis and the lanes that have room again. A call that had ended before stays as it is; one call may come once. Takes
 * threads before lanes, as everywhere. Returns those that it ended, and how many of them we placed.
 */
export async function end(
  tx: Tx,
  tenantId: Uuid,
  ends: readonly CallEnd[],
  parts: Parts,
): Promise<{ ended: CallEnd[]; placed: number }> {
  if (ends.length === 0) return { ended: [], placed: 0 };
  const byId = new Map(ends.toSorted((a, b) => (a.callId < b.callId ? -1 : 1)).map((call) => [call.callId, call]));
  const all = [...byId.values()];
  const reports = all.map(({ report }) => report);
  const moved = await tx.rows<{ id: Uuid; direction: string }>(endCalls, [
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
    reports.map((report) => recordingDueAt(report, parts.realNow)),
    reports.map(({ carrierText }) => carrierText ?? null),
  ]);
  const ended = moved.map(({ id }) => byId.get(id)!);
  const placed = moved.filter(({ direction }) => direction === "outbound").length;
  if (ended.length === 0) return { ended, placed };
  await keep(tx, tenantId, ended, parts);
  await conclude(
    tx,
    tenantId,
    ended.filter((call) => !call.inDoubt),
    parts,
  );
  return { ended, placed };
}

/**
 * Ends calls that no node holds any more, as errors: at the time when their node was lost, or now. What was said in them is lost, except for their
 * recordings.
 */
export async function endLost(
  tx: Tx,
  tenantId: Uuid,
  lost: readonly openCalls.LostCall[],
  { realNow, newId }: Omit<Parts, "now">,
): Promise<void> {
  const offsetMs = await tenants.clockOffsetMs(tx, tenantId);
  const now = new Date(realNow.getTime() + offsetMs);
  const ends = lost.map((call) => {
    const endedAt = call.lost_at ? new Date(call.lost_at.getTime() + offsetMs) : now;
    return {
      callId: call.id,
      report: openCalls.lostReport({ dialedAt: call.dialed_at, answeredAt: call.answered_at, endedAt }),
    };
  });
  await end(tx, tenantId, ends, { now, realNow, newId });
}

const stopEnded = changing(
  "stop-ended-calls",
  `update calls set status = 'not_connected', reason = 'manual_stopped'
   where tenant_id = $1 and id = any($2::uuid[]) and status = 'error' and answered_at is null`,
);

/**
 * Puts dials back that were certainly not placed; returns their lanes. A dial whose call was to be stopped is never placed: the call ends as stopped,
 * also where it was considered lost while it was unknown whether it had begun.
 */
export async function putBack(
  tx: Tx,
  tenantId: Uuid,
  them: readonly { campaignId: Uuid; dialId: Uuid; dueAt: Date; reason: string | null }[],
  parts: Parts,
): Promise<Map<Uuid, Date>> {
  const { lanes, stopped } = await callProgress.requeue(tx, tenantId, them, parts.now);
  if (stopped.length === 0) return lanes;
  const dials = stopped.map((row) => ({ campaignId: row.campaign_id, dialId: row.dial_id }));
  await tx.run(stopEnded, [tenantId, stopped.map((row) => row.call_id)]);
  const before = await openCalls.endedInDoubt(tx, tenantId, dials);
  const ended = before.map((call) => ({ callId: call.id, report: openCalls.storedReport(call) }));
  await conclude(tx, tenantId, ended, parts);
  const isEnded = new Set(before.map(({ id }) => id));
  const open = stopped.filter((row) => !isEnded.has(row.call_id));
  const report = (row: callProgress.StoppedCall) =>
    openCalls.stoppedReport({ dialedAt: row.dialed_at, endedAt: parts.now });
  await end(
    tx,
    tenantId,
    open.map((row) => ({ callId: row.call_id, report: report(row) })),
    parts,
  );
  return lanes;
}

/**
 * Time for a dead node to be found lost, and for its successor to find the recordings left behind; the alarm has to be raised within a minute of the
 * end.
 */
const LOOK_INTO_RECORDING_AFTER_MS = 30_000;

/** When the recording of a call that should have one is to be checked; null: it is as long as the call. */
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
    reports.map(({ speechToText }) => speechToText ?? null),
    reports.map(({ carried }) => carried?.codec ?? null),
    reports.map(({ carried }) => carried?.encrypted ?? null),
  ]);
  const ids = new Set(kept.map((row) => row.call_id));
  const nobodys = spoken.filter(({ callId }) => !ids.has(callId)).flatMap(({ report }) => report.recording?.name ?? []);
  await objectsToDelete.add(tx, tenantId, nobodys, realNow);
}
