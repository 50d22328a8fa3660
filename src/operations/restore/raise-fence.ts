import type { Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import type { SeenMark } from "#ports/journal.ts";
import * as fence from "#store/system/fence.ts";

/**
 * Raises the restore fence when the database is behind a record of it: it was put back to an earlier day, and what was sent
 * and who said stop since then is not in it. A record of another database says nothing. Answers with the reason for which it is up.
 */
export async function guardAgainstPast(
  ctx: Context,
  seen: (cluster: Uuid) => SeenMark | undefined,
): Promise<string | undefined> {
  return ctx.db.transaction(async (tx) => {
    const { id } = await fence.read(tx);
    // Before the mark: the machine's other workers move both on all the while, the record last.
    const record = seen(id);
    const now = await fence.read(tx);
    if (record === undefined || record.mark <= now.mark) return now.fence_reason ?? undefined;
    const reason = `the database is behind this machine's record of it, at ${now.mark} of ${record.mark}`;
    await fence.raise(tx, { reason, asOf: record.asOf(now.mark) ?? null, now: ctx.now() });
    // Whoever lifts it knows his own machine's record only: this one has spoken, and is not to raise it again.
    await fence.advance(tx, record.mark);
    // Where it was up before, the mark may be another machine's by now, and not what the database came back with.
    return now.fence_reason ?? reason;
  });
}

/** By hand: after a restore, to `asOf` if that is known, that no machine has a record of. False when it was up already. */
export const raiseFence = (ctx: Context, it: { reason: string; asOf: Date | undefined }): Promise<boolean> =>
  ctx.db.transaction((tx) => fence.raise(tx, { reason: it.reason, asOf: it.asOf ?? null, now: ctx.now() }));

/** One step further, to be recorded outside the database. */
export async function advanceMark(ctx: Context): Promise<{ cluster: Uuid; mark: number }> {
  const { id, mark } = await fence.advance(ctx.db);
  return { cluster: id, mark };
}

/** Why nothing is sent; undefined when it is. */
export const fenceReason = async (ctx: Context): Promise<string | undefined> =>
  (await fence.read(ctx.db)).fence_reason ?? undefined;
