import * as fence from "#store/fence.ts";
import type { Context } from "./context.ts";

/**
 * Raises the restore fence when the database is behind a record of it: it was put back to an earlier day, and what was sent
 * and who said stop since then is not in it. A record of another database says nothing. Answers with the reason.
 */
export async function guardAgainstPast(
  ctx: Context,
  seen: { cluster: string; mark: number } | undefined,
): Promise<string | undefined> {
  return ctx.db.transaction(async (tx) => {
    const now = await fence.read(tx);
    if (seen === undefined || seen.cluster !== now.id || seen.mark <= now.mark) return now.fence_reason ?? undefined;
    const reason = `the database is behind this machine's record of it, at ${now.mark} of ${seen.mark}`;
    await fence.raise(tx, reason, ctx.now());
    return reason;
  });
}

/** By hand: after a restore that no machine has a record of. False when it was up already. */
export const raiseFence = (ctx: Context, reason: string): Promise<boolean> => fence.raise(ctx.db, reason, ctx.now());

/** One step further, to be recorded outside the database. */
export async function advanceMark(ctx: Context): Promise<{ cluster: string; mark: number }> {
  const { id, mark } = await fence.advance(ctx.db);
  return { cluster: id, mark };
}

/** Why nothing is sent; undefined when it is. */
export const fenceReason = async (ctx: Context): Promise<string | undefined> =>
  (await fence.read(ctx.db)).fence_reason ?? undefined;
