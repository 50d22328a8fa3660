import type { DisconnectionReason } from "#domain/calls/call.ts";
import type { Uuid } from "#domain/values/id.ts";
import { CONTACT_NAME } from "#store/contacts/full-name.ts";
import { statement, type Tx } from "#store/database/db.ts";

/** A recipient of a voice campaign that no call has reached, neither in person nor on its voicemail. `id` is its thread's. */
export type FailedNumber = {
  id: Uuid;
  phone: string;
  contact_id: Uuid;
  /** Null of a contact without. */
  contact_name: string | null;
  reason: string;
  disconnection_reason: DisconnectionReason | null;
  attempts: number;
  last_attempt_at: Date | null;
  /** Null for one that is not called again, and for one that waits without end. */
  next_attempt_at: Date | null;
};

// Recipients come in the order of dials_failed, one by one, until the page is full: of a million few are looked at.
const listFailed = statement(
  "list-failed-numbers",
  `with failed as materialized (
     select thread.id, thread.phone, thread.contact_id, thread.reason
     from (
       select distinct thread_id from dials
       where tenant_id = $1 and campaign_id = $2 and thread_id < $3 and thread_id is not null
         and (state in ('suppressed', 'expired', 'unknown')
           or (state = 'done' and reason in ('no_answer', 'busy', 'declined', 'failed')))
       order by thread_id desc) as dial
     join threads thread on thread.tenant_id = $1 and thread.campaign_id = $2 and thread.id = dial.thread_id
     where coalesce(thread.call_outcome not in ('connected', 'voicemail'), true)
     order by dial.thread_id desc limit $4)
   select failed.id, failed.phone, failed.contact_id,
     (select ${CONTACT_NAME} from contacts contact
      where contact.tenant_id = $1 and contact.id = failed.contact_id) as contact_name,
     case when last.state = 'done' then last.reason else coalesce(last.reason, last.rule, failed.reason, last.state) end as reason,
     call.reason as disconnection_reason, dialed.attempts, call.dialed_at as last_attempt_at, dialed.next_attempt_at
   from failed
   cross join lateral (
     select count(*) filter (where state in ('done', 'dialing', 'unknown'))::int as attempts,
       min(due_at) filter (where due_at < 'infinity') as next_attempt_at
     from dials where tenant_id = $1 and campaign_id = $2 and thread_id = failed.id) as dialed
   cross join lateral (
     select state, reason, rule from dials
     where tenant_id = $1 and campaign_id = $2 and thread_id = failed.id
       and state in ('done', 'suppressed', 'expired', 'unknown', 'cancelled')
     order by n desc limit 1) as last
   left join lateral (
     select call.reason, call.dialed_at from dials dial
     join calls call on call.tenant_id = $1 and call.id = dial.call_id
     where dial.tenant_id = $1 and dial.campaign_id = $2 and dial.thread_id = failed.id
     order by dial.n desc limit 1) as call on true
   order by failed.id desc`,
);

/** Newest recipient first, one more than a page. */
export function list(
  tx: Tx,
  tenantId: Uuid,
  campaignId: Uuid,
  page: { before: Uuid; limit: number },
): Promise<FailedNumber[]> {
  return tx.rows<FailedNumber>(listFailed, [tenantId, campaignId, page.before, page.limit + 1]);
}
