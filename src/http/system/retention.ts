import * as contract from "#contract/system/retention.ts";
import { LONGEST_DAYS, REQUEST_DAYS, type Retention, shortestDays } from "#domain/system/retention.ts";
import { type Edge, route } from "#http/server/route.ts";
import { changeRetention, readRetention } from "#operations/system/change-retention.ts";

export function retentionRoutes(edge: Edge): void {
  const view = ({ messages, calls, recordings, events, requests }: Retention) => ({
    messages_days: messages,
    calls_days: calls,
    recordings_days: recordings,
    events_days: events,
    requests_days: requests,
    limits: {
      shortest_days: shortestDays(edge.ctx.kept),
      longest_days: LONGEST_DAYS,
      events_days: edge.ctx.kept.eventDays,
      requests_days: REQUEST_DAYS,
    },
  });

  route(edge, contract.getRetention, async ({ ctx, caller }) => ({
    retention: view(await readRetention(ctx, caller)),
  }));

  route(edge, contract.changeRetention, async ({ ctx, caller, body }) => {
    const wanted = {
      messages: body.messages_days,
      calls: body.calls_days,
      recordings: body.recordings_days,
      events: body.events_days,
      requests: body.requests_days,
    };
    return { retention: view(await changeRetention(ctx, caller, wanted)) };
  });
}
