import type { Uuid } from "#domain/values/id.ts";
import { CONTACT_NAME } from "#store/contacts/full-name.ts";
import { statement, type Tx } from "#store/database/db.ts";
import type { PageWanted } from "./calls.ts";
import { type CallSearch, digitsWanted, startsWanted } from "./search.ts";

/** A single call that has no row of its own (yet): it waits, or was never placed. */
export type SingleDial = {
  call_id: Uuid;
  organization_id: Uuid;
  user_id: Uuid;
  contact_id: Uuid | null;
  contact_name: string | null;
  agent_name: string | null;
  carrier: string;
  agent_id: Uuid;
  agent_version: number;
  number: string;
  phone: string;
  state: "scheduled" | "held" | "dialing" | "done" | "suppressed" | "expired" | "cancelled" | "unknown";
  /** A number where it waits without end: PostgreSQL's infinity. */
  due_at: Date | number | null;
  rule: string | null;
  reason: string | null;
  created_at: Date;
};

const selecting = (which: string): string =>
  `select dial.call_id, agent.organization_id, coalesce(dial.user_id, agent.user_id) as user_id, dial.contact_id, lane.carrier,
     (select ${CONTACT_NAME} from contacts contact
      where contact.tenant_id = $1 and contact.id = dial.contact_id) as contact_name,
     (select version.config->>'agent_name' from agent_versions version
      where version.tenant_id = $1 and version.agent_id = dial.agent_id and version.version = dial.agent_version) as agent_name,
     dial.agent_id, dial.agent_version, dial.number, dial.phone, dial.state, dial.due_at, dial.rule, dial.reason, dial.created_at
   from dials dial
   join agents agent on agent.tenant_id = $1 and agent.id = dial.agent_id
   join dial_lanes lane on lane.tenant_id = $1 and lane.id = dial.lane_id
   where dial.tenant_id = $1 and dial.purpose = 'single' and ${which}`;

const findDial = statement("find-single-dial", selecting("dial.call_id = $2"));

/** By the id that the caller was given. */
export function ofCall(tx: Tx, tenantId: Uuid, callId: Uuid): Promise<SingleDial | undefined> {
  return tx.first<SingleDial>(findDial, [tenantId, callId]);
}

const WAITING = "'scheduled', 'held'";
const NEVER_PLACED = "'suppressed', 'expired', 'cancelled'";

// The states are those of the index dials_undialed. As what a call without a row counts is said by operations/calls/read-calls.ts.
const undialed = statement(
  "list-undialed-single-calls",
  `${selecting(`dial.state in (${WAITING}, ${NEVER_PLACED}) and dial.call_id is not null
     and agent.organization_id = $2 and dial.created_at < $3 and dial.created_at >= $4
     and ($5::uuid is null or coalesce(dial.user_id, agent.user_id) = $5) and ($6::uuid is null or dial.agent_id = $6)
     and ($7::text is null or dial.phone = $7) and ($8::text is null or dial.phone like $8)
     and ($9::text is null or dial.number = $9)
     and ($10::text is null or $10 = case when dial.state in (${WAITING}) then 'registered' else 'not_connected' end)
     and ($11::text is null or ($11 = 'failed' and dial.state in (${NEVER_PLACED})))`)}
   order by dial.created_at desc limit $12`,
);

/** An organization's single calls that have no row, of those that a search is for, newest first, one more than a page. */
export async function find(
  tx: Tx,
  tenantId: Uuid,
  organizationId: Uuid,
  search: CallSearch & PageWanted,
): Promise<SingleDial[]> {
  const { sentiment, campaignId } = search;
  if (campaignId !== undefined || (sentiment !== undefined && sentiment !== "Unknown")) return [];
  return tx.rows<SingleDial>(undialed, [
    tenantId,
    organizationId,
    ...startsWanted(search),
    search.userId ?? null,
    search.agentId ?? null,
    search.phone ?? null,
    digitsWanted(search),
    search.number ?? null,
    search.status ?? null,
    search.outcome ?? null,
    search.limit + 1,
  ]);
}
