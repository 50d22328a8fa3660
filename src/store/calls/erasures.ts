import type { Uuid } from "#domain/values/id.ts";
import { changing, changingAndReading, statement, type Tx } from "#store/database/db.ts";

// As contacts/erasures.ts, for calls: who was called, what was said and where it was recorded. That there was a call, how long it took,
// what it cost and how it ended stays.

/**
 * The calls of contacts: their own, and those without a contact whose number no other contact has. A contact that was removed with its import counts
 * as none, and cannot be erased itself.
 */
const THEIRS = `phone = any($2::text[]) and (contact_id = any($3::uuid[]) or (phone = any($4::text[]) and (contact_id is null or exists (
  select from contacts where tenant_id = $1 and id = contact_id and phone like 'removed:%'))))`;

const eraseDials = changingAndReading(
  "erase-dials",
  `with theirs as (
     select campaign_id, id, due_at from dials where tenant_id = $1 and ${THEIRS} order by campaign_id, id for update),
   erased as (
     update dials dial set phone = 'erased:' || dial.id::text, objective = null, due_at = null, updated_at = $5,
       state = case when theirs.due_at is null then dial.state else 'suppressed' end,
       reason = case when theirs.due_at is null then dial.reason else 'contact_erased' end
     from theirs
     where dial.tenant_id = $1 and dial.campaign_id = theirs.campaign_id and dial.id = theirs.id
     returning dial.campaign_id, dial.id, dial.thread_id, theirs.due_at),
   counted as (
     insert into campaign_counts (tenant_id, campaign_id, change_id, state, n)
     select $1, campaign_id, $6, 'pending', -count(*)::int from erased where due_at is not null and thread_id is not null
     group by campaign_id
     on conflict do nothing)
   select id from erased`,
);

const eraseDialAttempts = changing(
  "erase-dial-attempts",
  `update attempts set phone = 'erased:' || message_id::text, based_on = null, text_digest = null
   where tenant_id = $1 and phone = any($2::text[]) and message_id = any($3::uuid[])`,
);

const eraseDialHolds = changing(
  "erase-dial-holds",
  "delete from holds where tenant_id = $1 and phone = any($2::text[]) and message_id = any($3::uuid[])",
);

const eraseCalls = changingAndReading(
  "erase-calls",
  `with theirs as (select id from calls where tenant_id = $1 and ${THEIRS} order by id for update)
   update calls call set phone = 'erased:' || call.id::text,
     stop_requested_at = case when call.status in ('registered', 'ongoing') then coalesce(call.stop_requested_at, $5)
       else call.stop_requested_at end,
     -- Nothing is to be found out of it any more.
     analysed_at = coalesce(call.analysed_at, $5)
   from theirs where call.tenant_id = $1 and call.id = theirs.id
   returning call.id`,
);

const eraseDetails = changingAndReading(
  "erase-call-details",
  `with theirs as (
     select call_id, recording from call_details where tenant_id = $1 and call_id = any($2::uuid[]) order by call_id for update)
   update call_details detail set transcript = '', utterances = '[]', extracted_fields = '{}', evidence = '{}', summary = null,
     recording = null, recording_bytes = null
   from theirs where detail.tenant_id = $1 and detail.call_id = theirs.call_id
   returning theirs.recording`,
);

const eraseInjections = changing(
  "erase-call-injections",
  "delete from call_injections where tenant_id = $1 and call_id = any($2::uuid[])",
);

/**
 * Erases the calls of contacts, those that wait to be placed among them, and asks for those that go on to end. `own` are the numbers of the
 * contacts that nobody else has. Answers with the recordings, which are to be removed once this is committed.
 */
export async function calls(
  tx: Tx,
  tenantId: Uuid,
  whose: { contactIds: readonly Uuid[]; phones: readonly string[]; own: readonly string[] },
  change: { at: Date; changeId: Uuid },
): Promise<string[]> {
  const key = [tenantId, whose.phones, whose.contactIds, whose.own];
  const dials = (await tx.rows<{ id: Uuid }>(eraseDials, [...key, change.at, change.changeId])).map((row) => row.id);
  await tx.run(eraseDialAttempts, [tenantId, whose.phones, dials]);
  await tx.run(eraseDialHolds, [tenantId, whose.phones, dials]);
  const ids = (await tx.rows<{ id: Uuid }>(eraseCalls, [...key, change.at])).map((row) => row.id);
  await tx.run(eraseInjections, [tenantId, ids]);
  const details = await tx.rows<{ recording: string | null }>(eraseDetails, [tenantId, ids]);
  return details.flatMap(({ recording }) => recording ?? []);
}

const lockConsent = statement(
  "lock-consent-of-call",
  "select from consents where tenant_id = $1 and phone = $2 for update",
);

const findErased = statement(
  "find-erased-call",
  "select from calls where tenant_id = $1 and id = $2 and phone not like '+%'",
);

/**
 * Whether the contact of a call has been erased since the call began, `phone` being the called number. If not, it cannot be erased until the commit:
 * an erasure locks the consent until its end.
 */
export async function isErased(tx: Tx, tenantId: Uuid, callId: Uuid, phone: string): Promise<boolean> {
  await tx.run(lockConsent, [tenantId, phone]);
  return (await tx.run(findErased, [tenantId, callId])) > 0;
}
