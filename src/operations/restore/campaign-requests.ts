import type { Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import type { CampaignRequest, JournalEntry } from "#ports/journal.ts";
import * as campaigns from "#store/campaigns/campaigns.ts";

export type CampaignEntry = Extract<JournalEntry, { kind: "campaign" }>;

/** Of two requests of one moment the greater holds. */
const WEIGHT: Record<CampaignRequest, number> = { resume: 0, pause: 1, delete: 2 };

/** The last request for each campaign. */
export function lastRequests(entries: readonly CampaignEntry[]): CampaignEntry[] {
  const last = new Map<string, CampaignEntry>();
  for (const entry of entries) {
    const key = `${entry.tenantId} ${entry.campaignId}`;
    const known = last.get(key);
    const isLater =
      !known || known.at < entry.at || (known.at === entry.at && WEIGHT[known.wish] <= WEIGHT[entry.wish]);
    if (isLater) last.set(key, entry);
  }
  return [...last.values()];
}

/** Applies a request to a campaign, by its caller's own id. */
export type Control = Record<
  CampaignRequest,
  (ctx: Context, caller: { tenantId: Uuid }, campaignId: string) => Promise<unknown>
>;

/**
 * Brings a campaign to the state that was last requested. It is resumed only by a request from after `asOf`: the service may have paused it since an
 * older one. False when there is nothing to do.
 */
export async function direct(
  ctx: Context,
  { tenantId, campaignId, wish, at }: CampaignEntry,
  { cut, asOf, control }: { cut: Date | undefined; asOf: Date | undefined; control: Record<"sms" | "voice", Control> },
): Promise<boolean> {
  const requestedAt = new Date(at);
  if (cut !== undefined && requestedAt < cut) return false;
  if (wish === "resume" && (asOf === undefined || requestedAt < asOf)) return false;
  const campaign = await campaigns.get(ctx.db, tenantId, campaignId);
  if (!campaign || campaign.status === "deleted") return false;
  const { status } = campaign;
  if (wish === "pause" && (status === "paused" || status === "completed")) return false;
  if (wish === "resume" && status !== "paused") return false;
  const isText = (await campaigns.find(ctx.db, tenantId, campaign.campaign_id)) !== undefined;
  await control[isText ? "sms" : "voice"][wish](ctx, { tenantId }, campaign.campaign_id);
  return true;
}
