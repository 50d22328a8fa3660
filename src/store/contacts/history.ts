import type { Uuid } from "#domain/values/id.ts";
import { statement, type Tx } from "#store/database/db.ts";

/** One decision about one text or call to a phone. */
export type ContactDecision = {
  at: Date;
  /** The attempt's ref when it was allowed, else the message's or the dial's id. */
  id: Uuid;
  outcome: "allowed" | "held" | "blocked";
  /** A call has its dial in the place of a message. */
  message_id: Uuid;
  /** The caller's own id of the campaign; null for a text from or to a phone in no campaign. */
  campaign_id: string | null;
  /** The text's kind or the call's purpose. */
  kind: string | null;
  step: number | null;
  channel: "sms" | "voice";
  rule: string | null;
  reason: string | null;
  until: Date | null;
  /** What became of an attempt. */
  attempt: string | null;
  error_code: string | null;
  based_on: string | null;
};

// A phone has few rows in each part, all found by the phone; the page is cut after they are put in order. A message
// that was refused stays refused: its row is the decision, and so is a dial's. A STOP refuses without asking the gate, and is there
// too. Who cancels a call leaves the rule that it was held by: what counts is the reason.
const decisionsOfPhone = statement(
  "list-decisions-of-phone",
  `with decision as (
     select at, ref as id, 'allowed' as outcome, message_id, campaign_id, channel, null as rule, null as reason,
       null::timestamptz as until, state as attempt, error_code, based_on
     from attempts where tenant_id = $1 and phone = $2
     union all
     select hold.at, hold.message_id, 'held', hold.message_id, hold.campaign_id, case when dial.id is null then 'sms' else 'voice' end,
       hold.rule, null, hold.until, null, null, null
     from holds hold
     left join dials dial on dial.tenant_id = $1 and dial.campaign_id = hold.campaign_id and dial.id = hold.message_id
     where hold.tenant_id = $1 and hold.phone = $2
     union all
     select message.updated_at, message.id, 'blocked', message.id, message.campaign_id, 'sms', message.rule, message.reason,
       null, null, null, null
     from threads thread
     join messages message on message.tenant_id = $1 and message.campaign_id = thread.campaign_id
       and message.thread_id = thread.id
     where thread.tenant_id = $1 and thread.phone = $2 and message.state in ('suppressed', 'expired')
     union all
     select updated_at, id, 'blocked', id, campaign_id, 'sms', rule, reason, null, null, null, null
     from messages where tenant_id = $1 and phone = $2 and thread_id is null and state in ('suppressed', 'expired')
     union all
     select updated_at, id, 'blocked', id, campaign_id, 'voice', case when state = 'cancelled' then reason else rule end, reason, null,
       null, null, null
     from dials where tenant_id = $1 and phone = $2 and state in ('suppressed', 'expired', 'cancelled')),
   page as (
     select * from decision
     where ($3::timestamptz is null or (at, id, outcome) < ($3, $4::uuid, $5))
       and ($7::boolean or exists (select from campaigns where tenant_id = $1 and id = decision.campaign_id))
     order by at desc, id desc, outcome desc limit $6)
   select page.*, campaign.campaign_id as campaign_id, coalesce(message.kind, dial.purpose) as kind, message.step
   from page
   left join campaigns campaign on campaign.tenant_id = $1 and campaign.id = page.campaign_id
   left join messages message on message.tenant_id = $1 and message.campaign_id = page.campaign_id and message.id = page.message_id
   left join dials dial on dial.tenant_id = $1 and dial.campaign_id = page.campaign_id and dial.id = page.message_id
   order by page.at desc, page.id desc, page.outcome desc`,
);

export type HistoryPage = { after: { at: Date; id: Uuid; outcome: string } | undefined; limit: number; ofAll: boolean };

/** What was decided about texts and calls to a phone, in all that the tenant has or in the campaigns that the caller sees; newest first, one more than a page. */
export function ofPhone(tx: Tx, tenantId: Uuid, phone: string, page: HistoryPage): Promise<ContactDecision[]> {
  const { after, limit } = page;
  const values = [tenantId, phone, after?.at ?? null, after?.id ?? null, after?.outcome ?? null, limit + 1, page.ofAll];
  return tx.rows<ContactDecision>(decisionsOfPhone, values);
}
