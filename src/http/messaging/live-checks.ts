import * as contract from "#contract/messaging/live-checks.ts";
import type { LiveCheck } from "#domain/sending/live-check.ts";
import { type Edge, route } from "#http/server/route.ts";
import { checkLive } from "#operations/sending/check-live.ts";

const checkView = ({ carrier, ...rest }: LiveCheck) => ({
  ...rest,
  carrier_id: carrier?.id ?? null,
  carrier_name: carrier?.name ?? null,
});

export function liveCheckRoutes(edge: Edge): void {
  route(edge, contract.getLiveChecks, async ({ ctx, caller }) => {
    const checks = await checkLive(ctx, caller);
    return { mode: caller.mode, is_ready: checks.every(({ ok }) => ok), checks: checks.map(checkView) };
  });
}
