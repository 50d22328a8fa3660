import type { Recording } from "#domain/calls/report.ts";
import type { Uuid } from "#domain/values/id.ts";
import { changingAndReading, crossTenant, type Tx } from "#store/database/db.ts";

// By the index of open calls: they are few, whatever the number of calls.
const openCalls = crossTenant(
  "list-open-calls-of-recordings",
  "select id from calls where status in ('registered', 'ongoing') and id = any($1::uuid[])",
);

/** The open ones of these calls. */
export async function openAmong(tx: Tx, callIds: readonly Uuid[]): Promise<Set<Uuid>> {
  return new Set((await tx.rows<{ id: Uuid }>(openCalls, [callIds])).map(({ id }) => id));
}

const findCall = crossTenant(
  "find-call-of-recording",
  `select call.tenant_id, call.status in ('registered', 'ongoing') as is_open, detail.recording is not null as has_recording,
     call.duration_ms
   from calls call left join call_details detail on detail.tenant_id = call.tenant_id and detail.call_id = call.id
   -- Of a person who was erased nothing is kept, nor what was removed since its time was over.
   where call.id = $1 and call.phone like '+%' and detail.recording_removed_at is null`,
);

/** The call of a recording that was left behind, by its id alone; undefined when there is none (any more), or its contact was erased. */
export function callOf(
  tx: Tx,
  callId: Uuid,
): Promise<{ tenant_id: Uuid; is_open: boolean; has_recording: boolean; duration_ms: number } | undefined> {
  return tx.first(findCall, [callId]);
}

const linkRecording = changingAndReading(
  "link-left-recording",
  `with theirs as (
     -- Locked as an erasure locks it, before its details: one that goes on is over by then, or waits for this.
     select id from calls where tenant_id = $1 and id = $2 and phone like '+%' for update)
   insert into call_details (tenant_id, call_id, recording, recording_bytes, recording_ms)
   select $1, id, $3, $4, $5 from theirs
   on conflict (tenant_id, call_id) do update set recording = excluded.recording, recording_bytes = excluded.recording_bytes,
     recording_ms = excluded.recording_ms
   where call_details.recording is null and call_details.recording_removed_at is null`,
);

/** False when the call is gone or its contact was erased, or when it has a recording. */
export async function link(tx: Tx, tenantId: Uuid, callId: Uuid, recording: Recording): Promise<boolean> {
  return (await tx.run(linkRecording, [tenantId, callId, recording.name, recording.bytes, recording.durationMs])) === 1;
}
