import type { Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import type { SeenMark } from "#ports/journal.ts";
import * as fence from "#store/system/fence.ts";

/**
 * Raises the restore fence when the database is behind this machine's record of it: it was restored to an earlier day, and texts and opt-outs since
 * then are missing from it. A record of another database is ignored. Returns the reason for which the fence is up.
 */
export async function guardAgainstPast(
  ctx: Context,
  seen: (cluster: Uuid) => SeenMark | undefined,
): Promise<string | undefined> {
  return ctx.db.transaction(async (tx) => {
    const { id } = await fence.read(tx);
    // Before the mark: the machine's other workers keep advancing both, the record last.
    const record = seen(id);
    const now = await fence.read(tx);
    if (record === undefined || record.mark <= now.mark) return now.fence_reason ?? undefined;
    const reason = `the database is behind this machine's record of it, at ${now.mark} of ${record.mark}`;
    await fence.raise(tx, { reason, asOf: record.asOf(now.mark) ?? null, now: ctx.now() });
    // The process that lifts the fence has only its own machine's record: this machine's record has taken effect now, and must not raise the fence
    // again.
    await fence.advance(tx, record.mark);
    // Where the fence was up before, the mark may be another machine's by now, and not the restored database's own.
    return now.fence_reason ?? reason;
  });
}

/** By hand: after a restore, to `asOf` if that is known, of which no machine has a record. False when it was up already. */
export const raiseFence = (ctx: Context, cause: { reason: string; asOf: Date | undefined }): Promise<boolean> =>
  ctx.db.transaction((tx) => fence.raise(tx, { reason: cause.reason, asOf: cause.asOf ?? null, now: ctx.now() }));

/** Advances the mark by one step, to be recorded outside the database. */
export async function advanceMark(ctx: Context): Promise<{ cluster: Uuid; mark: number }> {
  const { id, mark } = await fence.advance(ctx.db);
  return { cluster: id, mark };
}

/** The reason why nothing is sent; undefined when sending is allowed. */
export const fenceReason = async (ctx: Context): Promise<string | undefined> =>
  (await fence.read(ctx.db)).fence_reason ?? undefined;
