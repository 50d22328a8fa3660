import * as contract from "#contract/campaigns/campaigns.ts";
import * as messages from "#contract/messaging/messages.ts";
import { publicId, requireId } from "#domain/values/id.ts";
import { pageRequest } from "#domain/values/paging.ts";
import { mediaUrls } from "#http/server/kept-file.ts";
import { pageAnswer } from "#http/server/page.ts";
import { type Edge, route } from "#http/server/route.ts";
import { contactStateView, leftOutView, messageView, reasonView, threadIdView, timeView } from "#http/server/views.ts";
import { deleteCampaign, pauseCampaign, resumeCampaign } from "#operations/campaigns/control-campaign.ts";
import { editCampaign } from "#operations/campaigns/edit-campaign.ts";
import { type CampaignReport, getCampaign, listCampaigns } from "#operations/campaigns/read-campaigns.ts";
import { countReasons, listLeftOut, listMessages, listRecipients } from "#operations/campaigns/read-recipients.ts";
import { resendMessage } from "#operations/messaging/resend-message.ts";

export function campaignRoutes(edge: Edge): void {
  // A bulk body comes as bytes, or not at all.
  route(edge, contract.createCampaign, ({ caller, body }) =>
    edge.bulk("create-campaign", caller, {}, (body as unknown as Uint8Array | undefined) ?? new Uint8Array()),
  );

  route(edge, contract.addLeads, ({ caller, params, body }) =>
    edge.bulk("add-leads", caller, params, (body as unknown as Uint8Array | undefined) ?? new Uint8Array()),
  );

  route(edge, contract.listCampaigns, async ({ ctx, caller, query }) => {
    const organizationId = requireId("organization", query.organization_id, "Organization");
    const page = await listCampaigns(ctx, caller, { ...pageRequest(query), organizationId, status: query.status });
    return pageAnswer("campaigns", page, campaignView);
  });

  route(edge, contract.getCampaign, async ({ ctx, caller, params }) => ({
    campaign: campaignView(await getCampaign(ctx, caller, params.campaign_id)),
  }));

  route(edge, contract.updateCampaign, async ({ ctx, caller, params, body }) => {
    await editCampaign(ctx, caller, { channel: "sms", campaignId: params.campaign_id }, body);
    return { campaign: campaignView(await getCampaign(ctx, caller, params.campaign_id)) };
  });

  route(edge, contract.pauseCampaign, async ({ ctx, caller, params }) => {
    await pauseCampaign(ctx, caller, params.campaign_id);
    return { campaign: campaignView(await getCampaign(ctx, caller, params.campaign_id)) };
  });

  route(edge, contract.resumeCampaign, async ({ ctx, caller, params }) => {
    await resumeCampaign(ctx, caller, params.campaign_id);
    return { campaign: campaignView(await getCampaign(ctx, caller, params.campaign_id)) };
  });

  route(edge, contract.deleteCampaign, async ({ ctx, caller, params }) => {
    await deleteCampaign(ctx, caller, params.campaign_id);
    return { campaign_id: params.campaign_id, status: "deleted" };
  });

  route(edge, messages.listCampaignMessages, async ({ ctx, caller, params, query, origin }) => {
    const wanted = { ...pageRequest(query), state: query.status, phone: query.phone_number };
    const page = await listMessages(ctx, caller, params.campaign_id, wanted);
    const urlOf = mediaUrls(edge.ctx, caller.tenantId, origin);
    return pageAnswer("messages", page, (message) => messageView(message, params.campaign_id, urlOf));
  });

  route(edge, contract.countCampaignReasons, async ({ ctx, caller, params: { campaign_id } }) => ({
    campaign_id,
    reasons: (await countReasons(ctx, caller, { channel: "sms", campaignId: campaign_id })).map(reasonView),
  }));

  route(edge, messages.resendMessage, async ({ ctx, caller, params, origin }) => {
    const messageId = requireId("message", params.message_id, "Message");
    const message = await resendMessage(ctx, caller, params.campaign_id, messageId);
    return { message: messageView(message, params.campaign_id, mediaUrls(edge.ctx, caller.tenantId, origin)) };
  });

  route(edge, contract.listCampaignLeads, async ({ ctx, caller, params, query }) => {
    const { status: state, reason, phone_number: phone } = query;
    const wanted = { ...pageRequest(query), state, reason, phone };
    const named = { channel: "sms" as const, campaignId: params.campaign_id };
    if (state === "invalid") {
      const page = await listLeftOut(ctx, caller, named, wanted);
      return pageAnswer("leads", page, (lead) => ({ ...leftOutView(lead), thread_id: null }));
    }
    const page = await listRecipients(ctx, caller, named, wanted);
    return pageAnswer("leads", page, (lead) => ({
      ...lead.contact_fields,
      unique_id: publicId("contact", lead.contact_id),
      thread_id: threadIdView(lead.phone, params.campaign_id),
      phone_number: lead.phone,
      state: lead.state === "scheduled" && lead.starting_state === "sending" ? "sending" : lead.state,
      contact_state: contactStateView(lead.contact_fields),
      reason: lead.reason,
      outcome: lead.outcome,
    }));
  });
}

function campaignView(campaign: CampaignReport) {
  return {
    campaign_id: campaign.campaign_id,
    campaign_name: campaign.name,
    organization_id: publicId("organization", campaign.organization_id),
    user_id: publicId("user", campaign.user_id),
    sms_agent_id: publicId("agent", campaign.agent_id),
    agent_version: campaign.agent_version,
    svc_sms_number: campaign.sender,
    status: campaign.status,
    details: { total_contacts: campaign.total, voice_transfer_enabled: campaign.settings.enable_sms_to_voice === true },
    objective: campaign.settings.objective ?? null,
    media_urls: campaign.settings.media_urls ?? [],
    calling_window: campaign.settings.calling_window ?? null,
    voice_agent_id: campaign.settings.voice_agent_id ?? null,
    outbound_number: campaign.settings.outbound_number ?? null,
    contacts_count: campaign.total,
    counts: campaign.counts,
    pending_messages: campaign.pending,
    rate_per_second: campaign.perSecond,
    eta: timeView(campaign.eta),
    waiting_because: campaign.waitingBecause,
    campaign_begin_time: timeView(campaign.begin_at),
    campaign_end_time: timeView(campaign.end_at),
    created_at: campaign.created_at.toISOString(),
    completed_at: timeView(campaign.completed_at),
  };
}
