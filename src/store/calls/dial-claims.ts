import type { CallPurpose } from "#domain/calls/call.ts";
import type { LeadFields } from "#domain/contacts/lead.ts";
import type { RecipientState } from "#domain/messaging/message.ts";
import type { Uuid } from "#domain/values/id.ts";
import { anyOf, changingAndReading, statement, type Tx } from "#store/database/db.ts";

// The claim of calls, statement by statement in the order in which they must run, as sending/claims.ts has it for texts: candidates unlocked,
// campaigns and consents (sending/claims.ts), then the dials.

export type DueDial = { id: Uuid; campaign_id: Uuid; phone: string };

/** Calls that somebody waits for. */
const ASKED = "purpose in ('callback', 'transfer', 'single')";

const dueDials = statement(
  "list-due-dials",
  `(select id, campaign_id, phone from dials
    where tenant_id = $1 and lane_id = $2 and due_at <= $3 and ${ASKED}
    order by due_at, id limit $4)
   union all
   (select id, campaign_id, phone from dials
    where tenant_id = $1 and lane_id = $2 and due_at <= $3 and purpose in ('call', 'redial') and not $5::boolean
    order by due_at, id limit $4)`,
);

/**
 * The dials that are due on a lane, not locked: calls that somebody waits for first, then outreach by its time, unless only those are wanted. At
 * most `limit`.
 */
export async function due(
  tx: Tx,
  tenantId: Uuid,
  laneId: Uuid,
  now: Date,
  { limit, onlyAsked }: { limit: number; onlyAsked: boolean },
): Promise<DueDial[]> {
  return (await tx.rows<DueDial>(dueDials, [tenantId, laneId, now, limit, onlyAsked])).slice(0, limit);
}

const nextDue = statement(
  "next-due-of-dial-lane",
  `select min(due_at) as at from dials where tenant_id = $1 and lane_id = $2 and due_at < 'infinity'`,
);

const nextAskedDue = statement(
  "next-asked-due-of-dial-lane",
  `select min(due_at) as at from dials where tenant_id = $1 and lane_id = $2 and due_at < 'infinity' and ${ASKED}`,
);

/** When the lane next has a call to place, or one that somebody waits for; or null. */
export async function nextDueAt(
  tx: Tx,
  tenantId: Uuid,
  laneId: Uuid,
  { onlyAsked }: { onlyAsked: boolean },
): Promise<Date | null> {
  return (await tx.first<{ at: Date | null }>(onlyAsked ? nextAskedDue : nextDue, [tenantId, laneId]))!.at;
}

const openCalls = statement(
  "count-open-calls-of-lane",
  `select count(*)::int as n from calls
   where tenant_id = $1 and campaign_id = $2 and direction = 'outbound' and carrier = $3 and status in ('registered', 'ongoing')`,
);

/** Calls of a campaign (NO_ID: single ones) that are going on over a carrier: live rows, since a counter would drift. */
export async function openOf(tx: Tx, tenantId: Uuid, campaignId: Uuid, carrier: string): Promise<number> {
  return (await tx.first<{ n: number }>(openCalls, [tenantId, campaignId, carrier]))!.n;
}

const engagedPhones = statement(
  "list-engaged-phones",
  `select distinct phone from calls where tenant_id = $1 and phone = any($2::text[]) and status in ('registered', 'ongoing')`,
);

/** Those of these phones with an ongoing call, for whatever purpose. */
export async function engaged(tx: Tx, tenantId: Uuid, phones: readonly string[]): Promise<Set<string>> {
  return new Set((await tx.rows<{ phone: string }>(engagedPhones, [tenantId, phones])).map(({ phone }) => phone));
}

export type ClaimedDial = {
  id: Uuid;
  campaign_id: Uuid;
  thread_id: Uuid | null;
  phone: string;
  contact_id: Uuid | null;
  number: string | null;
  agent_id: Uuid;
  agent_version: number;
  purpose: CallPurpose;
  n: number;
  rule: string | null;
  call_id: Uuid | null;
  last_inbound_at: Date | null;
  do_not_message: boolean | null;
  /** Of its thread's contact in the campaign; null without a thread. */
  recipient_state: RecipientState | null;
  fields: LeadFields | null;
  objective: string | null;
  organization_id: Uuid;
  /** Of the organization. */
  archived_at: Date | null;
  user_id: Uuid;
};

const lockDials = statement(
  "claim-dials",
  `select dial.id, dial.campaign_id, dial.thread_id, dial.phone, dial.contact_id, dial.number, dial.agent_id, dial.agent_version,
     dial.purpose, dial.n, dial.rule, dial.call_id, thread.last_inbound_at, thread.do_not_message,
     thread.state as recipient_state, contact.fields, dial.objective, agent.organization_id, organization.archived_at, coalesce(dial.user_id, agent.user_id) as user_id
   from unnest($2::uuid[], $3::uuid[]) as candidate (campaign_id, id)
   join dials dial on dial.tenant_id = $1 and dial.campaign_id = candidate.campaign_id and dial.id = candidate.id
   join agents agent on agent.tenant_id = $1 and agent.id = dial.agent_id
   join organizations organization on organization.tenant_id = $1 and organization.id = agent.organization_id
   left join threads thread on thread.tenant_id = $1 and thread.campaign_id = dial.campaign_id and thread.id = dial.thread_id
     and thread.phone = dial.phone
   left join contacts contact on contact.tenant_id = $1 and contact.id = dial.contact_id
   where coalesce(dial.due_at <= $4, false) and ${anyOf("candidate.id")}
   order by dial.due_at, dial.id
   for update of dial skip locked for share of organization skip locked`,
);

/** Locks what is still due of the candidates, with what the gate needs to know. */
export function lock(tx: Tx, tenantId: Uuid, them: readonly DueDial[], now: Date): Promise<ClaimedDial[]> {
  return tx.rows<ClaimedDial>(lockDials, [
    tenantId,
    them.map((dial) => dial.campaign_id),
    them.map((dial) => dial.id),
    now,
  ]);
}

export type PlacedDial = {
  dial: ClaimedDial;
  ref: Uuid;
  callId: Uuid;
  /** Our number. */
  number: string;
  outreach: boolean;
  basedOn: string;
  startAt: Date;
};

const startCalls = changingAndReading(
  "claim-start-calls",
  `with claim as (
     select * from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::uuid[], $7::uuid[], $8::text[], $9::uuid[], $10::int[],
         $11::text[], $12::text[], $13::uuid[], $14::uuid[], $15::boolean[], $16::text[], $17::timestamptz[])
       as claim (campaign_id, id, thread_id, contact_id, organization_id, user_id, phone, agent_id, agent_version, purpose, number, ref,
         call_id, outreach, based_on, start_at)
     where ${anyOf("id")}),
   dialing as (
     update dials dial set state = 'dialing', due_at = null, call_id = claim.call_id, rule = null, reason = null, updated_at = $18
     from claim where dial.tenant_id = $1 and dial.campaign_id = claim.campaign_id and dial.id = claim.id),
   attempt as (
     insert into attempts (tenant_id, ref, campaign_id, message_id, phone, state, node_id, carrier, sender, at, check_at, outreach,
       based_on, channel)
     select $1, ref, campaign_id, id, phone, 'in_flight', $19, $20, number, $18, $21, outreach, based_on, 'voice' from claim
     returning ref)
   insert into calls (tenant_id, id, organization_id, user_id, campaign_id, thread_id, dial_id, contact_id, direction, purpose, carrier,
     agent_id, agent_version, number, phone, status, start_at, dialed_at, node_id, created_at)
   select $1, call_id, organization_id, user_id, campaign_id, thread_id, id, contact_id, 'outbound', purpose, $20, agent_id,
     agent_version, number, phone, 'registered', start_at, $18, $19, $18
   from claim
   returning id`,
);

/** Marks locked dials as being placed, and writes their attempts and calls: from the commit on each may be dialled, once. */
export async function start(
  tx: Tx,
  tenantId: Uuid,
  them: readonly PlacedDial[],
  claim: { now: Date; nodeId: Uuid; carrier: string; checkAt: Date },
): Promise<void> {
  if (them.length === 0) return;
  await tx.run(startCalls, [
    tenantId,
    them.map(({ dial }) => dial.campaign_id),
    them.map(({ dial }) => dial.id),
    them.map(({ dial }) => dial.thread_id),
    them.map(({ dial }) => dial.contact_id),
    them.map(({ dial }) => dial.organization_id),
    them.map(({ dial }) => dial.user_id),
    them.map(({ dial }) => dial.phone),
    them.map(({ dial }) => dial.agent_id),
    them.map(({ dial }) => dial.agent_version),
    them.map(({ dial }) => dial.purpose),
    them.map(({ number }) => number),
    them.map(({ ref }) => ref),
    them.map(({ callId }) => callId),
    them.map(({ outreach }) => outreach),
    them.map(({ basedOn }) => basedOn),
    them.map(({ startAt }) => startAt),
    claim.now,
    claim.nodeId,
    claim.carrier,
    claim.checkAt,
  ]);
}

const openByCampaigns = statement(
  "count-open-calls-by-campaign",
  `select campaign_id, count(*)::int as n from calls
   where tenant_id = $1 and campaign_id = any($2::uuid[]) and status in ('registered', 'ongoing') group by campaign_id`,
);

/** How many calls of each campaign are going on. */
export async function openByCampaign(tx: Tx, tenantId: Uuid, ids: readonly Uuid[]): Promise<Map<Uuid, number>> {
  const rows = await tx.rows<{ campaign_id: Uuid; n: number }>(openByCampaigns, [tenantId, ids]);
  return new Map(rows.map((row) => [row.campaign_id, row.n]));
}
