import { numberKind } from "#domain/numbers/rate-limits.ts";
import { normalizePhone } from "#domain/phones/phone.ts";
import { type FieldProblem, failure, notFound, refuseInvalid } from "#domain/values/errors.ts";
import { asRefusal, requireRegistry, senderCarrier } from "#operations/carriers.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as brands from "#store/numbers/brands.ts";
import * as tenDlcCampaigns from "#store/numbers/ten-dlc-campaigns.ts";

/**
 * Assigns numbers to an ACTIVE 10DLC campaign, with the registry first. 409 for a campaign that is not ACTIVE; 400 naming every number that is
 * invalid, is not local, or is not the tenant's to send from.
 */
export async function assignTenDlcNumbers(
  ctx: Context,
  caller: Caller,
  id: string,
  given: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const { tenantId } = caller;
  const campaign = await tenDlcCampaigns.find(ctx.db, tenantId, id);
  if (!campaign) throw notFound("10DLC campaign");
  const brand = await brands.find(ctx.db, tenantId, campaign.brand_id);
  const phones = await readNumbers(ctx, caller, given, brand?.carrier ?? null);
  if (campaign.status !== "ACTIVE") {
    throw failure("conflict", `Only an ACTIVE 10DLC campaign can have numbers, this is ${campaign.status}`);
  }
  const registry = await requireRegistry(ctx, caller, brand?.carrier ?? null);
  await registry.assignNumbers(campaign.id, phones, signal).catch((error) => {
    throw asRefusal(error);
  });
  const now = await tenants.tenantNow(ctx.db, tenantId, ctx.now());
  await tenDlcCampaigns.assign(ctx.db, tenantId, phones, { id: campaign.id, brand_id: campaign.brand_id, now });
}

async function readNumbers(
  ctx: Context,
  caller: Caller,
  given: readonly string[],
  account: string | null,
): Promise<string[]> {
  const problems: FieldProblem[] = [];
  const phones = new Set<string>();
  for (const [i, text] of given.entries()) {
    const field = `phone_numbers[${i}]`;
    const normal = normalizePhone(text);
    if ("problem" in normal) problems.push({ field, message: normal.problem });
    else if (numberKind(normal.phone) !== "local") {
      problems.push({ field, message: "must be a local number of the US or Canada: 10DLC has no other" });
    } else {
      const by = await senderCarrier(ctx.carriers, ctx.db, caller, normal.phone);
      if ("problem" in by) problems.push({ field, message: by.problem });
      else if (account !== null && by.carrier.name !== account)
        problems.push({ field, message: "is on another carrier account than the campaign's brand" });
      else phones.add(normal.phone);
    }
  }
  refuseInvalid(problems);
  return [...phones].sort();
}
