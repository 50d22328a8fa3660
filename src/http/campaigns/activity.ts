import * as contract from "#contract/campaigns/activity.ts";
import type { ActivityKey } from "#domain/campaigns/activity.ts";
import { type Edge, route } from "#http/server/route.ts";
import { breakDownActivity, readActivity } from "#operations/campaigns/read-activity.ts";

export function activityRoutes(edge: Edge): void {
  route(edge, contract.getActivity, async ({ ctx, caller, query }) => {
    const interval = query.interval === "hour" ? "hour" : "day";
    const { totals, series, ...wanted } = await readActivity(ctx, caller, query, interval);
    return {
      activity: {
        ...headView(wanted),
        interval,
        totals,
        series: series.map(({ at, ...figures }) => ({ at: at.toISOString(), ...figures })),
      },
    };
  });

  route(edge, contract.getActivityBreakdown, async ({ ctx, caller, query }) => {
    const { rows, ...wanted } = await breakDownActivity(ctx, caller, query, query.by as ActivityKey);
    return { breakdown: { ...headView(wanted), by: query.by, rows } };
  });
}

const headView = ({ from, to, timeZone }: { from: Date; to: Date; timeZone: string }) => ({
  from: from.toISOString(),
  to: to.toISOString(),
  time_zone: timeZone,
});
