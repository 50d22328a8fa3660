import * as contract from "#contract/messaging/sending.ts";
import { dollarsOf, microsOf } from "#domain/sending/spend-limit.ts";
import { type Edge, route } from "#http/server/route.ts";
import { changeSpendLimit, readSending, type SendingState } from "#operations/sending/limit-spending.ts";
import { resumeSending, stopSending } from "#operations/sending/stop-sending.ts";

export function sendingRoutes(edge: Edge): void {
  const sendingView = ({ stop, limit, zone, spent, isReached, dayEndsAt }: SendingState) => ({
    status: stop ? ("stopped" as const) : ("on" as const),
    stopped_at: stop?.at.toISOString() ?? null,
    stopped_by: stop?.by ?? null,
    reason: stop?.reason ?? null,
    daily_spend_limit: limit === null ? null : dollarsOf(limit),
    time_zone: zone,
    spent_today: dollarsOf(spent),
    is_limit_reached: isReached,
    day_ends_at: dayEndsAt.toISOString(),
    price_per_lookup: edge.ctx.pricePerLookup,
  });

  route(edge, contract.getSending, async ({ ctx, caller }) => ({
    sending: sendingView(await readSending(ctx, caller)),
  }));

  route(edge, contract.changeSending, async ({ ctx, caller, body }) => {
    const { daily_spend_limit: limit, time_zone: zone } = body;
    await changeSpendLimit(ctx, caller, { limit: typeof limit === "string" ? microsOf(limit) : limit, zone });
    return { sending: sendingView(await readSending(ctx, caller)) };
  });

  route(edge, contract.stopSending, async ({ ctx, caller, body }) => {
    const { texts, calls } = await stopSending(ctx, caller, body.reason ?? null);
    const { dialled, ongoing, endingStill } = calls;
    return {
      sending: sendingView(await readSending(ctx, caller)),
      under_way: { texts, calls: { dialled, ongoing, ending_still: endingStill } },
    };
  });

  route(edge, contract.resumeSending, async ({ ctx, caller }) => {
    await resumeSending(ctx, caller);
    return { sending: sendingView(await readSending(ctx, caller)) };
  });
}
