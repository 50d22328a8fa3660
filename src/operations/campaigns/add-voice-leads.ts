import { type Static, Type } from "typebox";
import { MAX_LEADS } from "#contract/campaigns/campaigns.ts";
import { addVoiceLeads as contract } from "#contract/campaigns/voice-campaigns.ts";
import { validator } from "#contract/values/validate.ts";
import { uniqueByPhone } from "#domain/contacts/lead.ts";
import { readLeadBody } from "#domain/contacts/lead-body.ts";
import { invalidField, notFound } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import { requireInstant } from "#domain/values/instant.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as dials from "#store/calls/dials.ts";
import { grow } from "#store/campaigns/campaigns.ts";
import * as voiceCampaigns from "#store/campaigns/voice-campaigns.ts";
import * as voiceLeads from "#store/campaigns/voice-leads.ts";
import * as leadConsents from "#store/compliance/lead-consents.ts";
import * as audience from "#store/contacts/audience.ts";

/** The leads are read by readLeadBody, which can handle 100,000 of them; the rest by the contract's own schema. */
const head = Type.Object({ ...contract.body!.properties, leads: Type.Array(Type.Unknown()) });
const problemsOf = validator(head, "body");

/**
 * Adds leads to a voice campaign, all or nothing. A phone that is in it is skipped and counted, except one that was not called before the campaign's
 * end: it is called after all, once the end is later. Safe to repeat. Takes the request's bytes.
 */
export async function addVoiceLeads(
  ctx: Context,
  caller: Caller,
  params: Record<string, string>,
  bytes: Uint8Array,
): Promise<Record<string, unknown>> {
  const { tenantId } = caller;
  const { body, leads } = readLeadBody<Static<typeof head>>(bytes, {
    field: "leads",
    most: MAX_LEADS,
    tenantId,
    problemsOf,
  });
  const campaign = await voiceCampaigns.find(ctx.db, tenantId, params.campaign_id!);
  if (!campaign || campaign.status === "deleted") throw notFound("Campaign");
  const from = { organizationId: campaign.organization_id, most: MAX_LEADS };
  const stored = await audience.read(ctx.db, tenantId, body, from);
  const brought = uniqueByPhone(leads);
  const wanted = body.campaign_end_time;
  const newEnd = wanted === undefined ? undefined : requireInstant("campaign_end_time", wanted);
  if (newEnd && newEnd < campaign.end_at) {
    throw invalidField("campaign_end_time", `must not be before ${campaign.end_at.toISOString()}, the campaign's end`);
  }
  const done = await ctx.db.transaction(async (tx) => {
    const present = await audience.lockPresent(tx, tenantId, stored);
    const now = await tenants.tenantNow(tx, tenantId, ctx.now());
    const endAt = newEnd ?? campaign.end_at;
    const dueAt = campaign.begin_at > now ? campaign.begin_at : now;
    const target = {
      tenantId,
      campaignId: campaign.id,
      organizationId: campaign.organization_id,
      agentId: campaign.agent_id,
      agentVersion: campaign.agent_version,
      dueAt,
    };
    // A campaign that called its own number would talk to itself.
    const unique = uniqueByPhone([...present, ...leads]).filter(({ phone }) => phone !== campaign.sender);
    await leadConsents.bring(tx, tenantId, brought, { now, newId: ctx.newId });
    const parts = { now, newId: ctx.newId };
    const added = await voiceLeads.insertAll(tx, target, unique, parts);
    const requeued =
      endAt > now ? await voiceLeads.requeue(tx, target, unique.map(({ phone }) => phone).sort(), parts) : 0;
    await dials.wakeLanes(tx, tenantId, new Map<Uuid, Date>([[campaign.id, dueAt]]), { now, realNow: ctx.now() });
    if (newEnd) await voiceCampaigns.prolong(tx, tenantId, campaign.id, newEnd);
    if (!(await grow(tx, tenantId, campaign.id, added, now))) throw notFound("Campaign");
    if (requeued > 0) await voiceCampaigns.reopen(tx, tenantId, campaign.id, now);
    return { added, requeued };
  });
  const { added, requeued } = done;
  return {
    message: `${added} lead${added === 1 ? "" : "s"} added`,
    campaign_id: campaign.campaign_id,
    details: {
      leads_added: added,
      leads_requeued: requeued,
      leads_skipped: stored.length + body.leads.length - added - requeued,
    },
  };
}
