import { CALL_PROBLEMS } from "#domain/calls/problem.ts";
import { type Counts, OUTCOMES } from "#domain/campaigns/activity.ts";
import { invalidField, notFound } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import { type LocalDay, localDays } from "#domain/values/local-day.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as organizations from "#store/accounts/organizations.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as activity from "#store/campaigns/activity.ts";
import * as overview from "#store/campaigns/overview.ts";
import * as threadLists from "#store/messaging/thread-lists.ts";

/** At most this many kinds of failure are shown; the lists have the rest. */
const MAX_PROBLEMS = 10;

export type Problem = overview.Problem & { channel: "sms" | "voice" };

/** An organization's figures of the current day, in the tenant's time. 400 for a zone that does not exist. */
export async function readOverview(
  ctx: Context,
  { tenantId }: Caller,
  { organizationId, timeZone }: { organizationId: Uuid; timeZone: string },
) {
  if (!(await organizations.find(ctx.db, tenantId, organizationId))) throw notFound("Organization");
  const day = dayOf(timeZone, await tenants.tenantNow(ctx.db, tenantId, ctx.now()));
  const wanted = { organizationId, from: new Date(day.start), to: new Date(day.end) };
  const week = lastWeek(timeZone, day);
  const [sums, counts, failedTexts, failedCalls, checklist, conversations] = await Promise.all([
    sumsOf(ctx, tenantId, wanted),
    // Days that are over are in the counts: their events and calls are not read again.
    activity.read(ctx.db, tenantId, "day", {
      ...ALL,
      from: new Date(Math.floor(week[0]!.start / HOUR_MS) * HOUR_MS),
      to: wanted.from,
      timeZone,
      organizationId,
    }),
    overview.failedTexts(ctx.db, tenantId, wanted, MAX_PROBLEMS),
    overview.failedCalls(ctx.db, tenantId, wanted, MAX_PROBLEMS, CALL_PROBLEMS),
    overview.begun(ctx.db, tenantId, organizationId),
    threadLists.waiting(ctx.db, tenantId, organizationId),
  ]);
  const problems: Problem[] = [
    ...failedTexts.map((text) => ({ channel: "sms" as const, ...text })),
    ...failedCalls.map((call) => ({ channel: "voice" as const, ...call })),
  ];
  problems.sort((a, b) => b.count - a.count);
  const past = week.map(({ start }) => counts.get(String(start)) ?? new Map());
  return {
    day: { date: day.date, ...wanted },
    ...sums,
    before: { yesterday: sumsOfCounts(past.slice(-1)), last7Days: sumsOfCounts(past) },
    conversations,
    problems: problems.slice(0, MAX_PROBLEMS),
    checklist,
  };
}

async function sumsOf(ctx: Context, tenantId: Uuid, wanted: overview.DayWanted) {
  const [texts, optOuts, calls] = await Promise.all([
    overview.texts(ctx.db, tenantId, wanted),
    overview.optOuts(ctx.db, tenantId, wanted),
    overview.calls(ctx.db, tenantId, wanted),
  ]);
  return { texts, optOuts, calls };
}

const HOUR_MS = 3_600_000;
const HALF_DAY_MS = 43_200_000;

/** All that an organization did. */
const ALL = { campaignId: undefined, agentId: undefined, number: undefined, areaCode: undefined };

/** The day's figures of some days' counts. */
function sumsOfCounts(days: readonly Counts[]) {
  const of = (...measures: string[]): number =>
    days.reduce((sum, day) => measures.reduce((part, measure) => part + (day.get(measure) ?? 0), sum), 0);
  return {
    texts: { sent: of("sent"), delivered: of("delivered"), failed: of("failed"), received: of("received") },
    optOuts: of("opted_out", "call_opted_out"),
    calls: { total: of("inbound", ...OUTCOMES), answered: of("talks"), voicemail: of("voicemail") },
  };
}

/** The seven days before a day, oldest first. Noon of the first of them is its date whatever the clocks did since. */
const lastWeek = (zone: string, { start }: LocalDay): LocalDay[] => localDays(zone, start - 13 * HALF_DAY_MS, 7);

function dayOf(zone: string, now: Date): LocalDay {
  try {
    return localDays(zone, now.getTime(), 1)[0]!;
  } catch (error) {
    if (error instanceof RangeError)
      throw invalidField("time_zone", "must be the name of a zone, such as America/New_York");
    throw error;
  }
}
