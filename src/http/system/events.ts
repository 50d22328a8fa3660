import * as contract from "#contract/system/events.ts";
import { eventView } from "#http/server/event-view.ts";
import type { Following } from "#http/server/follower.ts";
import { type Edge, route } from "#http/server/route.ts";
import { eventFilter, listEvents } from "#operations/system/read-events.ts";

export function eventRoutes(edge: Edge): void {
  route(edge, contract.listEvents, async ({ ctx, caller, query }) => {
    const filter = await eventFilter(ctx, caller, query);
    const page = await listEvents(ctx, caller, filter, { after: query.after, limit: query.limit ?? 100 });
    return {
      events: page.events.map(eventView),
      count: page.events.length,
      has_more: page.hasMore,
      next_after: page.nextAfter,
      oldest_seq: page.oldest,
      newest_seq: page.newest,
    };
  });

  route(edge, contract.streamEvents, async ({ ctx, caller, query }): Promise<Following> => {
    return { caller, filter: await eventFilter(ctx, caller, query), after: query.after };
  });
}
