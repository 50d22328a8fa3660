import { abandonsTooMany } from "#domain/calls/abandonment.ts";
import { CALL_OUTCOMES } from "#domain/calls/redial.ts";
import { heldBecause } from "#domain/campaigns/waiting.ts";
import { RECIPIENT_STATES } from "#domain/messaging/message.ts";
import { microsOf } from "#domain/sending/spend-limit.ts";
import type { Uuid } from "#domain/values/id.ts";
import { type Page, type PageRequest, pageOf } from "#domain/values/paging.ts";
import type { Caller, Context } from "#operations/context.ts";
import { CALL_COUNT } from "#store/calls/conclusions.ts";
import * as dialClaims from "#store/calls/dial-claims.ts";
import * as dialLanes from "#store/calls/dial-lanes.ts";
import * as counts from "#store/campaigns/counts.ts";
import * as voiceCampaigns from "#store/campaigns/voice-campaigns.ts";
import * as threads from "#store/messaging/threads.ts";
import * as rests from "#store/numbers/rests.ts";
import * as stops from "#store/sending/stops.ts";

/** A voice campaign with its calls and recipients by state. */
export type VoiceCampaignReport = voiceCampaigns.VoiceCampaign & {
  outcomes: Record<string, number>;
  recipients: Record<string, number>;
  pending: number;
  open: number;
  lane: dialLanes.Pace;
  waitingBecause: string | null;
};

export async function getVoiceCampaign(ctx: Context, caller: Caller, campaignId: string): Promise<VoiceCampaignReport> {
  const campaign = await voiceCampaigns.living(ctx.db, caller.tenantId, campaignId);
  return (await report(ctx, caller.tenantId, [campaign]))[0]!;
}

export async function listVoiceCampaigns(
  ctx: Context,
  caller: Caller,
  query: PageRequest & { organizationId: Uuid; status: string | undefined },
): Promise<Page<VoiceCampaignReport>> {
  const page = pageOf(await voiceCampaigns.list(ctx.db, caller.tenantId, query), query.limit);
  return { ...page, items: await report(ctx, caller.tenantId, page.items) };
}

async function report(
  ctx: Context,
  tenantId: Uuid,
  them: readonly voiceCampaigns.VoiceCampaign[],
): Promise<VoiceCampaignReport[]> {
  const ids = them.map((campaign) => campaign.id);
  const [sums, open, broken, lanes, { now, because }] = await Promise.all([
    counts.read(ctx.db, tenantId, ids),
    dialClaims.openByCampaign(ctx.db, tenantId, ids),
    dialLanes.brokenOf(ctx.db, tenantId, ids, ctx.now()),
    dialLanes.paces(ctx.db, tenantId, ids),
    stops.held(ctx.db, tenantId, ctx.now(), microsOf(ctx.callPrices.carrierMinute)),
  ]);
  const numbers = [...new Set([...lanes.values()].flatMap((lane) => lane.numbers))];
  const resting = await rests.restingOf(ctx.db, tenantId, numbers, now);
  const areHeld = them.filter(({ id, status }) => status !== "paused" && isHeld(sums.get(id)!)).map(({ id }) => id);
  const held = await threads.heldReasons(ctx.db, tenantId, areHeld);
  return them.map((campaign) => {
    const sum = sums.get(campaign.id)!;
    const recipients = Object.fromEntries(RECIPIENT_STATES.map((state) => [state, sum[state] ?? 0]));
    return {
      ...campaign,
      outcomes: Object.fromEntries(CALL_OUTCOMES.map((outcome) => [outcome, sum[`${CALL_COUNT}${outcome}`] ?? 0])),
      recipients,
      pending: sum.pending ?? 0,
      open: open.get(campaign.id) ?? 0,
      lane: lanes.get(campaign.id) ?? { numbers: [campaign.sender], per_second: 0, concurrency: 0 },
      waitingBecause: waitingBecause(campaign, sum, {
        isBroken: broken.has(campaign.id),
        isResting: isResting(lanes.get(campaign.id), resting),
        because: (sum.pending ?? 0) > 0 ? because : null,
        held: held.get(campaign.id),
        now,
      }),
    };
  });
}

const isResting = (lane: dialLanes.Pace | undefined, resting: ReadonlyMap<string, Date>): boolean =>
  lane !== undefined && lane.numbers.length > 0 && lane.numbers.every((number) => resting.has(number));

/** Whether all that are still to be called are held. */
const isHeld = ({ held = 0, scheduled = 0 }: Record<string, number>): boolean => held > 0 && scheduled === 0;

function waitingBecause(
  { status, pause_reason, begin_at }: voiceCampaigns.VoiceCampaign,
  sum: Record<string, number>,
  {
    isBroken,
    isResting,
    because,
    held,
    now,
  }: {
    isBroken: boolean;
    isResting: boolean;
    because: string | null;
    held: ReadonlyMap<string, number> | undefined;
    now: Date;
  },
): string | null {
  if (status === "completed") return null;
  if (status === "paused") return pause_reason ?? "paused";
  if (begin_at > now) return "not_begun";
  if (because) return because;
  if (isBroken) return "provider_failing";
  if (isResting && (sum.pending ?? 0) > 0) return "numbers_resting";
  if (abandonsTooMany(sum, now)) return "abandonment";
  return isHeld(sum) ? heldBecause(held) : null;
}
