import { failure } from "#domain/values/errors.ts";
import { whyHeld } from "#operations/carriers.ts";
import { type Context, journalRequest } from "#operations/context.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as dials from "#store/calls/dials.ts";
import * as campaigns from "#store/campaigns/campaigns.ts";
import { handedOver } from "#store/messaging/in-flight.ts";
import * as messages from "#store/messaging/messages.ts";
import * as lanes from "#store/sending/lanes.ts";
import { type Channel, noteStatus, pause, resume, type Tenant } from "./control-steps.ts";

const TEXTS: Channel<campaigns.Campaign> = {
  living: campaigns.living,
  pausable: ["processing", "active", "paused"],
  statusOf: () => "active",
  wakeLane: (tx, tenantId, { lane_id }, { now }) => lanes.wake(tx, tenantId, [lane_id], now),
  async wake(tx, tenantId, campaignId, times) {
    await messages.wake(tx, tenantId, campaignId, times.now);
    await dials.wake(tx, tenantId, campaignId, times);
  },
};

export const pauseCampaign = (ctx: Context, caller: Tenant, campaignId: string): Promise<void> =>
  pause(TEXTS, ctx, caller, campaignId);

/** 409 while the account that its texts leave by has a problem: it would be paused again at once. */
export async function resumeCampaign(ctx: Context, caller: Tenant, campaignId: string): Promise<void> {
  const { carrier } = await campaigns.living(ctx.db, caller.tenantId, campaignId);
  const why = await whyHeld(ctx.db, caller.tenantId, carrier);
  if (why !== undefined) throw failure("conflict", `The campaign cannot go on: ${why}`);
  await resume(TEXTS, ctx, caller, campaignId);
}

/**
 * Deletes. Waits for claims that hold the campaign; after it returns no text of the campaign leaves. Messages that still wait are suppressed as their
 * turn comes, so that a million of them delay nothing.
 */
export async function deleteCampaign(ctx: Context, { tenantId }: Tenant, campaignId: string): Promise<void> {
  const campaign = await campaigns.living(ctx.db, tenantId, campaignId);
  noteStatus(ctx, campaign, "deleted");
  await journalRequest(ctx, tenantId, campaign.id, "delete");
  await ctx.db.transaction(async (tx) => {
    const realNow = ctx.now();
    const now = await tenants.tenantNow(tx, tenantId, realNow);
    await lanes.wake(tx, tenantId, [campaign.lane_id], now);
    await campaigns.changeStatus(tx, tenantId, campaign.id, "deleted", [...TEXTS.pausable, "completed"], realNow);
    await TEXTS.wake(tx, tenantId, campaign.id, { now, realNow });
  });
  await handedOver(ctx.db, tenantId, campaign.id, ctx.log);
}
