import { refuseArchived } from "#domain/accounts/organization.ts";
import { failure } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import { type Caller, type Context, journalRequest } from "#operations/context.ts";
import * as organizations from "#store/accounts/organizations.ts";
import * as tenants from "#store/accounts/tenants.ts";
import { type CampaignStatus, changeStatus } from "#store/campaigns/campaigns.ts";
import type { Tx } from "#store/database/db.ts";
import { handedOver } from "#store/messaging/in-flight.ts";

export type Tenant = Pick<Caller, "tenantId">;

/** The tenant's time, and the real one. */
type Times = { now: Date; realNow: Date };

type Controlled = { id: Uuid; organization_id: Uuid; status: CampaignStatus };

/** What differs between campaigns of texts and of calls when one is paused or resumed. */
export type Channel<Campaign extends Controlled> = {
  living(tx: Tx, tenantId: Uuid, campaignId: string): Promise<Campaign>;
  /** The statuses in which it can be paused. Paused is one: the process that paused it may have died before what was claimed had been handed over. */
  pausable: readonly CampaignStatus[];
  /** The status that a resumed campaign gets. */
  statusOf(campaign: Campaign, now: Date): CampaignStatus;
  wakeLane(tx: Tx, tenantId: Uuid, campaign: Campaign, times: Times): Promise<void>;
  /** Makes due what was put off by the pause. */
  wake(tx: Tx, tenantId: Uuid, campaignId: Uuid, times: Times): Promise<void>;
};

/** Waits for claims that hold the campaign; after it returns nothing of the campaign leaves. Pausing twice is no error. */
export async function pause<Campaign extends Controlled>(
  channel: Channel<Campaign>,
  ctx: Context,
  { tenantId }: Tenant,
  campaignId: string,
): Promise<void> {
  const campaign = await channel.living(ctx.db, tenantId, campaignId);
  noteStatus(ctx, campaign, "paused");
  await journalRequest(ctx, tenantId, campaign.id, "pause");
  const done = await changeStatus(ctx.db, tenantId, campaign.id, "paused", channel.pausable, ctx.now());
  if (!done) throw failure("conflict", "The campaign has completed; there is nothing to pause");
  await handedOver(ctx.db, tenantId, campaign.id, ctx.log);
}

/** Enqueues the lane's job. Resuming a running campaign is no error. 409 while the campaign's organization is archived. */
export async function resume<Campaign extends Controlled>(
  channel: Channel<Campaign>,
  ctx: Context,
  { tenantId }: Tenant,
  campaignId: string,
): Promise<void> {
  const campaign = await channel.living(ctx.db, tenantId, campaignId);
  // Before the journal too, which a restore believes.
  const organization = await organizations.find(ctx.db, tenantId, campaign.organization_id);
  if (organization) refuseArchived(organization);
  await journalRequest(ctx, tenantId, campaign.id, "resume");
  await ctx.db.transaction(async (tx) => {
    const held = await organizations.hold(tx, tenantId, campaign.organization_id);
    if (held) refuseArchived(held);
    const realNow = ctx.now();
    const now = await tenants.tenantNow(tx, tenantId, realNow);
    await channel.wakeLane(tx, tenantId, campaign, { now, realNow });
    const status = channel.statusOf(campaign, now);
    noteStatus(ctx, campaign, status);
    if (!(await changeStatus(tx, tenantId, campaign.id, status, ["paused"], realNow))) return;
    await channel.wake(tx, tenantId, campaign.id, { now, realNow });
  });
}

/** For the audit log: what a campaign was, and what it is from now on. */
export const noteStatus = (ctx: Context, { organization_id, status }: Controlled, now: CampaignStatus): void =>
  ctx.audit.note({ organizationId: organization_id, before: { status }, after: { status: now } });
