import * as contract from "#contract/campaigns/overview.ts";
import { requireId } from "#domain/values/id.ts";
import { type Edge, route } from "#http/server/route.ts";
import { readOverview } from "#operations/campaigns/read-overview.ts";
import { checkHealth } from "#operations/system/check-health.ts";

export function overviewRoutes(edge: Edge): void {
  const { ctx: own, health } = edge;

  route(edge, contract.getOverview, async ({ ctx, caller, query }) => {
    const organizationId = requireId("organization", query.organization_id, "Organization");
    const timeZone = query.time_zone ?? "UTC";
    const { day, texts, conversations, optOuts, calls, before, problems, checklist } = await readOverview(ctx, caller, {
      organizationId,
      timeZone,
    });
    return {
      overview: {
        day: { date: day.date, time_zone: timeZone, from: day.from.toISOString(), to: day.to.toISOString() },
        texts,
        conversations: { need_person: conversations.needPerson, answer_delayed: conversations.delayed },
        opt_outs: optOuts,
        calls,
        before: { yesterday: pastView(before.yesterday), last_7_days: pastView(before.last7Days) },
        problems: problems.map(({ campaign, ...rest }) => ({ ...rest, campaign_id: campaign })),
        checklist,
        // Which nodes run only the database itself can say.
        health: await checkHealth(own, await health.ready()),
      },
    };
  });
}

type Sums = Awaited<ReturnType<typeof readOverview>>["before"]["yesterday"];

const pastView = ({ texts, optOuts, calls: { total, answered, voicemail } }: Sums) => ({
  texts,
  opt_outs: optOuts,
  calls: { total, answered, voicemail },
});
