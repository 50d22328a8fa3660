import { type Static, Type } from "typebox";
import { addLeads as contract } from "#contract/campaigns/campaigns.ts";
import { renamer } from "#contract/values/names.ts";
import { warner } from "#contract/values/unknown-names.ts";
import { validator } from "#contract/values/validate.ts";
import { dripsOf } from "#domain/sending/templates.ts";
import type { BulkOperation } from "#operations/context.ts";
import { type Campaign, living } from "#store/campaigns/campaigns.ts";
import * as campaignLeads from "#store/campaigns/leads.ts";
import * as lanes from "#store/sending/lanes.ts";
import { add, type Channel } from "./add-steps.ts";

/** The leads are read by readLeadBody, which can handle 100,000 of them; the rest by the contract's own schema. */
const head = Type.Object({ ...contract.body!.properties, clients: Type.Array(Type.Unknown()) });

const TEXTS: Channel<Campaign, Static<typeof head>> = {
  field: "clients",
  renamed: renamer(contract, head),
  problemsOf: validator(head, "body"),
  warningsOf: warner(head, "field"),
  living,
  async prepare(ctx, tenantId, campaign, { config }) {
    const { id: campaignId, organization_id: organizationId, lane_id: laneId } = campaign;
    const drips = dripsOf(config);
    return {
      async store(tx, leads, { now, dueAt }) {
        const target = { tenantId, campaignId, organizationId, laneId };
        const steps = campaignLeads.plannedSteps(drips, dueAt);
        const added = await campaignLeads.insertAll(tx, target, leads, steps, { now, newId: ctx.newId });
        await lanes.wake(tx, tenantId, [laneId], dueAt);
        return { added };
      },
      details: ({ added, skipped }) => ({
        leads_added: added,
        leads_skipped: skipped,
        drips_scheduled: added * drips.length,
      }),
    };
  },
};

export const addLeads: BulkOperation = (ctx, caller, params, bytes) =>
  add(TEXTS, ctx, caller, params.campaign_id!, bytes);
