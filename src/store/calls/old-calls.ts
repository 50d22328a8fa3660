import { NO_ID, type Uuid } from "#domain/values/id.ts";
import { changing, changingAndReading, statement, type Tx } from "#store/database/db.ts";

// Calls whose time is over, oldest first. What is to be kept of them is kept by the statements that remove: the figures of their campaign, and the dial, which
// says that the contact was called. Locked in the order in which an erasure locks them.

const CALLS_AT_ONCE = 2_000;

/** Nothing of the call goes on, is still to be found out, or may yet be missing. */
const OVER = `call.status in ('ended', 'not_connected', 'error') and (call.analysed_at is not null or call.status = 'not_connected')
     and call.recording_due_at is null`;

const pageOfCalls = statement(
  "page-old-calls",
  `select call.id, call.campaign_id, call.dial_id, to_char(call.start_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS') as place,
     ${OVER} and (call.campaign_id = '${NO_ID}' or exists (
       select from campaigns campaign where campaign.tenant_id = $1 and campaign.id = call.campaign_id and campaign.status in ('completed', 'deleted')))
     and not exists (
       select from dials dial where dial.tenant_id = $1 and dial.campaign_id = call.campaign_id and dial.thread_id = call.thread_id
         and (dial.due_at is not null or dial.state in ('scheduled', 'held', 'dialing', 'unknown')))
     and not exists (
       select from dials dial where dial.tenant_id = $1 and dial.campaign_id = call.campaign_id and dial.id = call.dial_id
         and (dial.due_at is not null or dial.state in ('scheduled', 'held', 'dialing', 'unknown')))
     and not exists (
       select from attempts attempt where attempt.tenant_id = $1 and attempt.message_id = call.dial_id
         and attempt.state in ('in_flight', 'uncertain', 'held')) as is_over
   from calls call
   where call.tenant_id = $1 and (call.start_at at time zone 'UTC') > $2::timestamp
     and (call.start_at at time zone 'UTC') < ($3::timestamptz at time zone 'UTC')
   order by (call.start_at at time zone 'UTC') limit ${CALLS_AT_ONCE}`,
);

export type OldCall = { id: Uuid; campaign_id: Uuid; dial_id: Uuid | null };

/** The next calls from before a time, after a place of the walk, that can go; `place` is undefined after the last. */
export async function page(
  tx: Tx,
  tenantId: Uuid,
  after: string,
  before: Date,
): Promise<{ calls: OldCall[]; place: string | undefined }> {
  const rows = await tx.rows<OldCall & { place: string; is_over: boolean }>(pageOfCalls, [tenantId, after, before]);
  return {
    calls: rows.filter((row) => row.is_over),
    place: rows.length === CALLS_AT_ONCE ? rows.at(-1)!.place : undefined,
  };
}

const forgetDials = changing(
  "forget-calls-of-dials",
  `with theirs as (
     select dial.campaign_id, dial.id from unnest($2::uuid[], $3::uuid[]) as it (campaign_id, id)
     cross join lateral (
       select campaign_id, id from dials where tenant_id = $1 and campaign_id = it.campaign_id and id = it.id for update) as dial)
   update dials dial set call_id = null, objective = null from theirs
   where dial.tenant_id = $1 and dial.campaign_id = theirs.campaign_id and dial.id = theirs.id
   returning dial.id, dial.phone`,
);

const holdCalls = statement(
  "hold-old-calls",
  "select from calls where tenant_id = $1 and id = any($2::uuid[]) order by id for update",
);

const recordingsOf = statement(
  "list-recordings-of-old-calls",
  "select recording from call_details where tenant_id = $1 and call_id = any($2::uuid[]) and recording is not null",
);

/** Parts the dials of calls, which stay, from them, and returns these. */
export function partDials(tx: Tx, tenantId: Uuid, calls: readonly OldCall[]): Promise<{ id: Uuid; phone: string }[]> {
  const dialled = calls.filter((call) => call.dial_id !== null);
  const sorted = dialled.toSorted((a, b) => (a.dial_id! < b.dial_id! ? -1 : 1));
  return tx.rows(forgetDials, [tenantId, sorted.map((call) => call.campaign_id), sorted.map((call) => call.dial_id)]);
}

// The figures as campaigns/analytics.ts has them. Details, alarms and what operators said in a call go with it.
const removeCalls = changingAndReading(
  "remove-old-calls",
  `with spent as materialized (
     select call.id, (detail.cost ->> 'total')::numeric as dollars from calls call
     join call_details detail on detail.tenant_id = $1 and detail.call_id = call.id
     where call.tenant_id = $1 and call.id = any($2::uuid[])),
   gone as (
     delete from calls where tenant_id = $1 and id = any($2::uuid[])
     returning id, campaign_id, start_at, sentiment, reason, in_voicemail, successful, duration_ms),
   kept as (
     insert into removed_calls (tenant_id, campaign_id, hour, sentiment, reason, calls, voicemail, failed, successful, duration_ms,
       durations, dollars)
     select $1, gone.campaign_id, date_trunc('hour', gone.start_at, 'UTC') as hour, gone.sentiment, coalesce(gone.reason, '') as reason,
       count(*)::int, count(*) filter (where gone.in_voicemail)::int,
       count(*) filter (where gone.duration_ms = 0 and not gone.in_voicemail)::int, count(*) filter (where gone.successful)::int,
       sum(gone.duration_ms), coalesce(array_agg(gone.duration_ms) filter (where gone.duration_ms > 0 and not gone.in_voicemail), '{}'),
       coalesce(sum(spent.dollars), 0)
     from gone left join spent on spent.id = gone.id
     where gone.campaign_id <> '${NO_ID}'
     group by gone.campaign_id, hour, gone.sentiment, coalesce(gone.reason, '') order by 2, 3, 4, 5
     on conflict (tenant_id, campaign_id, hour, sentiment, reason) do update set calls = removed_calls.calls + excluded.calls,
       voicemail = removed_calls.voicemail + excluded.voicemail, failed = removed_calls.failed + excluded.failed,
       successful = removed_calls.successful + excluded.successful, duration_ms = removed_calls.duration_ms + excluded.duration_ms,
       durations = removed_calls.durations || excluded.durations, dollars = removed_calls.dollars + excluded.dollars)
   select count(*)::int as n from gone`,
);

/** Removes calls with all that was found out of them: how many there were, and the names of their recordings, whose files are still to be removed. */
export async function remove(
  tx: Tx,
  tenantId: Uuid,
  ids: readonly Uuid[],
): Promise<{ calls: number; recordings: string[] }> {
  await tx.run(holdCalls, [tenantId, ids]);
  const recordings = await tx.rows<{ recording: string }>(recordingsOf, [tenantId, ids]);
  const { n } = (await tx.first<{ n: number }>(removeCalls, [tenantId, ids]))!;
  return { calls: n, recordings: recordings.map(({ recording }) => recording) };
}

/** Few: each is a file. */
const RECORDINGS_AT_ONCE = 500;

// By id, whose order is that of time; only those that have one are in the index.
const pageOfRecordings = statement(
  "page-old-recordings",
  `select call.id, call.start_at < $3 as is_old, ${OVER} as is_over
   from (
     select call_id from call_details where tenant_id = $1 and recording is not null and call_id > $2 order by call_id
     limit ${RECORDINGS_AT_ONCE}) as recorded
   join calls call on call.tenant_id = $1 and call.id = recorded.call_id
   order by call.id`,
);

/** The next calls whose recordings can go; `last` is undefined after the last from before the time. */
export async function recorded(
  tx: Tx,
  tenantId: Uuid,
  after: Uuid,
  before: Date,
): Promise<{ calls: Uuid[]; last: Uuid | undefined }> {
  const rows = await tx.rows<{ id: Uuid; is_old: boolean; is_over: boolean }>(pageOfRecordings, [
    tenantId,
    after,
    before,
  ]);
  return {
    calls: rows.filter((row) => row.is_old && row.is_over).map(({ id }) => id),
    last: rows.length === RECORDINGS_AT_ONCE && rows.at(-1)!.is_old ? rows.at(-1)!.id : undefined,
  };
}

const removeRecordings = changing(
  "remove-old-recordings",
  `with theirs as (
     select call_id, recording from call_details where tenant_id = $1 and call_id = any($2::uuid[]) and recording is not null
     order by call_id for update)
   update call_details detail set recording = null, recording_bytes = null, recording_removed_at = $3
   from theirs where detail.tenant_id = $1 and detail.call_id = theirs.call_id
   returning theirs.recording`,
);

/** Takes the recordings off calls, which stay: their names, whose files are still to be removed. */
export async function removeRecordingsOf(tx: Tx, tenantId: Uuid, calls: readonly Uuid[], now: Date): Promise<string[]> {
  await tx.run(holdCalls, [tenantId, calls]);
  const rows = await tx.rows<{ recording: string }>(removeRecordings, [tenantId, calls, now]);
  return rows.map(({ recording }) => recording);
}
