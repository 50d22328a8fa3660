import type { RedialConfig } from "#domain/calls/redial.ts";
import type { Uuid } from "#domain/values/id.ts";
import { changing, changingAndReading, statement, type Tx } from "#store/database/db.ts";
import type { Campaign, CampaignSettings, CampaignStatus } from "./campaigns.ts";
import { readsOf } from "./channel-reads.ts";

/** A campaign of calls. Its recipients are threads, its lane has its id; of the lane's numbers of ours the sender is the default one. */
export type VoiceCampaign = Omit<Campaign, "lane_id" | "status" | "settings" | "begin_at" | "end_at"> & {
  status: Exclude<CampaignStatus, "processing" | "active">;
  settings: VoiceSettings;
  /** Never null: the answer to the creation contained them. */
  begin_at: Date;
  end_at: Date;
};

export type VoiceSettings = Pick<CampaignSettings, "objective" | "calling_window"> & {
  voice_agent_id: string;
  /** Absent: nobody is called twice. */
  redial_config?: RedialConfig;
  /** Leads of the creation without the consent on record that an AI voice needs; absent in older campaigns. */
  without_voice_consent?: number;
  /** Leads of the creation that lacked a usable phone number: the answer to a repeat contains them again. */
  invalid_leads: number;
  contacts: number;
  /** Of these, whom the gate forbade to call at the creation, by rule; absent where it forbade none, or was not asked for a large campaign. */
  skips?: Record<string, number>;
};

const COLUMNS = `id, campaign_id, name, organization_id, user_id, agent_id, agent_version, carrier, sender, status, pause_reason, settings, begin_at,
  end_at, total, body_hash, created_at, completed_at`;

const insertCampaign = changingAndReading(
  "insert-voice-campaign",
  `with made as (
     insert into campaigns (tenant_id, id, campaign_id, channel, name, organization_id, user_id, agent_id, agent_version, carrier, lane_id,
       sender, status, settings, begin_at, end_at, body_hash, created_at)
     values ($1, $2, $3, 'voice', $4, $5, $6, $7, $8, $9, $2, $10, 'scheduled', $11, $12, $13, $14, $15)
     returning id, status, created_at)
   insert into events (tenant_id, kind, at, campaign_id, data)
   select $1, 'campaign.created', created_at, id, jsonb_build_object('status', status) from made
   on conflict do nothing`,
);

/** Fails with a unique violation when the tenant has a campaign of this id, of calls or of texts. */
export async function insert(
  tx: Tx,
  tenantId: Uuid,
  campaign: Omit<VoiceCampaign, "status" | "pause_reason" | "total" | "completed_at">,
): Promise<void> {
  await tx.run(insertCampaign, [
    tenantId,
    campaign.id,
    campaign.campaign_id,
    campaign.name,
    campaign.organization_id,
    campaign.user_id,
    campaign.agent_id,
    campaign.agent_version,
    campaign.carrier,
    campaign.sender,
    JSON.stringify(campaign.settings),
    campaign.begin_at,
    campaign.end_at,
    campaign.body_hash,
    campaign.created_at,
  ]);
}

export const { find, living, list } = readsOf<VoiceCampaign>("voice", "voice-campaign", COLUMNS);

const beginCampaign = changingAndReading(
  "begin-voice-campaign",
  `with begun as (
     update campaigns set status = 'running'
     where tenant_id = $1 and id = $2 and channel = 'voice' and status = 'scheduled' and begin_at <= $3 returning id, status)
   insert into events (tenant_id, kind, at, campaign_id, data)
   select $1, 'campaign.started', $3, id, jsonb_build_object('status', status) from begun
   on conflict do nothing`,
);

/** Starts a lane's campaign whose time has come (the tenant's time). Any other lane stays as it is. */
export async function begin(tx: Tx, tenantId: Uuid, laneId: Uuid, now: Date): Promise<void> {
  await tx.run(beginCampaign, [tenantId, laneId, now]);
}

const cancelDials = changing(
  "cancel-dials-of-campaign",
  `with gone as (
     update dials set state = 'cancelled', due_at = null, rule = 'campaign_deleted', reason = 'campaign_deleted', updated_at = $3
     where tenant_id = $1 and campaign_id = $2 and due_at is not null returning thread_id),
   old as (
     select thread.id, thread.state from threads thread
     where thread.tenant_id = $1 and thread.campaign_id = $2 and thread.id = any(array(select thread_id from gone))
       and thread.state in ('scheduled', 'held')
     order by thread.id for no key update),
   moved as (
     update threads thread set state = 'skipped', reason = 'campaign_deleted', updated_at = $3
     from old where thread.tenant_id = $1 and thread.campaign_id = $2 and thread.id = old.id
     returning old.state),
   change as (
     select 'pending' as state, -count(*)::int as n from gone
     union all select state, -count(*)::int from moved group by state
     union all select 'skipped', count(*)::int from moved),
   counted as (
     insert into campaign_counts (tenant_id, campaign_id, change_id, state, n)
     select $1, $2, $4, state, n from change where n <> 0
     on conflict do nothing)
   select from gone`,
);

const cancelledDials = statement(
  "count-cancelled-dials-of-campaign",
  `select count(*)::int as n from dials
   where tenant_id = $1 and campaign_id = $2 and due_at is null and rule = 'campaign_deleted'`,
);

/** Withdraws every call of a deleted campaign that waits; how many, with those that a claim has refused since. Those that go on come to their end. */
export async function cancelWaiting(
  tx: Tx,
  tenantId: Uuid,
  campaignId: Uuid,
  change: { now: Date; changeId: Uuid },
): Promise<number> {
  await tx.run(cancelDials, [tenantId, campaignId, change.now, change.changeId]);
  // By a statement of its own: the one before has waited for claims that were refusing calls, and sees them as they were when it began.
  return (await tx.first<{ n: number }>(cancelledDials, [tenantId, campaignId]))!.n;
}

const extend = changing(
  "extend-voice-campaign",
  `update campaigns set end_at = $3 where tenant_id = $1 and id = $2 and end_at < $3`,
);

/** Puts a campaign's end later, never sooner. */
export async function prolong(tx: Tx, tenantId: Uuid, campaignId: Uuid, endAt: Date): Promise<void> {
  await tx.run(extend, [tenantId, campaignId, endAt]);
}

const reopenCampaign = changingAndReading(
  "reopen-voice-campaign",
  `with again as (
     update campaigns set status = 'running', completed_at = null where tenant_id = $1 and id = $2 and status = 'completed'
     returning id, status)
   insert into events (tenant_id, kind, at, campaign_id, data)
   select $1, 'campaign.resumed', $3, id, jsonb_build_object('status', status) from again
   on conflict do nothing`,
);

/** For leads of a completed campaign that are to be called after all. */
export async function reopen(tx: Tx, tenantId: Uuid, campaignId: Uuid, now: Date): Promise<void> {
  await tx.run(reopenCampaign, [tenantId, campaignId, now]);
}
