import * as contract from "#contract/events.ts";
import { eventFilter, listEvents } from "#operations/read-events.ts";
import { eventView } from "../event-view.ts";
import type { Following } from "../follower.ts";
import { type Edge, route } from "../route.ts";

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
