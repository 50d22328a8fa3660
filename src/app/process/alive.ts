import type { Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";

/** `parley fence lift` looks through the files of a day: each node that ran then is in them. */
const REPORT_EVERY_MS = 3_600_000;

/**
 * Tells the journal that a node runs, as soon as it has its place and then every hour: a database that is put back knows its nodes, and
 * asks for the journal of each. To be called often.
 */
export function aliveReporter(ctx: Pick<Context, "journal" | "node" | "now">): () => Promise<void> {
  let told: { nodeId: Uuid; at: Date } | undefined;
  return async () => {
    const [nodeId, at] = [ctx.node.id, ctx.now()];
    if (told?.nodeId === nodeId && at.getTime() - told.at.getTime() < REPORT_EVERY_MS) return;
    await ctx.journal.append({ kind: "alive", at: at.toISOString(), nodeId });
    told = { nodeId, at };
  };
}
