import { heldBecause } from "#domain/campaigns/waiting.ts";
import { RECIPIENT_STATES, UNSENT_RECIPIENT_STATES } from "#domain/messaging/message.ts";
import { tighter } from "#domain/numbers/rate-limits.ts";
import { type Budget, paceOf } from "#domain/sending/budget.ts";
import { rampAt } from "#domain/sending/first-hour.ts";
import { forecastAmong, type Others, type Pace } from "#domain/sending/forecast.ts";
import { microsOf } from "#domain/sending/spend-limit.ts";
import type { Uuid } from "#domain/values/id.ts";
import { type Page, type PageRequest, pageOf } from "#domain/values/paging.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as campaigns from "#store/campaigns/campaigns.ts";
import * as counts from "#store/campaigns/counts.ts";
import * as attempts from "#store/messaging/attempts.ts";
import * as threads from "#store/messaging/threads.ts";
import * as budgets from "#store/sending/budgets.ts";
import * as lanes from "#store/sending/lanes.ts";
import { type SenderLimits, senderLimits } from "#store/sending/sender-limits.ts";
import { spendPace } from "#store/sending/spend-pace.ts";
import * as stops from "#store/sending/stops.ts";
import { othersOf, unsent as unsentOf } from "#store/sending/unsent-texts.ts";

/** A campaign with its recipients by state. */
export type CampaignReport = campaigns.Campaign & {
  counts: Record<string, number>;
  pending: number;
  perSecond: number | null;
  eta: Date | null;
  waitingBecause: string | null;
};

export async function getCampaign(ctx: Context, caller: Caller, campaignId: string): Promise<CampaignReport> {
  const campaign = await campaigns.living(ctx.db, caller.tenantId, campaignId);
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

async function report(ctx: Context, tenantId: Uuid, them: campaigns.Campaign[]): Promise<CampaignReport[]> {
  const ids = them.map((campaign) => campaign.id);
  const realNow = ctx.now();
  const laneIds = [...new Set(them.map((campaign) => campaign.lane_id))];
  const [sums, sending, heldLanes, { now, because }] = await Promise.all([
    counts.read(ctx.db, tenantId, ids),
    attempts.sendingCounts(ctx.db, tenantId, ids),
    lanes.heldOf(ctx.db, tenantId, laneIds, realNow),
    stops.held(ctx.db, tenantId, realNow, microsOf(ctx.textPrices.segment)),
  ]);
  const paces = await Promise.all(them.map(pacesOf(ctx, tenantId, now)));
  const { segment, pictureText } = ctx.textPrices;
  const at = { now, startsAt: now };
  const [spendOfTexts, spendOfPictures] = await Promise.all(
    [segment, pictureText].map((price) => spendPace(ctx.db, tenantId, price, at)),
  );
  const unsentTexts = await unsentOf(ctx.db, tenantId, now);
  const governed = ids.filter((_, i) => spendOfTexts || paces[i]!.budget);
  const held = await threads.heldReasons(
    ctx.db,
    tenantId,
    them.filter(({ id, status }) => status !== "paused" && isHeld(sums.get(id)!)).map(({ id }) => id),
  );
  const segments = governed.length > 0 ? await budgets.segmentsEach(ctx.db, tenantId, governed) : undefined;
  return them.map((campaign, i) => {
    const { pending = 0, ...stored } = sums.get(campaign.id)!;
    const { perSecond, budget, first } = paces[i]!;
    const states = countsOf(stored, sending.get(campaign.id) ?? 0);
    const unsent = UNSENT_RECIPIENT_STATES.reduce((sum, state) => sum + states[state]!, 0);
    const from = campaign.begin_at !== null && campaign.begin_at > now ? campaign.begin_at : now;
    const pace = budget ? paceOf(budget, campaign.id, perSecond) : { perSecond, budget: null };
    const ramp = first && rampAt(ctx.firstHourTexts, first, { now, aheadMs: now.getTime() - realNow.getTime() });
    const spend = campaign.settings.media_urls ? spendOfPictures : spendOfTexts;
    const isPaced = perSecond !== null || budget !== undefined || spend !== undefined || ramp !== undefined;
    const whole = { ...pace, spend, ramp };
    const others = othersOf(unsentTexts, campaign);
    const each = segments?.get(campaign.id) ?? 1;
    const eta = isPaced && unsent > 0 ? finishOf(unsent, others, each, whole, from) : null;
    return {
      ...campaign,
      counts: states,
      pending,
      perSecond: tighter(perSecond, budget?.perSecond),
      eta,
      waitingBecause: waitingBecause(campaign, states, {
        isRefused: pending > 0 && heldLanes.has(campaign.lane_id),
        because: pending > 0 ? because : null,
        budget: unsent > 0 ? budget : undefined,
        held: held.get(campaign.id),
        now,
      }),
    };
  });
}

/** The pace of campaigns' senders, each looked up once. */
function pacesOf(ctx: Context, tenantId: Uuid, now: Date): (campaign: campaigns.Campaign) => Promise<SenderLimits> {
  const known = new Map<string, Promise<SenderLimits>>();
  return (campaign) => {
    const key = `${campaign.carrier} ${campaign.sender}`;
    const found = known.get(key) ?? senderLimits(ctx.db, tenantId, { ...campaign, perSecond: undefined }, now);
    known.set(key, found);
    return found;
  };
}

/** By the pace alone: contacts' hours are only considered by a preflight. */
function finishOf(recipients: number, others: Others, segmentsEach: number, pace: Pace, from: Date): Date | null {
  const hoursAt = () => ({ open: true as const, until: NEVER_CLOSED });
  return forecastAmong(others, [{ recipients, hoursAt }], segmentsEach, pace, from).finishAt;
}

const NEVER_CLOSED = new Date(8.64e15);

/** The count of every state. `sending` is not stored: it is the scheduled ones with an open attempt. */
function countsOf(stored: Record<string, number>, sending: number): Record<string, number> {
  const all = Object.fromEntries(RECIPIENT_STATES.map((state) => [state, stored[state] ?? 0]));
  const moved = Math.min(sending, all.scheduled!);
  return { ...all, scheduled: all.scheduled! - moved, sending: moved };
}

/** Whether all that are still to be texted are held. */
const isHeld = ({ held = 0, scheduled = 0 }: Record<string, number>): boolean => held > 0 && scheduled === 0;

function waitingBecause(
  campaign: campaigns.Campaign,
  states: Record<string, number>,
  {
    isRefused,
    because,
    budget,
    held,
    now,
  }: {
    isRefused: boolean;
    because: string | null;
    budget: Budget | undefined;
    held: ReadonlyMap<string, number> | undefined;
    now: Date;
  },
): string | null {
  if (campaign.status === "paused") return campaign.pause_reason ?? "paused";
  if (campaign.begin_at !== null && campaign.begin_at > now) return "not_begun";
  if (because) return because;
  if (isRefused) return "provider_failing";
  if (budget && budget.outreachLeft < 1) return budget.dayRule;
  if (budget && budget.shareOf(campaign.id) <= 0) return "fair_share";
  return isHeld(states) ? heldBecause(held) : null;
}
