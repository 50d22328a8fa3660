import type { RecordingProblem } from "#domain/calls/recording-guard.ts";
import type { Uuid } from "#domain/values/id.ts";
import { anyOf, changing, changingAndReading, crossTenant, type Tx } from "#store/database/db.ts";

// Which calls are to be recorded, and which of them came out without a recording of their length. Only those are ever looked at again.

const requireRecordings = changing(
  "require-recordings",
  `update calls call set recording_due_at = 'infinity'
   from unnest($2::uuid[]) as it (id)
   where call.tenant_id = $1 and call.id = it.id and call.status in ('registered', 'ongoing') and ${anyOf("it.id")}`,
);

/** From here on these calls must end with a recording. */
export async function require(tx: Tx, tenantId: Uuid, callIds: readonly Uuid[]): Promise<void> {
  if (callIds.length > 0) await tx.run(requireRecordings, [tenantId, callIds]);
}

export type DueRecording = { tenant_id: Uuid; id: Uuid; duration_ms: number; recording_ms: number | null };

const listDue = crossTenant(
  "list-due-recordings",
  `select call.tenant_id, call.id, call.duration_ms, detail.recording_ms
   from calls call left join call_details detail on detail.tenant_id = call.tenant_id and detail.call_id = call.id
   where call.recording_due_at <= $1 order by call.recording_due_at limit 1000`,
);

/** Calls that ended without a recording of their length, and have had the time to get it. */
export function due(tx: Tx, now: Date): Promise<DueRecording[]> {
  return tx.rows(listDue, [now]);
}

const settleRecordings = changingAndReading(
  "settle-recordings",
  `with it as (select * from unnest($2::uuid[], $3::text[]) as it (id, problem)),
   looked_at as (
     update calls call set recording_due_at = null from it
     where call.tenant_id = $1 and call.id = it.id and call.recording_due_at is not null and ${anyOf("it.id")}
     returning call.id, call.phone, it.problem),
   -- A person who was erased meanwhile has no recording any more.
   alarm as (
     insert into recording_alarms (tenant_id, call_id, problem, found_at)
     select $1, id, problem, $4 from looked_at where problem is not null and phone like '+%'
     on conflict do nothing
     returning call_id)
   select call_id from alarm`,
);

/** Removes calls that have been checked, and records what is wrong with them. Returns the ones newly found wrong: each is reported once. */
export async function settle(
  tx: Tx,
  tenantId: Uuid,
  them: readonly { callId: Uuid; problem: RecordingProblem | undefined }[],
  now: Date,
): Promise<Uuid[]> {
  const values = [
    tenantId,
    them.map((recording) => recording.callId),
    them.map((recording) => recording.problem ?? null),
    now,
  ];
  return (await tx.rows<{ call_id: Uuid }>(settleRecordings, values)).map((row) => row.call_id);
}

const withdrawAlarm = changing(
  "withdraw-recording-alarm",
  "delete from recording_alarms where tenant_id = $1 and call_id = $2",
);

/** A recording of the call's length was found after all. */
export async function withdraw(tx: Tx, tenantId: Uuid, callId: Uuid): Promise<void> {
  await tx.run(withdrawAlarm, [tenantId, callId]);
}

const countAlarms = crossTenant(
  "count-recording-alarms",
  "select problem, count(*)::int as n from recording_alarms group by problem",
);

/** How many calls of all tenants have each problem. */
export async function alarms(tx: Tx): Promise<Partial<Record<RecordingProblem, number>>> {
  const rows = await tx.rows<{ problem: RecordingProblem; n: number }>(countAlarms, []);
  return Object.fromEntries(rows.map(({ problem, n }) => [problem, n]));
}
