import { type Static, Type } from "typebox";
import { addVoiceLeads as contract } from "#contract/campaigns/voice-campaigns.ts";
import { renamer } from "#contract/values/names.ts";
import { warner } from "#contract/values/unknown-names.ts";
import { validator } from "#contract/values/validate.ts";
import { invalidField } from "#domain/values/errors.ts";
import { requireInstant } from "#domain/values/instant.ts";
import type { BulkOperation } from "#operations/context.ts";
import * as dials from "#store/calls/dials.ts";
import * as voiceCampaigns from "#store/campaigns/voice-campaigns.ts";
import * as voiceLeads from "#store/campaigns/voice-leads.ts";
import { add, type Channel } from "./add-steps.ts";

/** The leads are read by readLeadBody, which can handle 100,000 of them; the rest by the contract's own schema. */
const head = Type.Object({ ...contract.body!.properties, leads: Type.Array(Type.Unknown()) });

const CALLS: Channel<voiceCampaigns.VoiceCampaign, Static<typeof head>> = {
  field: "leads",
  renamed: renamer(contract, head),
  problemsOf: validator(head, "body"),
  warningsOf: warner(head, "field"),
  living: voiceCampaigns.living,
  async prepare(ctx, tenantId, campaign, { body: { campaign_end_time: wanted } }) {
    const newEnd = wanted === undefined ? undefined : requireInstant("campaign_end_time", wanted);
    if (newEnd && newEnd < campaign.end_at) {
      throw invalidField(
        "campaign_end_time",
        `must not be before ${campaign.end_at.toISOString()}, the campaign's end`,
      );
    }
    const endAt = newEnd ?? campaign.end_at;
    return {
      async store(tx, leads, { now, dueAt }) {
        const target = {
          tenantId,
          campaignId: campaign.id,
          organizationId: campaign.organization_id,
          agentId: campaign.agent_id,
          agentVersion: campaign.agent_version,
          dueAt,
        };
        const parts = { now, newId: ctx.newId };
        const added = await voiceLeads.insertAll(tx, target, leads, parts);
        const phones = leads.map(({ phone }) => phone).sort();
        const requeued = endAt > now ? await voiceLeads.requeue(tx, target, phones, parts) : 0;
        await dials.wakeLanes(tx, tenantId, new Map([[campaign.id, dueAt]]), { now, realNow: ctx.now() });
        if (newEnd) await voiceCampaigns.prolong(tx, tenantId, campaign.id, newEnd);
        return { added, requeued };
      },
      async finish(tx, { requeued = 0 }, now) {
        if (requeued > 0) await voiceCampaigns.reopen(tx, tenantId, campaign.id, now);
      },
      details: ({ added, requeued = 0, skipped }) => ({
        leads_added: added,
        leads_requeued: requeued,
        leads_skipped: skipped,
      }),
    };
  },
};

/** A phone that was not called before the campaign's end is called after all, once the end is later. */
export const addVoiceLeads: BulkOperation = (ctx, caller, params, bytes) =>
  add(CALLS, ctx, caller, params.campaign_id!, bytes);
