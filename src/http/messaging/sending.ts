import * as contract from "#contract/messaging/sending.ts";
import { type Edge, route } from "#http/server/route.ts";
import { readSending, resumeSending, stopSending } from "#operations/sending/stop-sending.ts";

type Stop = Awaited<ReturnType<typeof readSending>>;

const sendingView = (stop: Stop) => ({
  status: stop ? ("stopped" as const) : ("on" as const),
  stopped_at: stop?.at.toISOString() ?? null,
  stopped_by: stop?.by ?? null,
  reason: stop?.reason ?? null,
});

export function sendingRoutes(edge: Edge): void {
  route(edge, contract.getSending, async ({ ctx, caller }) => ({
    sending: sendingView(await readSending(ctx, caller)),
  }));

  route(edge, contract.stopSending, async ({ ctx, caller, body }) => {
    const { stop, texts, calls } = await stopSending(ctx, caller, body.reason ?? null);
    const { dialled, ongoing, endingStill } = calls;
    return { sending: sendingView(stop), under_way: { texts, calls: { dialled, ongoing, ending_still: endingStill } } };
  });

  route(edge, contract.resumeSending, async ({ ctx, caller }) => {
    await resumeSending(ctx, caller);
    return { sending: sendingView(await readSending(ctx, caller)) };
  });
}
