import { type ActivityKey, figuresOf } from "#domain/campaigns/activity.ts";
import { requirePhone } from "#domain/numbers/phone-number.ts";
import { invalidField, notFound } from "#domain/values/errors.ts";
import { publicId, requireId, type Uuid } from "#domain/values/id.ts";
import { requireInstant } from "#domain/values/instant.ts";
import { localDays } from "#domain/values/local-day.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as organizations from "#store/accounts/organizations.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as agents from "#store/agents/agents.ts";
import * as calls from "#store/calls/calls.ts";
import * as activity from "#store/campaigns/activity.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Without `begin` and `days`: today and the twenty days before. */
const USUAL_DAYS = 21;
const MOST_HOURS = 31 * 24;
const MOST_DAYS = 400;
/** With the days before and the hour after it, all that is answered has a year of four digits. */
const [FIRST_END, LAST_END] = [new Date("1001-01-01T00:00:00Z"), new Date("9998-12-31T23:59:59.999Z")];
/** Of a breakdown; the rest are the least active. */
const MOST_ROWS = 200;

/** The parameters that both operations take, as they come. */
export type ActivityQuery = {
  begin?: string;
  end?: string;
  days?: number;
  time_zone?: string;
  organization_id?: string;
  campaign_id?: string;
  agent_id?: string;
  own_number?: string;
  area_code?: string;
};

/** The figures of a stretch of time, in all and for each hour or day of it. 400 for times that make no sense, 404 for what is not there. */
export async function readActivity(ctx: Context, { tenantId }: Caller, query: ActivityQuery, interval: "hour" | "day") {
  const wanted = await wantedOf(ctx, tenantId, query);
  if (interval === "hour" && wanted.to.getTime() - wanted.from.getTime() > MOST_HOURS * HOUR_MS)
    throw invalidField("interval", "can be hour for at most 31 days; use day");
  const found = await activity.read(ctx.db, tenantId, interval, wanted);
  const all = new Map<string, number>();
  for (const counts of found.values()) for (const [measure, n] of counts) all.set(measure, (all.get(measure) ?? 0) + n);
  const none = new Map<string, number>();
  return {
    ...wanted,
    totals: figuresOf(all, ctx.textPrices),
    series: beginnings(wanted, interval).map((at) => ({
      at,
      ...figuresOf(found.get(String(at.getTime())) ?? none, ctx.textPrices),
    })),
  };
}

/** The same for each campaign, agent, number and so on, the most active first. */
export async function breakDownActivity(ctx: Context, { tenantId }: Caller, query: ActivityQuery, by: ActivityKey) {
  const wanted = await wantedOf(ctx, tenantId, query);
  const found = await activity.read(ctx.db, tenantId, by, wanted);
  const rows = [...found].map(([key, counts]) => ({ key, name: key, ...figuresOf(counts, ctx.textPrices) }));
  const size = ({ texts, calls }: (typeof rows)[number]) =>
    texts.sent + texts.received + calls.outbound + calls.inbound;
  const isOfTime = by === "hour_of_day" || by === "weekday";
  rows.sort((a, b) => (isOfTime ? Number(a.key) - Number(b.key) : size(b) - size(a) || (a.key < b.key ? -1 : 1)));
  return { ...wanted, rows: await named(ctx, tenantId, by, rows.slice(0, MOST_ROWS)) };
}

type Row = { key: string; name: string };

/** With the ids that the API has for them, and their names. */
async function named<R extends Row>(ctx: Context, tenantId: Uuid, by: ActivityKey, rows: readonly R[]): Promise<R[]> {
  const ids = rows.map(({ key }) => key);
  if (by === "campaign") {
    const names = await activity.campaignNames(ctx.db, tenantId, ids);
    return rows.map((row) => ({ ...row, ...(names.get(row.key) ?? { key: "", name: "Outside of campaigns" }) }));
  }
  if (by === "agent") {
    const names = await activity.agentNames(ctx.db, tenantId, ids);
    return rows.map((row) => ({ ...row, key: publicId("agent", row.key), name: names.get(row.key) ?? "" }));
  }
  return [...rows];
}

async function wantedOf(ctx: Context, tenantId: Uuid, query: ActivityQuery): Promise<activity.ActivityWanted> {
  const timeZone = query.time_zone ?? "UTC";
  const now = await tenants.tenantNow(ctx.db, tenantId, ctx.now());
  const to = query.end === undefined ? now : requireInstant("end", query.end);
  if (to < FIRST_END || to > LAST_END) throw invalidField("end", "must be of the years 1001 to 9998");
  const from =
    query.begin === undefined
      ? new Date(daysOf(timeZone, to.getTime() - ((query.days ?? USUAL_DAYS) - 1) * DAY_MS, 1)[0]!.start)
      : requireInstant("begin", query.begin);
  if (from >= to) throw invalidField("begin", "must be before end");
  if (to.getTime() - from.getTime() > MOST_DAYS * DAY_MS)
    throw invalidField("begin", `must be at most ${MOST_DAYS} days before end`);
  // Also where it is not needed for `from`: a zone that does not exist is a 400.
  daysOf(timeZone, from.getTime(), 1);
  const organizationId =
    query.organization_id === undefined ? undefined : requireId("organization", query.organization_id, "Organization");
  if (organizationId !== undefined && !(await organizations.find(ctx.db, tenantId, organizationId)))
    throw notFound("Organization");
  const agentId = query.agent_id === undefined ? undefined : requireId("agent", query.agent_id, "Agent");
  if (agentId !== undefined && !(await agents.find(ctx.db, tenantId, agentId))) throw notFound("Agent");
  const campaignId =
    query.campaign_id === undefined ? undefined : await calls.campaign(ctx.db, tenantId, query.campaign_id);
  if (query.campaign_id !== undefined && campaignId === undefined) throw notFound("Campaign");
  return {
    from: new Date(Math.floor(from.getTime() / HOUR_MS) * HOUR_MS),
    to: new Date(Math.ceil(to.getTime() / HOUR_MS) * HOUR_MS),
    timeZone,
    organizationId,
    campaignId: campaignId ?? undefined,
    agentId,
    number: query.own_number === undefined ? undefined : requirePhone("own_number", query.own_number),
    areaCode: query.area_code,
  };
}

/** When each hour or day of the stretch begins; the first day may have begun before it. */
function beginnings({ from, to, timeZone }: activity.ActivityWanted, interval: "hour" | "day"): Date[] {
  if (interval === "hour") {
    const hours = (to.getTime() - from.getTime()) / HOUR_MS;
    return Array.from({ length: hours }, (_, i) => new Date(from.getTime() + i * HOUR_MS));
  }
  const days = Math.ceil((to.getTime() - from.getTime()) / DAY_MS) + 2;
  return daysOf(timeZone, from.getTime(), days)
    .filter(({ start }) => start < to.getTime())
    .map(({ start }) => new Date(start));
}

/** Of a zone with a name: the database reads "+05:30" the other way round. */
const NAMED_ZONE = /^[A-Za-z][A-Za-z0-9_+/-]*$/;

function daysOf(zone: string, from: number, count: number) {
  const wrong = () => invalidField("time_zone", "must be the name of a zone, such as America/New_York");
  if (!NAMED_ZONE.test(zone)) throw wrong();
  try {
    return localDays(zone, from, count);
  } catch (error) {
    if (error instanceof RangeError) throw wrong();
    throw error;
  }
}
