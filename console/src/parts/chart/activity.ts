import type { Answer, Args } from "#api/operations.ts";
import { useAnswer } from "#api/query.ts";
import { useOrganization } from "#api/session.ts";
import { percent, whole } from "#parts/show/figures.tsx";
import { wordOf } from "#parts/show/words.ts";
import type { Bar } from "./bar-chart.tsx";
import type { Series } from "./series.ts";

export type Activity = Answer<"GET /v1/analytics/activity">["activity"];
export type Breakdown = Answer<"GET /v1/analytics/breakdown">["breakdown"];
export type ActivityQuery = NonNullable<Args<"GET /v1/analytics/activity">["query"]>;

/** Charts are of the viewer's own days. */
export const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;
/** Sums that no single event makes stale: they are asked for again now and then. */
const EVERY_MS = 30_000;

/** A campaign may be looked at while another organization is chosen. */
const whose = (organization_id: string, { campaign_id }: Partial<ActivityQuery>) =>
  campaign_id === undefined ? { organization_id } : {};

/** What happened in the organization over time, and in all. */
export function useActivity(query: Partial<ActivityQuery>) {
  const { organization_id } = useOrganization();
  const answer = useAnswer(
    "GET /v1/analytics/activity",
    { query: { ...whose(organization_id, query), time_zone: ZONE, ...query } },
    { refetchIntervalMs: EVERY_MS },
  );
  return { ...answer, activity: answer.data?.activity };
}

/** The same for each of a kind. */
export function useBreakdown(by: string, query: Partial<ActivityQuery>) {
  const { organization_id } = useOrganization();
  const { interval: _, ...rest } = query;
  const answer = useAnswer(
    "GET /v1/analytics/breakdown",
    { query: { ...whose(organization_id, query), time_zone: ZONE, by, ...rest } },
    { refetchIntervalMs: EVERY_MS },
  );
  return { ...answer, breakdown: answer.data?.breakdown };
}

type At = Activity["series"][number];
const values = (activity: Activity | undefined, of: (at: At) => number | null) => activity?.series.map(of) ?? [];

export const textSeries = (activity: Activity | undefined): Series[] => [
  { label: "Texts sent", tone: "quiet", values: values(activity, ({ texts }) => texts.sent) },
  { label: "Texts delivered", tone: "main", values: values(activity, ({ texts }) => texts.delivered) },
  { label: "Texts received", tone: "second", values: values(activity, ({ texts }) => texts.received) },
  { label: "Texts failed", tone: "bad", values: values(activity, ({ texts }) => texts.failed) },
];

export const callSeries = (activity: Activity | undefined): Series[] => [
  { label: wordOf("result", "connected").label, tone: "main", values: values(activity, ({ calls }) => calls.answered) },
  {
    label: wordOf("result", "voicemail").label,
    tone: "second",
    values: values(activity, ({ calls }) => calls.voicemail),
  },
  {
    label: wordOf("result", "no_answer").label,
    tone: "quiet",
    values: values(activity, ({ calls }) => calls.no_answer),
  },
  { label: "Busy or declined", tone: "warn", values: values(activity, ({ calls }) => calls.busy + calls.declined) },
  { label: wordOf("result", "failed").label, tone: "bad", values: values(activity, ({ calls }) => calls.failed) },
];

/** Shares of a point at which nothing was sent, or nobody called, are none. */
export const replySeries = (activity: Activity | undefined): Series[] => [
  {
    label: "Reply rate",
    tone: "main",
    values: values(activity, ({ texts }) => (texts.contacts_texted === 0 ? null : Math.min(1, texts.reply_rate))),
  },
];
export const optOutSeries = (activity: Activity | undefined): Series[] => [
  {
    label: "Opt-out rate",
    tone: "warn",
    values: values(activity, ({ texts }) => (texts.contacts_texted === 0 ? null : Math.min(1, texts.opt_out_rate))),
  },
];
export const latencySeries = (activity: Activity | undefined): Series[] => [
  { label: "Half of them within", tone: "main", values: values(activity, ({ calls }) => calls.response_ms.p50) },
  { label: "95 % within", tone: "warn", values: values(activity, ({ calls }) => calls.response_ms.p95) },
];
export const costSeries = (activity: Activity | undefined): Series[] => [
  { label: "Texts", tone: "main", values: values(activity, ({ texts }) => Number(texts.cost)) },
  { label: "Calls", tone: "second", values: values(activity, ({ calls }) => Number(calls.cost)) },
];

/** Above this share of opt-outs carriers begin to look at a sender. */
export const OPT_OUT_LIMIT = { label: "2 %", value: 0.02 };

/** A share of 0 to 1, short enough for an axis. */
export const share = (value: number): string => `${Number((value * 100).toFixed(1))} %`;

/** How often a person answered, by the hour of the day. */
export const answerBars = (breakdown: Breakdown | undefined): Bar[] | undefined =>
  breakdown?.rows
    .filter(({ calls }) => calls.outbound > 0)
    .map(({ key, calls }) => ({
      name: hourName(Number(key)),
      value: calls.answer_rate,
      text: percent(calls.answered, calls.outbound),
      note: `${whole(calls.answered)} of ${whole(calls.outbound)} calls`,
    }));

const hourName = (hour: number): string => `${hour % 12 === 0 ? 12 : hour % 12} ${hour < 12 ? "AM" : "PM"}`;
