import { failure, notFound } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as dials from "#store/calls/dials.ts";
import * as unknownDials from "#store/calls/unknown-dials.ts";
import * as voiceCampaigns from "#store/campaigns/voice-campaigns.ts";
import * as threads from "#store/messaging/threads.ts";

/**
 * A person's decision on a recipient of whom it is not known whether it was called: call it again, at the risk that its phone rings twice, through
 * the gate like any other; or give it up. Only for one that is `unknown`. Safe to repeat: the same decision again is answered as it is, anything else
 * is a 409.
 */
export async function resolveUnknownCall(
  ctx: Context,
  caller: Caller,
  answer: { campaignId: string; contactId: Uuid; action: "redial" | "give_up" },
): Promise<void> {
  const { tenantId } = caller;
  const campaign = await voiceCampaigns.living(ctx.db, tenantId, answer.campaignId);
  const lead = await unknownDials.recipient(ctx.db, tenantId, campaign.id, answer.contactId);
  if (!lead) throw notFound("Lead");
  const changeId = ctx.newId();
  const [campaignId, threadId] = [campaign.id, lead.id];
  const isNew = await ctx.db.transaction(async (tx) => {
    const realNow = ctx.now();
    const now = await tenants.tenantNow(tx, tenantId, realNow);
    if (answer.action === "give_up") {
      // The thread before its dial, the order in which calls are ended.
      await threads.lock(tx, tenantId, campaignId, threadId);
      if (!(await unknownDials.giveUp(tx, tenantId, { campaignId, threadId, now }))) return false;
      const move = { campaignId, threadId, state: "failed" as const, reason: unknownDials.GIVEN_UP };
      await threads.move(tx, tenantId, [move], changeId, now);
      return true;
    }
    if (now >= campaign.end_at) throw failure("conflict", "The campaign has ended; nobody is called any more");
    // The lane before the campaign and its dials, as a claim locks them.
    await dials.wakeLanes(tx, tenantId, new Map([[campaignId, now]]), { now, realNow });
    if (!(await unknownDials.redial(tx, tenantId, { campaignId, threadId, now, changeId }))) return false;
    await voiceCampaigns.reopen(tx, tenantId, campaignId, now);
    return true;
  });
  if (isNew) {
    const what = answer.action === "redial" ? "an operator has a lead called again" : "an operator gives a lead up";
    ctx.log.info({ tenantId, keyId: caller.keyId, campaignId, threadId }, what);
    return;
  }
  const known = await unknownDials.recipient(ctx.db, tenantId, campaignId, answer.contactId);
  const isDone = answer.action === "redial" ? known?.is_redialed === true : known?.reason === unknownDials.GIVEN_UP;
  if (!isDone)
    throw failure("conflict", `Only a lead that is unknown can be resolved, this is ${known?.state ?? "gone"}`);
}
