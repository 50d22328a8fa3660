import { notFound } from "#domain/errors.ts";
import type { Uuid } from "#domain/id.ts";
import { RECIPIENT_STATES, WAITING_RECIPIENT_STATES } from "#domain/message.ts";
import { type Page, type PageRequest, pageOf } from "#domain/paging.ts";
import * as attempts from "#store/attempts.ts";
import * as counts from "#store/campaign-counts.ts";
import * as campaigns from "#store/campaigns.ts";
import * as lanes from "#store/lanes.ts";
import * as messages from "#store/messages.ts";
import * as tenants from "#store/tenants.ts";
import * as threads from "#store/threads.ts";
import type { Caller, Context } from "./context.ts";

/** A campaign with what has become of its recipients. */
export type CampaignReport = campaigns.Campaign & {
  counts: Record<string, number>;
  pending: number;
  perSecond: number | null;
  eta: Date | null;
  waitingBecause: string | null;
};

export async function getCampaign(ctx: Context, caller: Caller, campaignId: string): Promise<CampaignReport> {
  const campaign = await campaigns.find(ctx.db, caller.tenantId, campaignId);
  if (!campaign || campaign.status === "deleted") throw notFound("Campaign");
  return (await report(ctx, caller.tenantId, [campaign]))[0]!;
}

export async function listCampaigns(
  ctx: Context,
  caller: Caller,
  query: PageRequest & { organizationId: Uuid; status: string | undefined },
): Promise<Page<CampaignReport>> {
  const page = pageOf(await campaigns.list(ctx.db, caller.tenantId, query), query.limit);
  return { ...page, items: await report(ctx, caller.tenantId, page.items) };
}

export async function listMessages(
  ctx: Context,
  caller: Caller,
  campaignId: string,
  query: PageRequest & { state: string | undefined; phone: string | undefined },
): Promise<Page<messages.Message>> {
  const campaign = await campaigns.find(ctx.db, caller.tenantId, campaignId);
  if (!campaign) throw notFound("Campaign");
  return pageOf(await messages.ofCampaign(ctx.db, caller.tenantId, campaign.id, query), query.limit);
}

export async function listRecipients(
  ctx: Context,
  caller: Caller,
  campaignId: string,
  query: PageRequest & { state: string | undefined },
): Promise<Page<threads.Recipient>> {
  const campaign = await campaigns.find(ctx.db, caller.tenantId, campaignId);
  if (!campaign) throw notFound("Campaign");
  return pageOf(await threads.list(ctx.db, caller.tenantId, campaign.id, query), query.limit);
}

async function report(ctx: Context, tenantId: Uuid, them: campaigns.Campaign[]): Promise<CampaignReport[]> {
  const ids = them.map((it) => it.id);
  const [sums, sending, now] = await Promise.all([
    counts.read(ctx.db, tenantId, ids),
    attempts.sendingCounts(ctx.db, tenantId, ids),
    tenants.tenantNow(ctx.db, tenantId, ctx.now()),
  ]);
  return Promise.all(
    them.map(async (campaign) => {
      const { pending = 0, ...stored } = sums.get(campaign.id)!;
      const lane = await lanes.bySender(ctx.db, tenantId, campaign.carrier, campaign.sender);
      const states = countsOf(stored, sending.get(campaign.id) ?? 0);
      const perSecond = lane?.per_second ?? null;
      const waiting = WAITING_RECIPIENT_STATES.reduce((sum, state) => sum + states[state]!, 0);
      const eta = perSecond !== null && waiting > 0 ? new Date(now.getTime() + (waiting / perSecond) * 1000) : null;
      return {
        ...campaign,
        counts: states,
        pending,
        perSecond,
        eta,
        waitingBecause: waitingBecause(campaign, states, now),
      };
    }),
  );
}

/** Every state with its number. `sending` is not stored: those are the scheduled ones with an open attempt. */
function countsOf(stored: Record<string, number>, sending: number): Record<string, number> {
  const all = Object.fromEntries(RECIPIENT_STATES.map((state) => [state, stored[state] ?? 0]));
  const moved = Math.min(sending, all.scheduled!);
  return { ...all, scheduled: all.scheduled! - moved, sending: moved };
}

function waitingBecause(campaign: campaigns.Campaign, states: Record<string, number>, now: Date): string | null {
  if (campaign.status === "paused") return "paused";
  if (campaign.begin_at !== null && campaign.begin_at > now) return "not_begun";
  if (states.held! > 0 && states.scheduled === 0) return "calling_hours";
  return null;
}
