import { share, tallies } from "#domain/campaigns/analytics.ts";
import { RECIPIENT_STATES } from "#domain/messaging/message.ts";
import { costOfTexts, sumOf } from "#domain/messaging/price.ts";
import { notFound } from "#domain/values/errors.ts";
import { type Page, type PageRequest, pageOf } from "#domain/values/paging.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as calls from "#store/calls/calls.ts";
import * as analytics from "#store/campaigns/analytics.ts";
import * as campaigns from "#store/campaigns/campaigns.ts";
import * as counts from "#store/campaigns/counts.ts";
import * as failedNumbers from "#store/campaigns/failed-numbers.ts";

/** The results of a voice campaign's calls, as the contract's CallAnalytics. Deleted campaigns too: their calls stay. */
export async function voiceCampaignAnalytics(ctx: Context, caller: Caller, campaignId: string) {
  const { tenantId } = caller;
  const id = await calls.voiceCampaign(ctx.db, tenantId, campaignId);
  if (id === undefined) throw notFound("Campaign");
  const [sums, ends, cost, hours] = await Promise.all([
    analytics.calls(ctx.db, tenantId, id),
    analytics.ends(ctx.db, tenantId, id),
    analytics.callCost(ctx.db, tenantId, id),
    analytics.callHours(ctx.db, tenantId, id),
  ]);
  const { sentiment, reasons } = tallies(ends);
  const { ongoing, connected, voicemail, failed, successful, avg, p50, p95, total } = sums;
  return {
    calls: sums.calls,
    connected,
    voicemail,
    failed,
    ongoing,
    successful,
    answer_rate: share(connected, sums.calls),
    voicemail_rate: share(voicemail, sums.calls),
    fail_rate: share(failed, sums.calls),
    success_rate: share(successful, connected),
    duration_ms: { avg: avg ?? 0, p50: p50 ?? 0, p95: p95 ?? 0, total: Number(total) },
    sentiment,
    disconnection_reasons: reasons,
    cost,
    by_hour: hours.map((hour) => ({ ...hour, hour: hour.hour.toISOString(), duration_ms: Number(hour.duration_ms) })),
  };
}

/** The recipients of a voice campaign that no call has reached, newest first. */
export async function listFailedNumbers(
  ctx: Context,
  caller: Caller,
  campaignId: string,
  page: PageRequest,
): Promise<Page<failedNumbers.FailedNumber>> {
  const id = await calls.voiceCampaign(ctx.db, caller.tenantId, campaignId);
  if (id === undefined) throw notFound("Campaign");
  return pageOf(await failedNumbers.list(ctx.db, caller.tenantId, id, page), page.limit);
}

/** The results of an SMS campaign's texts, and what they cost with the calls that its contacts asked for, as the contract's TextAnalytics. */
export async function campaignAnalytics(ctx: Context, caller: Caller, campaignId: string) {
  const { tenantId } = caller;
  const campaign = await campaigns.find(ctx.db, tenantId, campaignId);
  if (!campaign) throw notFound("Campaign");
  const [sums, reached, hours, callCost] = await Promise.all([
    counts.read(ctx.db, tenantId, [campaign.id]),
    analytics.reached(ctx.db, tenantId, campaign.id),
    analytics.textHours(ctx.db, tenantId, campaign.id),
    analytics.callCost(ctx.db, tenantId, campaign.id),
  ]);
  const states = sums.get(campaign.id)!;
  const sum = (name: Exclude<keyof analytics.TextHour, "hour">) => hours.reduce((all, hour) => all + hour[name], 0);
  const [sent, delivered, failed, segments] = [sum("sent"), sum("delivered"), sum("failed"), sum("segments")];
  const textCost = costOfTexts(segments, sum("picture_texts"), ctx.textPrices);
  return {
    recipients: Object.fromEntries(RECIPIENT_STATES.map((state) => [state, states[state] ?? 0])),
    ...reached,
    sent,
    delivered,
    failed,
    received: sum("received"),
    segments,
    delivery_rate: share(delivered, sent),
    fail_rate: share(failed, sent),
    reply_rate: share(reached.replied, reached.contacted),
    opt_out_rate: share(reached.opted_out, reached.contacted),
    cost: sumOf(textCost, callCost),
    text_cost: textCost,
    call_cost: callCost,
    by_hour: hours.map(({ segments: _, picture_texts: __, ...rest }) => ({ ...rest, hour: rest.hour.toISOString() })),
  };
}
