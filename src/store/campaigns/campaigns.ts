import type { EventKind } from "#domain/system/event.ts";
import type { Uuid } from "#domain/values/id.ts";
import { changing, changingAndReading, crossTenant, statement, type Tx } from "#store/database/db.ts";
import { tenantTime } from "#store/system/events.ts";
import { readsOf } from "./channel-reads.ts";
import { COUNTS_OF } from "./counts.ts";

export type CampaignStatus = "processing" | "active" | "paused" | "completed" | "deleted" | "scheduled" | "running";

export type Campaign = {
  id: Uuid;
  campaign_id: string;
  name: string | null;
  organization_id: Uuid;
  user_id: Uuid;
  agent_id: Uuid;
  agent_version: number;
  carrier: string;
  lane_id: Uuid;
  sender: string;
  status: CampaignStatus;
  /** Why the service itself paused it; null where a person did. */
  pause_reason: string | null;
  settings: CampaignSettings;
  begin_at: Date | null;
  end_at: Date | null;
  total: number;
  body_hash: Buffer;
  created_at: Date;
  completed_at: Date | null;
};

export type CampaignSettings = {
  enable_sms_to_voice?: boolean;
  voice_agent_id?: string;
  outbound_number?: string;
  objective?: string;
  /** Addresses of pictures that go with the first text. */
  media_urls?: string[];
  calling_window?: { start: string; end: string; days: number[] };
};

const COLUMNS = `id, campaign_id, name, organization_id, user_id, agent_id, agent_version, carrier, lane_id, sender, status, pause_reason,
  settings, begin_at, end_at, total, body_hash, created_at, completed_at`;

const insertCampaign = changingAndReading(
  "insert-campaign",
  `with made as (
     insert into campaigns (tenant_id, id, campaign_id, channel, name, organization_id, user_id, agent_id, agent_version, carrier, lane_id,
       sender, status, settings, begin_at, end_at, body_hash, created_at)
     values ($1, $2, $3, 'sms', $4, $5, $6, $7, $8, $9, $10, $11, 'processing', $12, $13, $14, $15, $16)
     returning id, status, created_at)
   insert into events (tenant_id, kind, at, campaign_id, data)
   select $1, 'campaign.created', created_at, id, jsonb_build_object('status', status) from made
   on conflict do nothing`,
);

/** Fails with a unique violation when the tenant has a campaign of this id. */
export async function insert(
  tx: Tx,
  tenantId: Uuid,
  campaign: Omit<Campaign, "status" | "pause_reason" | "total" | "completed_at">,
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
    campaign.lane_id,
    campaign.sender,
    JSON.stringify(campaign.settings),
    campaign.begin_at,
    campaign.end_at,
    campaign.body_hash,
    campaign.created_at,
  ]);
}

export const { find, living, list } = readsOf<Campaign>("sms", "campaign", COLUMNS);

const getCampaign = statement("get-campaign", `select ${COLUMNS} from campaigns where tenant_id = $1 and id = $2`);

export function get(tx: Tx, tenantId: Uuid, id: Uuid): Promise<Campaign | undefined> {
  return tx.first<Campaign>(getCampaign, [tenantId, id]);
}

// The event is what the whole statement adds, and none of its parts: a part that adds rows is asked of all servers of a distributed database, also of one
// that is down. A campaign that is paused again has no event, and loses the reason for which it was paused.
const setStatus = changing(
  "set-campaign-status",
  `with old as (
     select id, status from campaigns where tenant_id = $1 and id = $2 and status = any($4::text[]) for no key update),
   changed as (
     update campaigns set status = $3, pause_reason = null from old where campaigns.tenant_id = $1 and campaigns.id = old.id
     returning old.status as old)
   insert into events (tenant_id, kind, at, campaign_id, data)
   select $1, $5, ${tenantTime("$6")}, $2, jsonb_build_object('status', $3::text) from changed where old <> $3
   on conflict do nothing`,
);
const hasStatus = statement(
  "campaign-has-status",
  "select from campaigns where tenant_id = $1 and id = $2 and status = $3",
);

const BECAME: Partial<Record<CampaignStatus, EventKind>> = { paused: "campaign.paused", deleted: "campaign.deleted" };

/**
 * Changes the status of a campaign that is in one of `from`, at this (real) time; false when it is not. Waits for claims that hold it.
 */
export async function changeStatus(
  tx: Tx,
  tenantId: Uuid,
  id: Uuid,
  to: CampaignStatus,
  from: readonly CampaignStatus[],
  realNow: Date,
): Promise<boolean> {
  const noted = await tx.run(setStatus, [tenantId, id, to, from, BECAME[to] ?? "campaign.resumed", realNow]);
  return noted === 1 || (from.includes(to) && (await tx.first(hasStatus, [tenantId, id, to])) !== undefined);
}

/** Statuses in which a campaign of texts or calls goes on, or will. */
const OPEN = "'processing', 'active', 'scheduled', 'running'";

const pauseSender = changingAndReading(
  "pause-campaigns-of-sender",
  `with stopped as (
     update campaigns set status = 'paused', pause_reason = $3
     where tenant_id = $1 and lane_id = $2 and status in ('processing', 'active') returning id, status)
   insert into events (tenant_id, kind, at, campaign_id, data)
   select $1, 'campaign.paused', ${tenantTime("$4")}, id, jsonb_build_object('status', status, 'reason', $3::text) from stopped
   on conflict do nothing`,
);

const pauseAccount = changingAndReading(
  "pause-campaigns-of-carrier",
  `with stopped as (
     update campaigns set status = 'paused', pause_reason = $3
     where tenant_id = $1 and carrier = $2 and status in (${OPEN}) returning id, status)
   insert into events (tenant_id, kind, at, campaign_id, data)
   select $1, 'campaign.paused', ${tenantTime("$4")}, id, jsonb_build_object('status', status, 'reason', $3::text) from stopped
   on conflict do nothing`,
);

/** Pauses all that goes out by an account with a carrier, texts and calls: how many campaigns. Waits for claims that hold its campaigns. */
export async function pauseCarrier(
  tx: Tx,
  tenantId: Uuid,
  carrier: string,
  reason: string,
  realNow: Date,
): Promise<number> {
  return tx.run(pauseAccount, [tenantId, carrier, reason, realNow]);
}

/** Pauses all that goes out by a sender, at this (real) time: how many campaigns. Waits for claims that hold its campaigns. */
export function pauseLane(tx: Tx, tenantId: Uuid, laneId: Uuid, reason: string, realNow: Date): Promise<number> {
  return tx.run(pauseSender, [tenantId, laneId, reason, realNow]);
}

const pauseOrganization = changingAndReading(
  "pause-campaigns-of-organization",
  `with old as (
     select id, status from campaigns where tenant_id = $1 and organization_id = $2 and status in (${OPEN}) order by id
     for no key update),
   stopped as (
     update campaigns set status = 'paused', pause_reason = $3 from old
     where campaigns.tenant_id = $1 and campaigns.id = old.id returning campaigns.id)
   insert into events (tenant_id, kind, at, campaign_id, data)
   select $1, 'campaign.paused', ${tenantTime("$4")}, id, jsonb_build_object('status', 'paused', 'reason', $3::text) from stopped
   on conflict do nothing returning campaign_id as id`,
);

/** Pauses every open campaign of an organization, at this (real) time; their ids. Waits for claims that hold them. */
export async function pauseAll(
  tx: Tx,
  tenantId: Uuid,
  organizationId: Uuid,
  reason: string,
  realNow: Date,
): Promise<Uuid[]> {
  const rows = await tx.rows<{ id: Uuid }>(pauseOrganization, [tenantId, organizationId, reason, realNow]);
  return rows.map(({ id }) => id);
}

const openOfOrganization = statement(
  "open-campaigns-of-organization",
  `select id from campaigns where tenant_id = $1 and organization_id = $2 and status in (${OPEN}) order by id`,
);

/** The campaigns of texts and calls that `pauseAll` would pause. */
export async function openOf(tx: Tx, tenantId: Uuid, organizationId: Uuid): Promise<Uuid[]> {
  return (await tx.rows<{ id: Uuid }>(openOfOrganization, [tenantId, organizationId])).map(({ id }) => id);
}

const growCampaign = changingAndReading(
  "grow-campaign",
  `with old as (select id, status from campaigns where tenant_id = $1 and id = $2 and status <> 'deleted' for no key update),
   grown as (
     update campaigns set total = total + $3, status = case when old.status = 'completed' and $3 > 0 then (case when channel = 'sms' then 'active' else 'running' end) else old.status end,
       completed_at = case when old.status = 'completed' and $3 > 0 then null else completed_at end
     from old where campaigns.tenant_id = $1 and campaigns.id = old.id
     returning campaigns.status, old.status as old),
   noted as (
     insert into events (tenant_id, kind, at, campaign_id, data)
     select $1, 'campaign.resumed', $4, $2, jsonb_build_object('status', status) from grown where old <> status
     on conflict do nothing)
   select from grown`,
);

/** Counts new leads; false when the campaign has been deleted meanwhile. Last in its transaction: claims skip the campaign until the commit. */
export async function grow(tx: Tx, tenantId: Uuid, id: Uuid, by: number, now: Date): Promise<boolean> {
  return (await tx.run(growCampaign, [tenantId, id, by, now])) === 1;
}

const activateCampaigns = changingAndReading(
  "activate-campaigns",
  `with begun as (
     update campaigns set status = 'active' where tenant_id = $1 and lane_id = $2 and status = 'processing' returning id, status)
   insert into events (tenant_id, kind, at, campaign_id, data)
   select $1, 'campaign.started', ${tenantTime("$3")}, id, jsonb_build_object('status', status) from begun
   on conflict do nothing`,
);

/** Planning is done when the leads are stored: the first drain of the lane sets that, at this (real) time. */
export async function activate(tx: Tx, tenantId: Uuid, laneId: Uuid, realNow: Date): Promise<void> {
  await tx.run(activateCampaigns, [tenantId, laneId, realNow]);
}

/** A receipt that has not come by then will not come; the recipient stays `sent`. */
const RECEIPT_PATIENCE = "interval '24 hours'";

const quietCampaigns = crossTenant(
  "quiet-campaigns",
  `select campaign.tenant_id, campaign.id from campaigns campaign
   where campaign.status in ('processing', 'active', 'scheduled', 'running')
     and not exists (
       select from campaign_counts count where count.tenant_id = campaign.tenant_id and count.campaign_id = campaign.id
         and count.state in ('pending', 'scheduled', 'held', 'sending')
       group by count.state having sum(count.n) > 0)
   order by campaign.tenant_id, campaign.id`,
);

/** Open campaigns in which nothing waits to be sent. Whether receipts are still missing is checked by `finish`. */
export function quiet(tx: Tx): Promise<{ tenant_id: Uuid; id: Uuid }[]> {
  return tx.rows(quietCampaigns);
}

const lockCampaign = statement(
  "lock-campaign",
  "select status from campaigns where tenant_id = $1 and id = $2 for no key update",
);

const finishCampaign = changingAndReading(
  "finish-campaign",
  `with done as (
     update campaigns set status = 'completed', completed_at = $3
     where tenant_id = $1 and id = $2 and status in ('processing', 'active', 'scheduled', 'running')
       and not exists (
         select from campaign_counts count where count.tenant_id = $1 and count.campaign_id = $2
           and count.state in ('pending', 'scheduled', 'held', 'sending')
         group by count.state having sum(count.n) > 0)
       and (coalesce((select sum(n) from campaign_counts where tenant_id = $1 and campaign_id = $2 and state = 'sent'), 0) = 0
         or not exists (select from threads where tenant_id = $1 and campaign_id = $2 and state = 'sent'
           and updated_at > $3::timestamptz - ${RECEIPT_PATIENCE}))
     returning id, status)
   insert into events (tenant_id, kind, at, campaign_id, data)
   select $1, 'campaign.completed', $3, id, jsonb_build_object('status', status, 'counts', ${COUNTS_OF("$1", "id")}) from done
   on conflict do nothing`,
);

/** Completes a campaign whose every recipient is terminal. Locked first, so that leads which come in now are seen. */
export async function finish(tx: Tx, tenantId: Uuid, id: Uuid, now: Date): Promise<void> {
  await tx.first(lockCampaign, [tenantId, id]);
  await tx.run(finishCampaign, [tenantId, id, now]);
}
