import { microsOf, piecesLeft, spendDay, spendLeft } from "#domain/sending/spend-limit.ts";
import { invalidField } from "#domain/values/errors.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as dueJobs from "#store/sending/due-jobs.ts";
import * as spend from "#store/sending/spend.ts";
import * as stops from "#store/sending/stops.ts";

/** Whether anything leaves, and what may be spent today; amounts in millionths of a dollar. */
export type SendingState = {
  stop: stops.Stop | undefined;
  limit: number | null;
  zone: string;
  spent: number;
  isReached: boolean;
  dayEndsAt: Date;
};

export async function readSending(ctx: Context, { tenantId }: Pick<Caller, "tenantId">): Promise<SendingState> {
  const { clockOffsetMs, stop, spending } = await stops.read(ctx.db, tenantId);
  const { limit, zone } = spending;
  const day = spendDay(zone, new Date(ctx.now().getTime() + clockOffsetMs));
  const spent = await spend.read(ctx.db, tenantId, day.date);
  const isReached =
    limit !== null && piecesLeft(spendLeft(limit, spent).outreach, microsOf(ctx.textPrices.segment)) < 1;
  return { stop, limit, zone, spent, isReached, dayEndsAt: day.endsAt };
}

/** Changes what is given. What the day has cost so far counts; what waited for a lower limit is due at once. */
export async function changeSpendLimit(
  ctx: Context,
  { tenantId }: Pick<Caller, "tenantId">,
  change: { limit: number | null | undefined; zone: string | undefined },
): Promise<void> {
  if (change.zone !== undefined && !isZone(change.zone, ctx.now())) {
    throw invalidField("time_zone", "must be the name of a zone, such as America/New_York");
  }
  await ctx.db.transaction(async (tx) => {
    const { spending } = await stops.read(tx, tenantId);
    await spend.change(tx, tenantId, {
      limit: change.limit === undefined ? spending.limit : change.limit,
      zone: change.zone ?? spending.zone,
    });
  });
  await dueJobs.enqueueDue(ctx.db, ctx.now(), tenantId);
}

function isZone(zone: string, now: Date): boolean {
  try {
    return spendDay(zone, now).date !== "";
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
