import type { LeadFields } from "#domain/contacts/lead.ts";
import type { MessagePurpose, MessageState, RecipientState } from "#domain/messaging/message.ts";
import { NO_ID, type Uuid } from "#domain/values/id.ts";
import { anyOf, changingAndReading, statement, type Tx } from "#store/database/db.ts";
import type { PhoneConsent } from "./gate-facts.ts";

// The claim's statements, in the order in which they must run: candidates unlocked (due-texts.ts), their campaigns locked for share and their
// consents against all others, then the messages. It holds the lane, for which others wait last of all, so it waits for none of them: what another
// transaction has locked is passed over, and tried again soon.

export type Candidate = { id: Uuid; campaign_id: Uuid; phone: string };

export type ClaimCampaign = {
  id: Uuid;
  campaign_id: string;
  organization_id: Uuid;
  organization_name: string;
  /** Of the organization. */
  archived_at: Date | null;
  channel: "sms" | "voice";
  status: string;
  settings: Record<string, unknown>;
  begin_at: Date | null;
  end_at: Date | null;
  agent_id: Uuid;
  agent_version: number;
  config: Record<string, unknown>;
};

const claimCampaigns = statement(
  "claim-campaigns",
  `select campaign.id, campaign.campaign_id, campaign.organization_id, organization.name as organization_name,
     organization.archived_at, campaign.channel, campaign.status, campaign.settings, campaign.begin_at, campaign.end_at, campaign.agent_id, campaign.agent_version, version.config
   from campaigns campaign
   join organizations organization on organization.tenant_id = $1 and organization.id = campaign.organization_id
   join agent_versions version on version.tenant_id = $1 and version.agent_id = campaign.agent_id
     and version.version = campaign.agent_version
   where campaign.tenant_id = $1 and campaign.id = any($2::uuid[])
   for share of campaign, organization skip locked`,
);

/**
 * The candidates' campaigns and their organizations, held as they are: a pause, or archiving, waits for this claim's commit, and then holds. A campaign that somebody else holds
 * is left out, and its candidates with it: whoever changes it may want the lane.
 */
export async function hold<T extends Candidate>(
  tx: Tx,
  tenantId: Uuid,
  due: readonly T[],
): Promise<{ campaigns: ReadonlyMap<Uuid, ClaimCampaign>; candidates: T[] }> {
  const ids = [...new Set(due.map((message) => message.campaign_id))].filter((id) => id !== NO_ID);
  const campaigns = new Map(
    (await tx.rows<ClaimCampaign>(claimCampaigns, [tenantId, ids])).map((campaign) => [campaign.id, campaign]),
  );
  const candidates = due.filter((message) => message.campaign_id === NO_ID || campaigns.has(message.campaign_id));
  return { campaigns, candidates };
}

export type ClaimConsent = PhoneConsent & { busy: boolean };

const holdConsents = statement(
  "claim-consents",
  `with held as (
     select phone, opted_out_at, doubted_at, bases, deactivated_at from consents where tenant_id = $1 and phone = any($2::text[]) order by phone
     for no key update skip locked)
   select phone, opted_out_at, doubted_at, bases, deactivated_at, false as busy from held
   union all
   select phone, null, null, null, null, true from consents
   where tenant_id = $1 and phone = any($2::text[]) and phone not in (select phone from held)`,
);

/**
 * The candidates' consents, held as they are: an opt-out waits for this claim's commit. The claim does not wait for an
 * opt-out: that one may itself be waiting for texts on their way, or for the lane, which the claim holds. Its phone is
 * `busy`, and nothing may be decided about it now. Nor while another lane's claim has the phone: a shared lock would let
 * both count the same attempts, and both add the last that is allowed.
 */
export function consents(tx: Tx, tenantId: Uuid, phones: readonly string[]): Promise<ClaimConsent[]> {
  return tx.rows(holdConsents, [tenantId, phones]);
}

export type Claimed = {
  id: Uuid;
  campaign_id: Uuid;
  thread_id: Uuid | null;
  phone: string;
  kind: MessagePurpose;
  step: number;
  state: MessageState;
  rule: string | null;
  text: string | null;
  media_urls: string[] | null;
  created_at: Date;
  first_sent_at: Date | null;
  last_inbound_at: Date | null;
  do_not_message: boolean | null;
  recipient_state: RecipientState | null;
  fields: LeadFields | null;
};

// Until PostgreSQL has statistics of a first campaign it takes any index for any other: one that begins like the right
// one, and a scan of everything due. So both indices of a thread are given all their columns, and due_at is hidden.
const lockMessages = statement(
  "claim-messages",
  `select message.id, message.campaign_id, message.thread_id, message.phone, message.kind, message.step, message.state,
     message.rule, message.text, message.media_urls, message.created_at, thread.first_sent_at, thread.last_inbound_at, thread.do_not_message, thread.state as recipient_state, contact.fields
   from unnest($2::uuid[], $3::uuid[]) as candidate (campaign_id, id)
   join messages message on message.tenant_id = $1 and message.campaign_id = candidate.campaign_id and message.id = candidate.id
   left join threads thread on thread.tenant_id = $1 and thread.campaign_id = message.campaign_id and thread.id = message.thread_id
     and thread.phone = message.phone
   left join contacts contact on contact.tenant_id = $1 and contact.id = thread.contact_id
   where coalesce(message.due_at <= $4, false) and ${anyOf("candidate.id")}
   order by message.due_at, message.id
   for update of message skip locked`,
);

/** Locks what is still due of the candidates, with what the gate and the template need to know. */
export function lock(tx: Tx, tenantId: Uuid, them: readonly Candidate[], now: Date): Promise<Claimed[]> {
  return tx.rows<Claimed>(lockMessages, [
    tenantId,
    them.map((message) => message.campaign_id),
    them.map((message) => message.id),
    now,
  ]);
}

export type Sending = {
  message: Claimed;
  ref: Uuid;
  text: string;
  segments: number;
  /** Addresses of pictures that go along, and no others: a first text that is tried again has those that its campaign has now. */
  mediaUrls: readonly string[] | null;
  /** Counts as an attempt at the contact. */
  outreach: boolean;
  /** What the decision rested on. */
  basedOn: string;
};

const START_ATTEMPTS = `with claim as (
     select * from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::smallint[], $7::uuid[], $13::boolean[], $14::text[], $15::text[])
       as claim (campaign_id, id, phone, text, segments, ref, outreach, based_on, media_urls)
     where ${anyOf("id")}),
   sending as (
     update messages message set state = 'sending', due_at = null, text = claim.text, segments = claim.segments,
       media_urls = string_to_array(claim.media_urls, ' '), rule = null,
       reason = null, updated_at = $8
     from claim where message.tenant_id = $1 and message.campaign_id = claim.campaign_id and message.id = claim.id)
   insert into attempts (tenant_id, ref, campaign_id, message_id, phone, state, node_id, carrier, sender, at, check_at, outreach, based_on, unmarked)
   select $1, ref, campaign_id, id, phone, 'in_flight', $9, $10, $11, $8, $12, outreach, based_on, $16 from claim`;

// Over several servers what is selected comes one by one only where something is returned.
const startAttempts = changingAndReading("claim-start-attempts", START_ATTEMPTS, `${START_ATTEMPTS} returning ref`);

/**
 * Writes that the locked messages are on their way, and their attempts: from the commit on they may be sent, once; where the carrier `marks`, once each is
 * marked (messaging/marks.ts).
 */
export async function start(
  tx: Tx,
  tenantId: Uuid,
  them: readonly Sending[],
  claim: { now: Date; nodeId: Uuid; carrier: string; sender: string; checkAt: Date; marks: boolean },
): Promise<void> {
  if (them.length === 0) return;
  await tx.run(startAttempts, [
    tenantId,
    them.map(({ message }) => message.campaign_id),
    them.map(({ message }) => message.id),
    them.map(({ message }) => message.phone),
    them.map(({ text }) => text),
    them.map(({ segments }) => segments),
    them.map(({ ref }) => ref),
    claim.now,
    claim.nodeId,
    claim.carrier,
    claim.sender,
    claim.checkAt,
    them.map(({ outreach }) => outreach),
    them.map(({ basedOn }) => basedOn),
    // No address has a space in it (domain/messaging/media.ts).
    them.map(({ mediaUrls }) => mediaUrls?.join(" ") ?? null),
    claim.marks || null,
  ]);
}

/** A candidate that a claim has locked and does not send now: put off (`dueAt`), or refused for good. */
export type Refused<T> = {
  claimed: T;
  state: "held" | "scheduled" | "suppressed" | "expired";
  /** "infinity" until something wakes it; null when it is over. */
  dueAt: Date | "infinity" | null;
  rule: string;
  reason: string;
  /** A hold of the gate's that is worth keeping: until when, null without an end. */
  hold?: { until: Date | null };
};
