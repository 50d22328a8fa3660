import { refuseArchived } from "#domain/accounts/organization.ts";
import { campaignMediaProblem } from "#domain/messaging/media.ts";
import { failure, invalidField, notFound } from "#domain/values/errors.ts";
import { checkWindow, requireInstant } from "#domain/values/instant.ts";
import { checkMedia } from "#operations/carriers.ts";
import { type Caller, type Context, journalRequest } from "#operations/context.ts";
import * as organizations from "#store/accounts/organizations.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as dials from "#store/calls/dials.ts";
import * as campaigns from "#store/campaigns/campaigns.ts";
import * as edits from "#store/campaigns/edits.ts";
import * as voiceCampaigns from "#store/campaigns/voice-campaigns.ts";
import * as lanes from "#store/sending/lanes.ts";
import { findAgent, holdAgent, replanFollowUps } from "./edit-agent.ts";
import { type CallingChanges, editedRedial, editLane, withdrawRedials } from "./edit-calling.ts";

/** A campaign by its channel and its caller's own id. */
type Named = { channel: "sms" | "voice"; campaignId: string };

/** Fields that are absent stay as they are; null clears one. */
export type Changes = {
  campaign_name?: string | undefined;
  objective?: string | null | undefined;
  campaign_begin_time?: string | undefined;
  campaign_end_time?: string | undefined;
  calling_window?: { start: string; end: string; days: number[] } | null | undefined;
  /** Of texts. */
  media_urls?: string[] | null | undefined;
  /** Of texts. The same again: its newest version. */
  sms_agent_id?: string | undefined;
  /** Of calls, by either of its ids. */
  voice_agent_id?: string | undefined;
} & CallingChanges;

const FIELDS = [
  "objective",
  "media_urls",
  "campaign_begin_time",
  "campaign_end_time",
  "calling_window",
  "sms_agent_id",
  "voice_agent_id",
  "agent_outbound_number",
  "agent_outbound_numbers",
  "redial_enabled",
  "redial_config",
  "max_concurrent_calls",
  "calls_per_second",
] as const;

/**
 * Changes a campaign of texts or calls that has not begun or is paused, its name at any time. A text or call that the old window held is considered
 * again by the new one, and what has left or is on its way stays as it is. A begin can be put later only, since what follows the first text is
 * planned from it. 409 in any other state and while its organization is archived, 404 without it.
 */
export async function editCampaign(
  ctx: Context,
  { tenantId }: Caller,
  { channel, campaignId }: Named,
  given: Changes,
): Promise<void> {
  const known = await found(ctx, tenantId, { channel, campaignId });
  const { id, lane_id, organization_id: organizationId } = known;
  if (given.calling_window) checkWindow(given.calling_window);
  if (given.media_urls) await checkMedia(ctx.db, tenantId, known, given.media_urls, campaignMediaProblem);
  const beginAt = given.campaign_begin_time && requireInstant("campaign_begin_time", given.campaign_begin_time);
  const endAt = given.campaign_end_time && requireInstant("campaign_end_time", given.campaign_end_time);
  const named = channel === "sms" ? given.sms_agent_id : given.voice_agent_id;
  const wanted =
    named === undefined ? undefined : await findAgent(ctx.db, tenantId, { channel, organizationId }, named);
  const isJournaled = FIELDS.some((field) => given[field] !== undefined);
  if (isJournaled) refuse(known, given, await tenants.tenantNow(ctx.db, tenantId, ctx.now()));
  await ctx.db.transaction(async (tx) => {
    const organization = await organizations.hold(tx, tenantId, organizationId);
    if (organization) refuseArchived(organization);
    const realNow = ctx.now();
    const now = await tenants.tenantNow(tx, tenantId, realNow);
    const isReplanned = given.calling_window !== undefined || endAt !== undefined || wanted !== undefined;
    if (isReplanned && channel === "sms") await lanes.wake(tx, tenantId, [lane_id], now);
    const agent = wanted && (await holdAgent(tx, tenantId, channel, wanted));
    // The lane before the campaign, as claims lock them.
    const sender = channel === "voice" ? await editLane(ctx, tx, tenantId, known, given) : undefined;
    const old = await edits.lock(tx, tenantId, id);
    if (!old || old.status === "deleted") throw notFound("Campaign");
    refuse(old, given, now);
    const begin = beginAt || old.begin_at;
    const end = endAt || old.end_at;
    if (beginAt && old.begin_at && beginAt < old.begin_at) {
      throw invalidField(
        "campaign_begin_time",
        `must not be before ${old.begin_at.toISOString()}, the campaign's begin`,
      );
    }
    if (end && (beginAt || endAt) && end <= (begin && begin > now ? begin : now)) {
      throw invalidField(
        endAt ? "campaign_end_time" : "campaign_begin_time",
        "must leave time: the end must come after the begin and after now",
      );
    }
    const redial = editedRedial(old.settings.redial_config, given);
    await edits.save(tx, tenantId, id, {
      name: given.campaign_name ?? old.name,
      begin_at: begin,
      end_at: end,
      agent_id: agent?.id ?? old.agent_id,
      agent_version: agent?.version ?? old.agent_version,
      sender: sender ?? old.sender,
      settings: {
        ...old.settings,
        ...changed("objective", given.objective),
        ...changed("media_urls", given.media_urls?.length === 0 ? null : given.media_urls),
        ...changed("calling_window", given.calling_window),
        ...changed("voice_agent_id", given.voice_agent_id),
        // What these have found out is still found by their ids.
        ...(agent && agent.id !== old.agent_id
          ? { former_agent_ids: [...new Set([...(old.settings.former_agent_ids ?? []), old.agent_id])] }
          : {}),
        redial_config: redial,
      },
    });
    if (agent && channel === "sms") await replanFollowUps(ctx, tx, tenantId, { ...known, begin_at: begin }, agent, now);
    if (agent && channel === "voice") await edits.repoint(tx, tenantId, id, { ...agent, now });
    if (given.redial_enabled !== undefined || given.redial_config !== undefined) {
      await withdrawRedials(ctx, tx, tenantId, id, { redial, now });
    }
    // Calls that a campaign of texts has planned are in a lane of its id, too.
    if (isReplanned && (await edits.wakeHeld(tx, tenantId, id, now)) > 0)
      await dials.wakeLanes(tx, tenantId, new Map([[id, now]]), { now, realNow });
    // After all that may refuse: a restore pauses what was edited, and must not for an edit that never was.
    if (isJournaled) await journalRequest(ctx, tenantId, id, "edit");
  });
}

/** An undefined setting is left out of the JSON that is stored. */
const changed = (field: string, value: unknown) => (value === undefined ? {} : { [field]: value ?? undefined });

async function found(ctx: Context, tenantId: string, { channel, campaignId }: Named) {
  if (channel === "sms") return campaigns.living(ctx.db, tenantId, campaignId);
  const campaign = await voiceCampaigns.living(ctx.db, tenantId, campaignId);
  // A voice campaign's lane has its id.
  return { ...campaign, lane_id: campaign.id };
}

function refuse({ status, begin_at }: Pick<edits.Editable, "status" | "begin_at">, given: Changes, now: Date): void {
  const fields = FIELDS.filter((field) => given[field] !== undefined);
  const hasBegun = begin_at === null || begin_at <= now;
  const isOpen = status !== "completed" && (status === "paused" || !hasBegun);
  if (fields.length > 0 && !isOpen) {
    const what = status === "completed" ? "can no longer be changed" : "can be changed while it is paused";
    throw failure("conflict", `The campaign is ${status}: ${fields.join(" and ")} ${what}`);
  }
  if (given.campaign_begin_time !== undefined && hasBegun) {
    throw failure("conflict", `The campaign has begun and is ${status}: campaign_begin_time can no longer be changed`);
  }
}
