import { UNSENT_RECIPIENT_STATES } from "#domain/messaging/message.ts";
import type { Others } from "#domain/sending/forecast.ts";
import type { Uuid } from "#domain/values/id.ts";
import { statement, type Tx } from "#store/database/db.ts";

const unsentTexts = statement(
  "sum-unsent-texts-of-running-campaigns",
  `select campaign.id, campaign.carrier, campaign.sender, sum(count.n)::int as n
   from campaigns campaign
   join campaign_counts count on count.tenant_id = $1 and count.campaign_id = campaign.id and count.state = any($2::text[])
   where campaign.tenant_id = $1 and campaign.channel = 'sms' and campaign.status in ('processing', 'active')
     and (campaign.begin_at is null or campaign.begin_at <= $3)
   group by campaign.id, campaign.carrier, campaign.sender having sum(count.n) > 0`,
);

/** Of all campaigns of texts that run, as far as the asker sees them; `now` in the tenant's time. */
export type Unsent = { id: Uuid; carrier: string; sender: string; n: number }[];

export function unsent(tx: Tx, tenantId: Uuid, now: Date): Promise<Unsent> {
  return tx.rows<Unsent[number]>(unsentTexts, [tenantId, UNSENT_RECIPIENT_STATES, now]);
}

/** What the others have to send, for a campaign, or one that is to come (NO_ID). */
export function othersOf(them: Unsent, campaign: { id: Uuid; carrier: string; sender: string }): Others {
  const others = them.filter(({ id }) => id !== campaign.id);
  const isSame = ({ carrier, sender }: Unsent[number]) => carrier === campaign.carrier && sender === campaign.sender;
  const [sameSender, elsewhere] = [others.filter(isSame), others.filter((one) => !isSame(one))];
  return { sameSender: sameSender.map(({ n }) => n), elsewhere: elsewhere.map(({ n }) => n) };
}
