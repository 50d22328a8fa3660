import * as contract from "#contract/numbers/lookups.ts";
import { costOf } from "#domain/messaging/price.ts";
import { MAX_LINE_AGE_DAYS, takesTexts } from "#domain/phones/line-type.ts";
import { dollarsOf } from "#domain/sending/spend-limit.ts";
import { requireId } from "#domain/values/id.ts";
import { type Edge, route } from "#http/server/route.ts";
import { lineLookupView } from "#http/server/views.ts";
import { getNumberLookup, lookUpCampaign, lookUpList, lookUpNumber } from "#operations/numbers/look-up-numbers.ts";

type Line = Awaited<ReturnType<typeof getNumberLookup>>;

export function numberLookupRoutes(edge: Edge): void {
  const price = edge.ctx.pricePerLookup;
  const paidFor = (count: number) => ({
    price_per_lookup: price,
    amount: costOf(count, price),
    currency: "USD",
  });

  route(edge, contract.lookUpNumber, async ({ ctx, caller, body, signal }) => {
    const wanted = { ...howOf(body), phone: body.phone_number };
    const { line, isPaid } = await lookUpNumber(ctx, caller, wanted, signal);
    return { lookup: view(line), paid: isPaid, ...paidFor(isPaid ? 1 : 0) };
  });

  route(edge, contract.getNumberLookup, async ({ ctx, caller, params }) => ({
    lookup: view(await getNumberLookup(ctx, caller, params.phone_number)),
  }));

  route(edge, contract.lookUpCampaign, async ({ ctx, caller, params, body, signal }) => {
    const wanted = { ...howOf(body), campaignId: params.campaign_id, most: body.max_lookups };
    const { lookedUp, ...counts } = await lookUpCampaign(ctx, caller, wanted, signal);
    return { ...counts, looked_up: lookedUp, ...paidFor(lookedUp) };
  });

  route(edge, contract.lookUpList, async ({ ctx, caller, params, body }) => {
    const listId = requireId("list", params.list_id, "List");
    const wanted = { ...howOf(body), listId, isDryRun: body.dry_run ?? false };
    const { list, left, ...counts } = await lookUpList(ctx, caller, wanted);
    const rest = { spend_left: left === null ? null : dollarsOf(left), line_lookup: lineLookupView(list) };
    return { ...counts, ...rest, ...paidFor(counts.contacts - counts.known) };
  });
}

const howOf = ({ carrier_id, max_age_days = MAX_LINE_AGE_DAYS }: { carrier_id?: string; max_age_days?: number }) => ({
  carrierId: carrier_id === undefined ? undefined : requireId("carrier", carrier_id, "Carrier"),
  maxAgeDays: max_age_days,
});

const view = ({ phone, line_type, carrier_name, carrier, looked_up_at }: Line) => ({
  phone_number: phone,
  line_type,
  takes_texts: takesTexts(line_type),
  carrier_name,
  carrier_id: carrier,
  looked_up_at: looked_up_at.toISOString(),
});
