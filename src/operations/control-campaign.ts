import { failure, notFound } from "#domain/errors.ts";
import * as campaigns from "#store/campaigns.ts";
import * as lanes from "#store/lanes.ts";
import * as messages from "#store/messages.ts";
import * as queue from "#store/queue.ts";
import * as tenants from "#store/tenants.ts";
import type { Caller, Context } from "./context.ts";

/** Pauses. Waits for claims that hold the campaign; once it answers no text of it leaves. Pausing twice is no error. */
export async function pauseCampaign(ctx: Context, caller: Caller, campaignId: string): Promise<void> {
  const campaign = await living(ctx, caller, campaignId);
  if (campaign.status === "paused") return;
  const done = await campaigns.changeStatus(ctx.db, caller.tenantId, campaign.id, "paused", ["processing", "active"]);
  if (!done) throw failure("conflict", "The campaign has completed; there is nothing to pause");
}

/** Resumes a paused campaign and rings its lane. Resuming a running one is no error. */
export async function resumeCampaign(ctx: Context, caller: Caller, campaignId: string): Promise<void> {
  const { tenantId } = caller;
  const campaign = await living(ctx, caller, campaignId);
  await ctx.db.transaction(async (tx) => {
    if (!(await campaigns.changeStatus(tx, tenantId, campaign.id, "active", ["paused"]))) return;
    const now = await tenants.tenantNow(tx, tenantId, ctx.now());
    await messages.wake(tx, tenantId, campaign.id, now);
    await queue.ring(tx, [{ job: "drain-lane", payload: { tenantId, laneId: campaign.lane_id } }]);
    await lanes.due(tx, tenantId, campaign.lane_id, now);
  });
}

/**
 * Deletes. Waits for claims that hold the campaign; once it answers no text of it leaves. What still waits is
 * suppressed as its turn comes, so a million of them hold up nobody.
 */
export async function deleteCampaign(ctx: Context, caller: Caller, campaignId: string): Promise<void> {
  const { tenantId } = caller;
  const campaign = await living(ctx, caller, campaignId);
  await ctx.db.transaction(async (tx) => {
    await campaigns.changeStatus(tx, tenantId, campaign.id, "deleted", ["processing", "active", "paused", "completed"]);
    const now = await tenants.tenantNow(tx, tenantId, ctx.now());
    await messages.wake(tx, tenantId, campaign.id, now);
    await queue.ring(tx, [{ job: "drain-lane", payload: { tenantId, laneId: campaign.lane_id } }]);
    await lanes.due(tx, tenantId, campaign.lane_id, now);
  });
}

async function living(ctx: Context, caller: Caller, campaignId: string): Promise<campaigns.Campaign> {
  const campaign = await campaigns.find(ctx.db, caller.tenantId, campaignId);
  if (!campaign || campaign.status === "deleted") throw notFound("Campaign");
  return campaign;
}
