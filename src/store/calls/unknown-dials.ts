import type { Uuid } from "#domain/values/id.ts";
import { changing, changingAndReading, statement, type Tx } from "#store/database/db.ts";

// Dials of which nobody can say whether they were placed, and what a person has decided about them.

/** The reason of a dial that is placed again by a person's decision, and of a recipient that was given up. */
export const REDIALED = "redialed_by_operator";
export const GIVEN_UP = "given_up_by_operator";

const findLead = statement(
  "find-voice-recipient",
  `select thread.id, thread.state, thread.reason,
     (select dial.reason = '${REDIALED}' and dial.state in ('scheduled', 'held', 'dialing') from dials dial
      where dial.tenant_id = $1 and dial.campaign_id = $2 and dial.thread_id = thread.id order by dial.n desc limit 1) as is_redialed
   from contacts contact
   join threads thread on thread.tenant_id = $1 and thread.campaign_id = $2 and thread.phone = contact.phone
     and thread.contact_id = contact.id
   where contact.tenant_id = $1 and contact.id = $3`,
);

export type UnknownLead = { id: Uuid; state: string; reason: string | null; is_redialed: boolean | null };

/** A recipient of a campaign by the contact's id. */
export function recipient(tx: Tx, tenantId: Uuid, campaignId: Uuid, contactId: Uuid): Promise<UnknownLead | undefined> {
  return tx.first(findLead, [tenantId, campaignId, contactId]);
}

const placeAgain = changingAndReading(
  "redial-unknown-dial",
  `with again as (
     -- Its call keeps its record; another gets one of its own.
     update dials dial set state = 'scheduled', due_at = $4, reason = '${REDIALED}', call_id = null, updated_at = $4
     where dial.tenant_id = $1 and dial.campaign_id = $2 and dial.thread_id = $3 and dial.state = 'unknown'
     returning dial.id),
   given as (
     update attempts set state = 'not_sent', may_have_left = true, error_code = '${REDIALED}', settled_at = $4
     from again
     where attempts.tenant_id = $1 and attempts.campaign_id = $2 and attempts.message_id = again.id and attempts.state = 'held'),
   counted as (
     insert into campaign_counts (tenant_id, campaign_id, change_id, state, n)
     select $1, $2, $5, 'pending', 1 from again
     on conflict do nothing)
   select id from again`,
);

/** Lets a dial that is held for a person be placed once more, due `now`. False when the recipient has none. */
export async function redial(
  tx: Tx,
  tenantId: Uuid,
  dial: { campaignId: Uuid; threadId: Uuid; now: Date; changeId: Uuid },
): Promise<boolean> {
  const moved = await tx.rows(placeAgain, [tenantId, dial.campaignId, dial.threadId, dial.now, dial.changeId]);
  return moved.length === 1;
}

const closeDial = changing(
  "give-up-unknown-dial",
  `update dials set state = 'cancelled', reason = '${GIVEN_UP}', updated_at = $4
   where tenant_id = $1 and campaign_id = $2 and thread_id = $3 and state = 'unknown'`,
);

/** Ends a dial that is held for a person; the caller moves the recipient. False when the recipient has none. */
export async function giveUp(
  tx: Tx,
  tenantId: Uuid,
  dial: { campaignId: Uuid; threadId: Uuid; now: Date },
): Promise<boolean> {
  return (await tx.run(closeDial, [tenantId, dial.campaignId, dial.threadId, dial.now])) === 1;
}
