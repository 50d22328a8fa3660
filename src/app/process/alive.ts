import type { Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";

/** `parley fence lift` reads the files of a day: each node that ran then must be in them. */
const REPORT_EVERY_MS = 3_600_000;

/**
 * Notes in the journal that a node runs, as soon as it has its place and then every hour: after a restore the journal of each
 * known node is needed. To be called often.
 */
export function aliveReporter(ctx: Pick<Context, "journal" | "node" | "now">): () => Promise<void> {
  let reported: { nodeId: Uuid; at: Date } | undefined;
  return async () => {
    const [nodeId, at] = [ctx.node.id, ctx.now()];
    if (reported?.nodeId === nodeId && at.getTime() - reported.at.getTime() < REPORT_EVERY_MS) return;
    await ctx.journal.append({ kind: "alive", at: at.toISOString(), nodeId });
    reported = { nodeId, at };
  };
}
