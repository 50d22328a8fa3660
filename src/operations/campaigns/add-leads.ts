import { type Static, Type } from "typebox";
import { addLeads as contract, MAX_LEADS } from "#contract/campaigns/campaigns.ts";
import { validator } from "#contract/values/validate.ts";
import { uniqueByPhone } from "#domain/contacts/lead.ts";
import { readLeadBody } from "#domain/contacts/lead-body.ts";
import { dripsOf } from "#domain/sending/templates.ts";
import { notFound } from "#domain/values/errors.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as agents from "#store/agents/agents.ts";
import { find, grow } from "#store/campaigns/campaigns.ts";
import * as campaignLeads from "#store/campaigns/leads.ts";
import * as leadConsents from "#store/compliance/lead-consents.ts";
import * as audience from "#store/contacts/audience.ts";
import * as lanes from "#store/sending/lanes.ts";

/** The leads are read by readLeadBody, which can handle 100,000 of them; the rest by the contract's own schema. */
const head = Type.Object({ ...contract.body!.properties, clients: Type.Array(Type.Unknown()) });
const problemsOf = validator(head, "body");

/**
 * Adds leads to a campaign, all or nothing: a phone that is in the campaign and a lead without a usable one are skipped and counted. Safe to repeat.
 * Takes the request's bytes, as create-campaign does.
 */
export async function addLeads(
  ctx: Context,
  caller: Caller,
  params: Record<string, string>,
  bytes: Uint8Array,
): Promise<Record<string, unknown>> {
  const { tenantId } = caller;
  const { body, leads } = readLeadBody<Static<typeof head>>(bytes, {
    field: "clients",
    most: MAX_LEADS,
    tenantId,
    problemsOf,
  });

  const campaign = await find(ctx.db, tenantId, params.campaign_id!);
  if (!campaign || campaign.status === "deleted") throw notFound("Campaign");
  const target = { organizationId: campaign.organization_id, most: MAX_LEADS };
  const stored = await audience.read(ctx.db, tenantId, body, target);
  const config = await agents.configOf(ctx.db, tenantId, campaign.agent_id, campaign.agent_version);
  const drips = dripsOf(config);
  const brought = uniqueByPhone(leads);
  const added = await ctx.db.transaction(async (tx) => {
    const present = await audience.lockPresent(tx, tenantId, stored);
    const now = await tenants.tenantNow(tx, tenantId, ctx.now());
    const dueAt = campaign.begin_at !== null && campaign.begin_at > now ? campaign.begin_at : now;
    const into = {
      tenantId,
      campaignId: campaign.id,
      organizationId: campaign.organization_id,
      laneId: campaign.lane_id,
    };
    const steps = campaignLeads.plannedSteps(drips, dueAt);
    // A campaign that texted its own number would answer itself for ever.
    const unique = uniqueByPhone([...present, ...leads]).filter(({ phone }) => phone !== campaign.sender);
    await leadConsents.bring(tx, tenantId, brought, { now, newId: ctx.newId });
    const count = await campaignLeads.insertAll(tx, into, unique, steps, { now, newId: ctx.newId });
    await lanes.wake(tx, tenantId, [campaign.lane_id], dueAt);
    if (!(await grow(tx, tenantId, campaign.id, count, now))) throw notFound("Campaign");
    return count;
  });
  return {
    message: `${added} lead${added === 1 ? "" : "s"} added`,
    campaign_id: campaign.campaign_id,
    details: {
      leads_added: added,
      leads_skipped: stored.length + body.clients.length - added,
      drips_scheduled: added * drips.length,
    },
  };
}
