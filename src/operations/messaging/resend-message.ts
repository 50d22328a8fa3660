import { refuseArchived } from "#domain/accounts/organization.ts";
import { failure, notFound } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as organizations from "#store/accounts/organizations.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as campaigns from "#store/campaigns/campaigns.ts";
import * as attempts from "#store/messaging/attempts.ts";
import * as messages from "#store/messaging/messages.ts";
import * as lanes from "#store/sending/lanes.ts";

/**
 * An operator's decision on a text of which it is not known whether it was sent: send it again, at the risk that the contact gets it twice. Only for
 * `unknown`; it leaves through the gate like any other. Safe to repeat: one that waits to be resent is answered as it is, one that has been is a 409.
 * If the carrier reports late that the first was taken, the second is withdrawn, until it leaves.
 */
export async function resendMessage(
  ctx: Context,
  caller: Caller,
  campaignId: string,
  messageId: Uuid,
): Promise<messages.Message> {
  const { tenantId } = caller;
  const campaign = await campaigns.living(ctx.db, tenantId, campaignId);
  const organization = await organizations.find(ctx.db, tenantId, campaign.organization_id);
  if (organization) refuseArchived(organization);
  const { message, isNew } = await ctx.db.transaction(async (tx) => {
    const now = await tenants.tenantNow(tx, tenantId, ctx.now());
    // Locks in the order of those who settle it: the attempt, its message, the lane.
    const given = await attempts.giveUp(tx, tenantId, {
      campaignId: campaign.id,
      messageId,
      now,
      changeId: ctx.newId(),
    });
    const found = await messages.find(tx, tenantId, campaign.id, messageId);
    if (!found) throw notFound("Message");
    if (given) await lanes.wake(tx, tenantId, [campaign.lane_id], now);
    else if (found.reason !== attempts.RESENT) {
      throw failure("conflict", `Only a message that is unknown can be resent, this is ${found.state}`);
    }
    return { message: found, isNew: given };
  });
  if (isNew) {
    ctx.log.info({ tenantId, keyId: caller.keyId, campaignId: campaign.id, messageId }, "an operator resends a text");
  }
  return message;
}
