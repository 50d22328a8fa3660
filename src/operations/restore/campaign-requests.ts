import type { Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import type { CampaignRequest, JournalEntry } from "#ports/journal.ts";
import * as campaigns from "#store/campaigns/campaigns.ts";

export type CampaignEntry = Extract<JournalEntry, { kind: "campaign" }>;

/** What is to be done to a campaign. */
type Directed = Omit<CampaignEntry, "wish"> & { wish: keyof Control };

/** Of two requests of one moment the greater holds. */
const WEIGHT: Record<CampaignRequest, number> = { resume: 0, pause: 1, edit: 2, delete: 3 };

/** What no later request of a lesser kind takes back. */
const standing = (wish: CampaignRequest | undefined): number => (wish === "delete" ? 2 : wish === "edit" ? 1 : 0);

/**
 * The last request for each campaign, of those from after `cut`. A change is not in a database that is restored to a day before it, and what it
 * was is not in the journal: the campaign is paused, whatever came after but a deletion, until a person has looked at it.
 */
export function lastRequests(entries: readonly CampaignEntry[], cut: Date | undefined): Directed[] {
  const last = new Map<string, CampaignEntry>();
  for (const entry of entries) {
    if (cut !== undefined && new Date(entry.at) < cut) continue;
    const key = `${entry.tenantId} ${entry.campaignId}`;
    const known = last.get(key);
    const isLater =
      !known || known.at < entry.at || (known.at === entry.at && WEIGHT[known.wish] <= WEIGHT[entry.wish]);
    const stands = standing(known?.wish) - standing(entry.wish);
    if (stands < 0 || (stands === 0 && isLater)) last.set(key, entry);
  }
  return [...last.values()].map(({ wish, ...entry }) => ({ ...entry, wish: wish === "edit" ? "pause" : wish }));
}

/** Applies a request to a campaign, by its caller's own id. */
export type Control = Record<
  Exclude<CampaignRequest, "edit">,
  (ctx: Context, caller: { tenantId: Uuid }, campaignId: string) => Promise<unknown>
>;

/**
 * Brings a campaign to the state that was last requested. It is resumed only by a request from after `asOf`: the service may have paused it since an
 * older one. False when there is nothing to do.
 */
export async function direct(
  ctx: Context,
  { tenantId, campaignId, wish, at }: Directed,
  { asOf, control }: { asOf: Date | undefined; control: Record<"sms" | "voice", Control> },
): Promise<boolean> {
  const requestedAt = new Date(at);
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
