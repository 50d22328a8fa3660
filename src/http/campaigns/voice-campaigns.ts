import * as contract from "#contract/campaigns/voice-campaigns.ts";
import { publicId, requireId } from "#domain/values/id.ts";
import { pageRequest } from "#domain/values/paging.ts";
import { pageAnswer } from "#http/server/page.ts";
import { type Edge, route } from "#http/server/route.ts";
import { contactStateView, leftOutView, reasonView, timeView } from "#http/server/views.ts";
import { resolveUnknownCall } from "#operations/calls/resolve-unknown-call.ts";
import {
  deleteVoiceCampaign,
  pauseVoiceCampaign,
  resumeVoiceCampaign,
  stopVoiceCampaignCalls,
} from "#operations/campaigns/control-voice-campaign.ts";
import { editCampaign } from "#operations/campaigns/edit-campaign.ts";
import { countReasons, listLeftOut, listRecipients } from "#operations/campaigns/read-recipients.ts";
import {
  getVoiceCampaign,
  listVoiceCampaigns,
  type VoiceCampaignReport,
} from "#operations/campaigns/read-voice-campaigns.ts";

export function voiceCampaignRoutes(edge: Edge): void {
  // A bulk body comes as bytes, or not at all.
  const bytesOf = (body: unknown) => (body as Uint8Array | undefined) ?? new Uint8Array();

  route(edge, contract.createVoiceCampaign, ({ caller, body }) =>
    edge.bulk("create-voice-campaign", caller, {}, bytesOf(body)),
  );

  route(edge, contract.addVoiceLeads, ({ caller, params, body }) =>
    edge.bulk("add-voice-leads", caller, params, bytesOf(body)),
  );

  route(edge, contract.listVoiceCampaigns, async ({ ctx, caller, query }) => {
    const organizationId = requireId("organization", query.organization_id, "Organization");
    const wanted = { ...pageRequest(query), organizationId, status: query.status };
    return pageAnswer("campaigns", await listVoiceCampaigns(ctx, caller, wanted), campaignView);
  });

  route(edge, contract.getVoiceCampaign, async ({ ctx, caller, params }) => ({
    campaign: campaignView(await getVoiceCampaign(ctx, caller, params.campaign_id)),
  }));

  route(edge, contract.updateVoiceCampaign, async ({ ctx, caller, params, body }) => {
    await editCampaign(ctx, caller, { channel: "voice", campaignId: params.campaign_id }, body);
    return { campaign: campaignView(await getVoiceCampaign(ctx, caller, params.campaign_id)) };
  });

  route(edge, contract.pauseVoiceCampaign, async ({ ctx, caller, params }) => {
    await pauseVoiceCampaign(ctx, caller, params.campaign_id);
    return { campaign: campaignView(await getVoiceCampaign(ctx, caller, params.campaign_id)) };
  });

  route(edge, contract.resumeVoiceCampaign, async ({ ctx, caller, params }) => {
    await resumeVoiceCampaign(ctx, caller, params.campaign_id);
    return { campaign: campaignView(await getVoiceCampaign(ctx, caller, params.campaign_id)) };
  });

  route(edge, contract.stopVoiceCampaignCalls, async ({ ctx, caller, params }) => {
    const calls_stopped = await stopVoiceCampaignCalls(ctx, caller, params.campaign_id);
    return { campaign: campaignView(await getVoiceCampaign(ctx, caller, params.campaign_id)), calls_stopped };
  });

  route(edge, contract.countVoiceCampaignReasons, async ({ ctx, caller, params: { campaign_id } }) => ({
    campaign_id,
    reasons: (await countReasons(ctx, caller, { channel: "voice", campaignId: campaign_id })).map(reasonView),
  }));

  route(edge, contract.resolveUnknownCall, async ({ ctx, caller, params, body }) => {
    const { campaign_id, lead_id } = params;
    const contactId = requireId("contact", lead_id, "Lead");
    await resolveUnknownCall(ctx, caller, { campaignId: campaign_id, contactId, action: body.action });
    return { campaign_id, lead_id, action: body.action };
  });

  route(edge, contract.deleteVoiceCampaign, async ({ ctx, caller, params }) => ({
    campaign_id: params.campaign_id,
    calls_cancelled: await deleteVoiceCampaign(ctx, caller, params.campaign_id),
  }));

  route(edge, contract.listVoiceCampaignLeads, async ({ ctx, caller, params, query }) => {
    const { status: state, reason, phone_number: phone } = query;
    const wanted = { ...pageRequest(query), state, reason, phone };
    const named = { channel: "voice" as const, campaignId: params.campaign_id };
    if (state === "invalid") {
      const page = await listLeftOut(ctx, caller, named, wanted);
      return pageAnswer("leads", page, (lead) => ({ ...leftOutView(lead), call_scheduled_time: null }));
    }
    const page = await listRecipients(ctx, caller, named, wanted);
    return pageAnswer("leads", page, (lead) => ({
      ...lead.contact_fields,
      unique_id: publicId("contact", lead.contact_id),
      phone_number: lead.phone,
      state: lead.state,
      contact_state: contactStateView(lead.contact_fields),
      reason: lead.reason,
      outcome: lead.call_outcome,
      call_scheduled_time: timeView(lead.call_scheduled_at),
    }));
  });
}

function campaignView(campaign: VoiceCampaignReport) {
  return {
    id: campaign.campaign_id,
    campaign_id: campaign.campaign_id,
    name: campaign.name,
    campaign_name: campaign.name,
    organization_id: publicId("organization", campaign.organization_id),
    user_id: publicId("user", campaign.user_id),
    voice_agent_id: campaign.settings.voice_agent_id,
    agent_version: campaign.agent_version,
    agent_outbound_number: campaign.sender,
    agent_outbound_numbers: campaign.lane.numbers,
    max_concurrent_calls: campaign.lane.concurrency,
    calls_per_second: campaign.lane.per_second,
    objective: campaign.settings.objective ?? null,
    calling_window: campaign.settings.calling_window ?? null,
    status: campaign.status,
    contacts_count: campaign.total,
    counts: campaign.outcomes,
    leads: campaign.recipients,
    pending_calls: campaign.pending,
    calls_in_progress: campaign.open,
    redial_enabled: campaign.settings.redial_config !== undefined,
    redial_config: campaign.settings.redial_config ?? null,
    waiting_because: campaign.waitingBecause,
    campaign_begin_time: campaign.begin_at.toISOString(),
    campaign_end_time: campaign.end_at.toISOString(),
    created_at: campaign.created_at.toISOString(),
    completed_at: timeView(campaign.completed_at),
  };
}
