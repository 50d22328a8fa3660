import type { CallingAnswer } from "#domain/compliance/calling-window.ts";
import { pacificDay } from "#domain/values/pacific-day.ts";
import { type Ramp, rampRoom } from "./first-hour.ts";
import { spendDay } from "./spend-limit.ts";

/** Recipients who may be texted at the same hours. */
export type ForecastGroup = { recipients: number; hoursAt(at: Date): CallingAnswer };

/** What outreach may leave at, from one sender. */
export type Pace = {
  /** Texts; null: as fast as the carrier takes them. */
  perSecond: number | null;
  /** The 10DLC budgets of the sender's number; null when it has none. In segments. */
  budget: { perSecond: number; leftToday: number; perDay: number } | null;
  /** What the tenant's own limit leaves of its days, in segments; `zone` is that of its days. */
  spend?: { leftToday: number; perDay: number; zone: string } | undefined;
  /** Of a sender that is new with a real carrier. */
  ramp?: Ramp | undefined;
};

/** `finishAt` is null when some would never be reached. `limitedBy`: what the last of them waits for longest. */
export type Forecast = {
  finishAt: Date | null;
  limitedBy: "daily_budget" | "spend_limit" | "first_hour" | "rate" | "calling_hours" | null;
};

/** How many first texts each of the other campaigns that run now still has to send: from the same number, and from the tenant's other ones. */
export type Others = { sameSender: readonly number[]; elsewhere: readonly number[] };
export const NO_OTHERS: Others = { sameSender: [], elsewhere: [] };

/** Campaigns take turns: of each other one no more leaves before the last of `mine` than there are of these. */
const beside = (mine: number, others: readonly number[]): number =>
  others.reduce((sum, theirs) => sum + Math.min(theirs, mine), 0);

/**
 * A forecast that heeds what other campaigns still have to send: those of the same number share its pace, all share the day's limit. The shares
 * of a 10DLC budget are in the pace already.
 */
export function forecastAmong(
  others: Others,
  groups: readonly ForecastGroup[],
  segmentsEach: number,
  pace: Pace,
  from: Date,
): Forecast {
  const mine = groups.reduce((sum, { recipients }) => sum + recipients, 0);
  const theirs = pace.budget ? 0 : beside(mine, others.sameSender);
  const elsewhere = beside(mine, others.elsewhere);
  const part = mine === 0 ? 1 : (mine + theirs) / (mine + theirs + elsewhere);
  const spend = pace.spend && {
    ...pace.spend,
    leftToday: pace.spend.leftToday * part,
    perDay: pace.spend.perDay * part,
  };
  const hoursAt = (): CallingAnswer => ({ open: true, until: NEVER });
  const all = theirs > 0 && mine > 0 ? [...groups, { recipients: theirs, hoursAt }] : groups;
  return forecast(all, segmentsEach, { ...pace, spend }, from);
}

const NEVER = new Date(8.64e15);
const MINUTE_MS = 60_000;
/** Looked through hour by hour as far as this; what is left then goes on at the pace of the days before. */
const HORIZON_DAYS = 45;
const DAY_MS = 86_400_000;

/**
 * When the last starting message leaves, if all goes as it stands: groups share the pace while they are open, a day's budget
 * ends at midnight Pacific. `segmentsEach`: of an average text.
 */
export function forecast(groups: readonly ForecastGroup[], segmentsEach: number, pace: Pace, from: Date): Forecast {
  const waiting = groups
    .map((group) => ({ left: group.recipients, hoursAt: group.hoursAt }))
    .filter(({ left }) => left > 0);
  const { budget, spend } = pace;
  const perSecond = Math.min(
    pace.perSecond ?? Number.POSITIVE_INFINITY,
    (budget?.perSecond ?? Number.POSITIVE_INFINITY) / segmentsEach,
  );
  const spentOn = { daily_budget: 0, spend_limit: 0, first_hour: 0, rate: 0, calling_hours: 0 };
  let at = from.getTime();
  let dayEndsAt = pacificDay(from).endsAt.getTime();
  let ofDay = (budget?.leftToday ?? Number.POSITIVE_INFINITY) / segmentsEach;
  const spendEndsAt = () => (spend ? spendDay(spend.zone, new Date(at)).endsAt.getTime() : Number.POSITIVE_INFINITY);
  let paidUntil = spendEndsAt();
  let paid = (spend?.leftToday ?? Number.POSITIVE_INFINITY) / segmentsEach;
  const total = sumOf(waiting);
  let ramp = pace.ramp;

  while (sumOf(waiting) >= 1) {
    if (at > from.getTime() + HORIZON_DAYS * DAY_MS)
      return { finishAt: extrapolated(total, sumOf(waiting), from), limitedBy: longest(spentOn) };
    if (at >= dayEndsAt) {
      dayEndsAt = pacificDay(new Date(at)).endsAt.getTime();
      ofDay = (budget?.perDay ?? Number.POSITIVE_INFINITY) / segmentsEach;
    }
    if (at >= paidUntil) {
      paidUntil = spendEndsAt();
      paid = (spend?.perDay ?? Number.POSITIVE_INFINITY) / segmentsEach;
    }
    const now = new Date(at);
    const answers = waiting.filter(({ left }) => left >= 1).map((group) => ({ group, hours: group.hoursAt(now) }));
    const open = answers.flatMap(({ group, hours }) => (hours.open ? [{ group, until: hours.until.getTime() }] : []));
    const opens = answers.flatMap(({ hours }) =>
      hours.open || hours.opensAt === null ? [] : [hours.opensAt.getTime()],
    );
    const hour = ramp && rampRoom(ramp, at);
    if (open.length === 0 || ofDay < 1 || paid < 1 || (hour && hour.room < 1)) {
      if (open.length === 0 && opens.length === 0) return { finishAt: null, limitedBy: "calling_hours" };
      const because =
        open.length === 0 ? "calling_hours" : ofDay < 1 ? "daily_budget" : paid < 1 ? "spend_limit" : "first_hour";
      const next = {
        calling_hours: Math.min(...opens),
        daily_budget: dayEndsAt,
        spend_limit: paidUntil,
        first_hour: hour?.nextAt ?? at + MINUTE_MS,
      }[because];
      spentOn[because] += next - at;
      at = next;
      continue;
    }
    const due = sumOf(open.map(({ group }) => group));
    const most = Math.min(due, ofDay, paid, hour?.room ?? due);
    const takesMs = (most / perSecond) * 1000;
    const until = Math.min(at + takesMs, dayEndsAt, paidUntil, ...open.map((group) => group.until), ...opens);
    const sent = perSecond === Number.POSITIVE_INFINITY ? most : Math.min(most, ((until - at) / 1000) * perSecond);
    for (const { group } of open) group.left -= (group.left / due) * sent;
    ofDay -= sent;
    paid -= sent;
    if (ramp) ramp = { ...ramp, beganAt: ramp.beganAt ?? now, sent: ramp.sent + sent };
    spentOn.rate += until - at;
    // Rounding must not stand still.
    at = sent < 1e-6 ? Math.max(until, at + MINUTE_MS) : until;
  }
  return { finishAt: new Date(Math.ceil(at)), limitedBy: at - from.getTime() < 1000 ? null : longest(spentOn) };
}

const sumOf = (them: readonly { left: number }[]): number => them.reduce((sum, { left }) => sum + left, 0);

function extrapolated(total: number, left: number, from: Date): Date | null {
  const perDay = (total - left) / HORIZON_DAYS;
  if (perDay <= 0) return null;
  return new Date(from.getTime() + Math.min(total / perDay, 36_500) * DAY_MS);
}

function longest(spentOn: Record<NonNullable<Forecast["limitedBy"]>, number>): Forecast["limitedBy"] {
  const [name] = Object.entries(spentOn).toSorted(([, a], [, b]) => b - a)[0]!;
  return name as Forecast["limitedBy"];
}
