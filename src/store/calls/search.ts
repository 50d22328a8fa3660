import type { CallStatus, Sentiment } from "#domain/calls/call.ts";
import type { Uuid } from "#domain/values/id.ts";
import { statement, type Tx } from "#store/database/db.ts";
import { CALL_COLUMNS, type Call, type PageWanted } from "./calls.ts";

// An organization's calls by what they are like. What is sought first has an index in the page's order; the rest is looked at row by row.

/** The filters; an undefined one does not apply. `phone` is the contact's, `number` ours. */
export type CallSearch = {
  userId: Uuid | undefined;
  campaignId: Uuid | undefined;
  agentId: Uuid | undefined;
  phone: string | undefined;
  /** A part of the contact's phone. */
  digits: string | undefined;
  number: string | undefined;
  status: CallStatus | undefined;
  outcome: "connected" | "voicemail" | "failed" | undefined;
  sentiment: Sentiment | undefined;
  /** By the start: from `begin` on, before `end`. */
  begin: Date | undefined;
  end: Date | undefined;
};

// Written so that no index of organizations is thought of where another one has far fewer rows.
const OF_THEM = "(call.organization_id = $2) is true and";

// Which of the three classes: as domain/calls/call.ts's callClass, of calls that are over.
const matching = (which: string): string =>
  `select ${CALL_COLUMNS} from calls call
   where call.tenant_id = $1 and ${which} and call.start_at < $3 and call.start_at >= $4
     and ($5::uuid is null or call.user_id = $5) and ($6::uuid is null or call.campaign_id = $6)
     and ($7::text is null or call.phone = $7) and ($8::text is null or call.number = $8)
     and ($9::text is null or call.status = $9)
     and ($10::text is null or call.status not in ('registered', 'ongoing')
       and $10 = case when call.in_voicemail then 'voicemail' when call.duration_ms > 0 then 'connected' else 'failed' end)
     and ($11::text is null or call.sentiment = $11)
     and ($13::uuid is null or call.agent_id = $13) and ($14::text is null or call.phone like $14)
   order by call.start_at desc limit $12`;

const byPhone = statement("search-calls-of-phone", matching(`${OF_THEM} call.phone = $7`));
const byCampaign = statement("search-calls-of-campaign", matching(`${OF_THEM} call.campaign_id = $6`));
const byAgent = statement("search-calls-of-agent", matching(`${OF_THEM} call.agent_id = $13`));
const byUser = statement("search-calls-of-user", matching(`${OF_THEM} call.user_id = $5`));
const byOrganization = statement("search-calls-of-organization", matching("call.organization_id = $2"));

/** Between which starts: before the first, from the second on. */
export function startsWanted({ before, begin, end }: CallSearch & PageWanted): [Date | string, Date | string] {
  const until = before && end && end < before ? end : (before ?? end);
  return [until ?? "infinity", begin ?? "-infinity"];
}

/** The pattern of a part of the contact's phone. */
export const digitsWanted = ({ digits }: CallSearch): string | null => (digits === undefined ? null : `%${digits}%`);

/** The matching calls of an organization, newest start first, one more than a page. */
export function find(tx: Tx, tenantId: Uuid, organizationId: Uuid, search: CallSearch & PageWanted): Promise<Call[]> {
  const { userId, campaignId, agentId, phone, number, status, outcome, sentiment, limit } = search;
  const narrowest = phone ? byPhone : campaignId ? byCampaign : agentId ? byAgent : userId ? byUser : byOrganization;
  return tx.rows<Call>(narrowest, [
    tenantId,
    organizationId,
    ...startsWanted(search),
    userId ?? null,
    campaignId ?? null,
    phone ?? null,
    number ?? null,
    status ?? null,
    outcome ?? null,
    sentiment ?? null,
    limit + 1,
    agentId ?? null,
    digitsWanted(search),
  ]);
}
