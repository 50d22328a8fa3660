import { judgedSince, nextRest, recentRefusals, restReason } from "#domain/numbers/health.ts";
import type { Context } from "#operations/context.ts";
import * as tenants from "#store/accounts/tenants.ts";
import type { CountedPage } from "#store/campaigns/activity-counting.ts";
import * as numberCounting from "#store/campaigns/number-counting.ts";
import type { Tx } from "#store/database/db.ts";
import * as rests from "#store/numbers/rests.ts";

/** Counts the calls of a page of the log by number, and begins the rest of numbers that have become bad with it. */
export async function judgeNumbers(ctx: Pick<Context, "now" | "log">, tx: Tx, page: CountedPage): Promise<void> {
  const [tenantId] = page;
  const seen = await numberCounting.count(tx, page);
  if (seen.length === 0) return;
  const now = await tenants.tenantNow(tx, tenantId, ctx.now());
  const refusals = await numberCounting.refusalsOf(tx, page);
  const known = await rests.lock(tx, tenantId, seen.toSorted());
  const placed = await rests.placedAbout(tx, tenantId, [...refusals.keys()], now);
  // No window is longer. A tenant that calls no more keeps the last of them.
  await rests.forgetBefore(tx, tenantId, judgedSince(now));
  const sums = await rests.sums(tx, tenantId, judgedSince(now), false);
  const kept = new Map<string, Date[]>();
  const begun: rests.NewRest[] = [];
  for (const number of seen) {
    const before = known.get(number);
    const restingUntil = before?.resting_until ?? null;
    // Calls that were on their way when the rest began say nothing new.
    if (restingUntil !== null && restingUntil > now) continue;
    const fresh = (refusals.get(number) ?? []).filter((at) => restingUntil === null || at >= restingUntil);
    const { times, isTooMany } = recentRefusals(
      (before?.refusals ?? []).map((at) => new Date(at)),
      fresh,
      placed.get(number) ?? 0,
    );
    const reason = isTooMany ? "unwanted" : restReason(number, sums);
    if (reason !== undefined) {
      const next = nextRest({ rests: before?.rests ?? 0, endedAt: restingUntil }, now);
      begun.push({ number, reason, ...next });
    } else if (fresh.length > 0) {
      kept.set(number, times);
    }
  }
  await rests.keepRefusals(tx, tenantId, kept);
  await rests.begin(tx, tenantId, begun, now);
  for (const { number, until, reason } of begun)
    ctx.log.warn({ tenantId, number, until, reason }, "a number rests: nothing of a campaign is called from it");
}
