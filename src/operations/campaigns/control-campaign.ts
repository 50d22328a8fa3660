import { failure, notFound } from "#domain/values/errors.ts";
import { type Caller, type Context, journalWish } from "#operations/context.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as dials from "#store/calls/dials.ts";
import * as campaigns from "#store/campaigns/campaigns.ts";
import { handedOver } from "#store/messaging/in-flight.ts";
import * as messages from "#store/messaging/messages.ts";
import * as lanes from "#store/sending/lanes.ts";

type Tenant = Pick<Caller, "tenantId">;

/** Pauses. Waits for claims that hold the campaign; after it returns no text of the campaign leaves. Pausing twice is no error. */
export async function pauseCampaign(ctx: Context, caller: Tenant, campaignId: string): Promise<void> {
  const campaign = await living(ctx, caller, campaignId);
  // Also for a paused campaign: the process that paused it may have died before all claimed texts had been handed over.
  const from = ["processing", "active", "paused"] as const;
  await journalWish(ctx, caller.tenantId, campaign.id, "pause");
  const done = await campaigns.changeStatus(ctx.db, caller.tenantId, campaign.id, "paused", from, ctx.now());
  if (!done) throw failure("conflict", "The campaign has completed; there is nothing to pause");
  await handedOver(ctx.db, caller.tenantId, campaign.id, ctx.log);
}

/** Resumes a paused campaign and enqueues its lane's job. Resuming a running one is no error. */
export async function resumeCampaign(ctx: Context, caller: Tenant, campaignId: string): Promise<void> {
  const { tenantId } = caller;
  const campaign = await living(ctx, caller, campaignId);
  await journalWish(ctx, tenantId, campaign.id, "resume");
  await ctx.db.transaction(async (tx) => {
    const now = await tenants.tenantNow(tx, tenantId, ctx.now());
    await lanes.wake(tx, tenantId, [campaign.lane_id], now);
    if (!(await campaigns.changeStatus(tx, tenantId, campaign.id, "active", ["paused"], ctx.now()))) return;
    await messages.wake(tx, tenantId, campaign.id, now);
    await dials.wake(tx, tenantId, campaign.id, { now, realNow: ctx.now() });
  });
}

/**
 * Deletes. Waits for claims that hold the campaign; after it returns no text of the campaign leaves. Messages that still wait are suppressed as their
 * turn comes, so that a million of them delay nothing.
 */
export async function deleteCampaign(ctx: Context, caller: Tenant, campaignId: string): Promise<void> {
  const { tenantId } = caller;
  const campaign = await living(ctx, caller, campaignId);
  await journalWish(ctx, tenantId, campaign.id, "delete");
  await ctx.db.transaction(async (tx) => {
    const now = await tenants.tenantNow(tx, tenantId, ctx.now());
    await lanes.wake(tx, tenantId, [campaign.lane_id], now);
    const from = ["processing", "active", "paused", "completed"] as const;
    await campaigns.changeStatus(tx, tenantId, campaign.id, "deleted", from, ctx.now());
    await messages.wake(tx, tenantId, campaign.id, now);
    await dials.wake(tx, tenantId, campaign.id, { now, realNow: ctx.now() });
  });
  await handedOver(ctx.db, tenantId, campaign.id, ctx.log);
}

async function living(ctx: Context, caller: Tenant, campaignId: string): Promise<campaigns.Campaign> {
  const campaign = await campaigns.find(ctx.db, caller.tenantId, campaignId);
  if (!campaign || campaign.status === "deleted") throw notFound("Campaign");
  return campaign;
}
