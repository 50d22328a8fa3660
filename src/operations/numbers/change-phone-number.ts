import { refuseForeign } from "#domain/accounts/organization.ts";
import { type PhoneNumber, provisioningFailed, refuseShared, requirePhone } from "#domain/numbers/phone-number.ts";
import { failure, invalidField, notFound } from "#domain/values/errors.ts";
import { asRefusal, heeded, stockNamed } from "#operations/carriers.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as agents from "#store/agents/agents.ts";
import * as numbers from "#store/numbers/phone-numbers.ts";

/**
 * Links a number to the voice agent that answers calls to it; `agent` is either of its ids. 404 for a number that the tenant does not have, 400 for
 * an SMS agent or one of another organization, `agent_not_found` for one that is not there.
 */
export async function linkPhoneNumber(
  ctx: Context,
  caller: Caller,
  text: string,
  agentName: string,
): Promise<PhoneNumber> {
  const { tenantId } = caller;
  const phone = requirePhone("phone_number", text);
  const number = await numbers.find(ctx.db, tenantId, phone);
  if (!number) throw notFound("Phone number");
  refuseShared(number, caller);
  return ctx.db.transaction(async (tx) => {
    const named = await agents.findByAnyId(tx, tenantId, agentName);
    const agent = named && (await agents.hold(tx, tenantId, named.id));
    if (!agent) throw failure("agent_not_found", "Agent not found");
    if (agent.type !== "voice") throw invalidField("agent_id", "must be a voice agent");
    if (number.organization_id !== null) refuseForeign(number.organization_id, { agent_id: agent });
    const linked = await numbers.link(tx, tenantId, phone, agent.id, ctx.now());
    if (!linked) throw failure("update_failed", "Update failed: the number was given back meanwhile");
    return linked;
  });
}

/** Gives a number back to its carrier; 409 while a campaign that is not over calls or texts from it. */
export async function releasePhoneNumber(
  ctx: Context,
  caller: Caller,
  text: string,
  signal: AbortSignal,
): Promise<string> {
  const { tenantId } = caller;
  const phone = requirePhone("phone_number", text);
  const number = await numbers.find(ctx.db, tenantId, phone);
  if (!number) throw notFound("Phone number");
  refuseShared(number, caller);
  if ((await numbers.usedBy(ctx.tenantDb, tenantId, phone)) !== undefined) {
    const campaign = await numbers.usedBy(ctx.db, tenantId, phone);
    const which = campaign === undefined ? "A campaign of another organization" : `The campaign ${campaign}`;
    throw failure("conflict", `${which} uses this number`);
  }
  const stock = await stockNamed(ctx, caller, number.carrier);
  if (!stock && number.account_name !== null)
    throw failure("conflict", `The account ${number.account_name} gives no numbers back: do it at the carrier itself`);
  if (!stock) throw provisioningFailed(`the carrier ${number.carrier} is not configured any more`);
  // First the carrier, where releasing twice is harmless: a row that stays behind can be deleted again, but a number without a row would be paid for
  // unnoticed.
  await heeded(ctx, tenantId, stock.account, stock.inventory.release(tenantId, phone, signal)).catch((error) => {
    throw asRefusal(error);
  });
  await numbers.remove(ctx.db, tenantId, phone, ctx.now());
  return phone;
}
