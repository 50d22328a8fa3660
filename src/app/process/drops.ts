import type { NetworkDrops } from "#domain/system/network-drop.ts";
import type { Context } from "#operations/context.ts";
import * as nodes from "#store/system/nodes.ts";

/** Every public address gets some unsolicited packets a minute: more drops than these are logged. */
const FLOOD = { drops: 1_000, withinMs: 60_000 };

const sumOf = (drops: NetworkDrops): number => Object.values(drops).reduce((sum, n) => sum + n, 0);

/** Writes down what this node has dropped whenever it was more, for `/metrics` and `GET /v1/system`; a flood is in the log as well, once a minute. To be called often. */
export function dropReporter(
  ctx: Pick<Context, "db" | "node" | "now" | "log">,
  drops: () => NetworkDrops,
): () => Promise<void> {
  let noted = "";
  let minute = { sinceMs: ctx.now().getTime(), drops: 0 };
  return async () => {
    const now = drops();
    const passedMs = ctx.now().getTime() - minute.sinceMs;
    if (passedMs >= FLOOD.withinMs) {
      const more = sumOf(now) - minute.drops;
      if (more > FLOOD.drops) ctx.log.warn({ drops: now, more }, "much that came over the network was dropped");
      minute = { sinceMs: minute.sinceMs + passedMs, drops: sumOf(now) };
    }
    const text = `${ctx.node.id} ${JSON.stringify(now)}`;
    if (text === noted || sumOf(now) === 0) return;
    await nodes.noteDrops(ctx.db, ctx.node.id, now);
    noted = text;
  };
}
