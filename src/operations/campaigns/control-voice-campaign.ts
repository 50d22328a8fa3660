import { failure, notFound } from "#domain/values/errors.ts";
import { type Caller, type Context, journalWish } from "#operations/context.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as dials from "#store/calls/dials.ts";
import * as stopCalls from "#store/calls/stop-calls.ts";
import { changeStatus } from "#store/campaigns/campaigns.ts";
import * as voiceCampaigns from "#store/campaigns/voice-campaigns.ts";
import { handedOver } from "#store/messaging/in-flight.ts";

type Tenant = Pick<Caller, "tenantId">;

/**
 * Pauses. Waits for claims that hold the campaign; after it returns nobody is dialled. Ongoing calls continue to their end. Pausing twice is no
 * error.
 */
export async function pauseVoiceCampaign(ctx: Context, caller: Tenant, campaignId: string): Promise<void> {
  const campaign = await living(ctx, caller, campaignId);
  // Also for a paused campaign: the process that paused it may have died before all claimed calls had been dialled.
  const from = ["scheduled", "running", "paused"] as const;
  await journalWish(ctx, caller.tenantId, campaign.id, "pause");
  const done = await changeStatus(ctx.db, caller.tenantId, campaign.id, "paused", from, ctx.now());
  if (!done) throw failure("conflict", "The campaign has completed; there is nothing to pause");
  await handedOver(ctx.db, caller.tenantId, campaign.id, ctx.log);
}

/**
 * Pauses, and requests the end of every call of the campaign, which the call's node carries out at its next check; returns how many. A completed
 * campaign has only calls that a contact requested, and they are ended too.
 */
export async function stopVoiceCampaignCalls(ctx: Context, caller: Caller, campaignId: string): Promise<number> {
  const campaign = await living(ctx, caller, campaignId);
  const from = ["scheduled", "running", "paused"] as const;
  await journalWish(ctx, caller.tenantId, campaign.id, "pause");
  await changeStatus(ctx.db, caller.tenantId, campaign.id, "paused", from, ctx.now());
  await handedOver(ctx.db, caller.tenantId, campaign.id, ctx.log);
  const now = await tenants.tenantNow(ctx.db, caller.tenantId, ctx.now());
  return stopCalls.requestOfCampaign(ctx.db, caller.tenantId, campaign.id, now);
}

/** Resumes a paused campaign and enqueues its lane's job. Resuming a running one is no error. */
export async function resumeVoiceCampaign(ctx: Context, caller: Tenant, campaignId: string): Promise<void> {
  const { tenantId } = caller;
  const campaign = await living(ctx, caller, campaignId);
  await journalWish(ctx, tenantId, campaign.id, "resume");
  await ctx.db.transaction(async (tx) => {
    const realNow = ctx.now();
    const now = await tenants.tenantNow(tx, tenantId, realNow);
    await dials.wakeLanes(tx, tenantId, new Map([[campaign.id, now]]), { now, realNow });
    const status = campaign.begin_at > now ? "scheduled" : "running";
    if (!(await changeStatus(tx, tenantId, campaign.id, status, ["paused"], realNow))) return;
    await dials.wake(tx, tenantId, campaign.id, { now, realNow });
  });
}

/** Deletes. After it returns nobody is dialled; ongoing calls continue to their end. Returns how many calls it has cancelled. */
export async function deleteVoiceCampaign(ctx: Context, caller: Tenant, campaignId: string): Promise<number> {
  const { tenantId } = caller;
  const campaign = await living(ctx, caller, campaignId);
  const from = ["scheduled", "running", "paused", "completed"] as const;
  await journalWish(ctx, tenantId, campaign.id, "delete");
  await changeStatus(ctx.db, tenantId, campaign.id, "deleted", from, ctx.now());
  await handedOver(ctx.db, tenantId, campaign.id, ctx.log);
  return ctx.db.transaction(async (tx) => {
    const now = await tenants.tenantNow(tx, tenantId, ctx.now());
    return voiceCampaigns.cancelWaiting(tx, tenantId, campaign.id, { now, changeId: ctx.newId() });
  });
}

async function living(ctx: Context, caller: Tenant, campaignId: string): Promise<voiceCampaigns.VoiceCampaign> {
  const campaign = await voiceCampaigns.find(ctx.db, caller.tenantId, campaignId);
  if (!campaign || campaign.status === "deleted") throw notFound("Campaign");
  return campaign;
}
