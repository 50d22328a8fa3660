import { failure } from "#domain/values/errors.ts";
import { whyHeld } from "#operations/carriers.ts";
import { type Caller, type Context, journalRequest } from "#operations/context.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as dials from "#store/calls/dials.ts";
import * as stopCalls from "#store/calls/stop-calls.ts";
import { changeStatus } from "#store/campaigns/campaigns.ts";
import * as voiceCampaigns from "#store/campaigns/voice-campaigns.ts";
import { handedOver } from "#store/messaging/in-flight.ts";
import { type Channel, noteStatus, pause, resume, type Tenant } from "./control-steps.ts";

const CALLS: Channel<voiceCampaigns.VoiceCampaign> = {
  living: voiceCampaigns.living,
  pausable: ["scheduled", "running", "paused"],
  statusOf: ({ begin_at }, now) => (begin_at > now ? "scheduled" : "running"),
  wakeLane: (tx, tenantId, { id }, times) => dials.wakeLanes(tx, tenantId, new Map([[id, times.now]]), times),
  wake: dials.wake,
};

/** Ongoing calls continue to their end. */
export const pauseVoiceCampaign = (ctx: Context, caller: Tenant, campaignId: string): Promise<void> =>
  pause(CALLS, ctx, caller, campaignId);

/** 409 while the account that its calls leave by has a problem: it would be paused again at once. */
export async function resumeVoiceCampaign(ctx: Context, caller: Tenant, campaignId: string): Promise<void> {
  const { carrier } = await voiceCampaigns.living(ctx.db, caller.tenantId, campaignId);
  const why = await whyHeld(ctx.db, caller.tenantId, carrier);
  if (why !== undefined) throw failure("conflict", `The campaign cannot go on: ${why}`);
  await resume(CALLS, ctx, caller, campaignId);
}

/**
 * Pauses, and requests the end of every call of the campaign, which the call's node carries out at its next check; returns how many. A completed
 * campaign has only calls that a contact requested, and they are ended too.
 */
export async function stopVoiceCampaignCalls(ctx: Context, { tenantId }: Caller, campaignId: string): Promise<number> {
  const campaign = await voiceCampaigns.living(ctx.db, tenantId, campaignId);
  noteStatus(ctx, campaign, "paused");
  await journalRequest(ctx, tenantId, campaign.id, "pause");
  await changeStatus(ctx.db, tenantId, campaign.id, "paused", CALLS.pausable, ctx.now());
  await handedOver(ctx.db, tenantId, campaign.id, ctx.log);
  const now = await tenants.tenantNow(ctx.db, tenantId, ctx.now());
  return stopCalls.requestOfCampaign(ctx.db, tenantId, campaign.id, now);
}

/** Deletes. After it returns nobody is dialled; ongoing calls continue to their end. Returns how many calls it has cancelled. */
export async function deleteVoiceCampaign(ctx: Context, { tenantId }: Tenant, campaignId: string): Promise<number> {
  const campaign = await voiceCampaigns.living(ctx.db, tenantId, campaignId);
  noteStatus(ctx, campaign, "deleted");
  await journalRequest(ctx, tenantId, campaign.id, "delete");
  await changeStatus(ctx.db, tenantId, campaign.id, "deleted", [...CALLS.pausable, "completed"], ctx.now());
  await handedOver(ctx.db, tenantId, campaign.id, ctx.log);
  return ctx.db.transaction(async (tx) => {
    const now = await tenants.tenantNow(tx, tenantId, ctx.now());
    return voiceCampaigns.cancelWaiting(tx, tenantId, campaign.id, { now, changeId: ctx.newId() });
  });
}
