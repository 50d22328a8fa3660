import { warned } from "#contract/values/unknown-names.ts";
import { missingFields } from "#domain/campaigns/missing-fields.ts";
import { templatesOf } from "#domain/sending/templates.ts";
import { NO_ID } from "#domain/values/id.ts";
import { smsCarrier } from "#operations/carriers.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as agents from "#store/agents/agents.ts";
import * as campaigns from "#store/campaigns/campaigns.ts";
import * as preflights from "#store/sending/preflight.ts";

/**
 * Reports what is still ahead of a campaign: its recipients whose starting message waits, as if it were not paused. Reads them in sets, in a thread
 * of its own, and changes nothing.
 */
export async function preflightCampaign(
  ctx: Context,
  caller: Caller,
  params: Record<string, string>,
): Promise<Record<string, unknown>> {
  const { tenantId } = caller;
  const found = await campaigns.living(ctx.db, tenantId, params.campaign_id!);
  const realNow = ctx.now();
  const now = await tenants.tenantNow(ctx.db, tenantId, realNow);
  const config = await agents.configOf(ctx.db, tenantId, found.agent_id, found.agent_version);
  const templates = templatesOf(found.agent_id, found.agent_version, config);
  const campaign = { ...found, channel: "sms" as const, organizationId: found.organization_id, config, templates };
  const carrier = await smsCarrier(ctx.carriers, ctx.db, caller, found.carrier);
  const sender = { carrier, number: found.sender, prices: ctx.textPrices, firstHourTexts: ctx.firstHourTexts };
  const begun = await preflights.begin(ctx.db, tenantId, campaign, sender, { now, realNow });
  const rules = { ...ctx, checksReassigned: ctx.reassignedNumbers !== undefined };
  const missing = missingFields(config);
  for (let after = NO_ID; ; ) {
    const recipients = await preflights.waiting(ctx.db, tenantId, found.id, after);
    for (const recipient of recipients) missing.add(recipient);
    await preflights.assess(ctx.db, tenantId, campaign, recipients, rules, begun);
    if (recipients.length < preflights.PREFLIGHT_BATCH) break;
    after = recipients.at(-1)!.id;
  }
  const { callingWindows } = ctx;
  const preflight = preflights.conclude(begun, campaign, { ...sender, campaignId: found.id, callingWindows });
  return warned({ preflight }, missing.warnings());
}
