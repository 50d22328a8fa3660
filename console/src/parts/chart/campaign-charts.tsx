import { SimpleGrid } from "@mantine/core";
import { memo } from "react";
import { serviceNow } from "#parts/show/time.tsx";
import {
  answerBars,
  callSeries,
  OPT_OUT_LIMIT,
  optOutSeries,
  share,
  textSeries,
  useActivity,
  useBreakdown,
  ZONE,
} from "./activity.ts";
import { BarChart } from "./bar-chart.tsx";
import { TimeChart } from "./time-chart.tsx";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A campaign that is younger than this is shown by the hour. */
const HOURLY_DAYS = 3;
const MOST_DAYS = 400;

/** A campaign over its time, by the hour while it is new. */
function useCampaignActivity(campaign_id: string, createdAt: string) {
  const created = Math.floor(Date.parse(createdAt) / HOUR_MS) * HOUR_MS;
  const age = serviceNow() - created;
  const isNew = age < HOURLY_DAYS * DAY_MS;
  const days = Math.min(MOST_DAYS, Math.max(1, Math.ceil(age / DAY_MS) + 1));
  const query = { campaign_id, interval: isNew ? "hour" : "day", days };
  return { ...useActivity(query), query };
}

type OfCampaign = { campaignId: string; createdAt: string };

/** Texts and opt-outs of an SMS campaign over time. Not made again with each count of the page that they are on. */
export const TextCampaignCharts = memo(function TextCampaignCharts({ campaignId, createdAt }: OfCampaign) {
  const { activity } = useCampaignActivity(campaignId, createdAt);
  const over = { points: activity?.series, interval: activity?.interval ?? "day", timeZone: ZONE } as const;
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
      <TimeChart title="Texts over time" {...over} series={textSeries(activity)} />
      <TimeChart title="Opt-out rate" {...over} series={optOutSeries(activity)} format={share} line={OPT_OUT_LIMIT} />
    </SimpleGrid>
  );
});

/** Calls of a voice campaign over time, and when they are answered. */
export const CallCampaignCharts = memo(function CallCampaignCharts({ campaignId, createdAt }: OfCampaign) {
  const { activity, query } = useCampaignActivity(campaignId, createdAt);
  const { breakdown } = useBreakdown("hour_of_day", query);
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
      <TimeChart
        title="Calls by outcome"
        points={activity?.series}
        interval={activity?.interval ?? "day"}
        timeZone={ZONE}
        series={callSeries(activity)}
        isStacked
      />
      <AnswersByHour bars={answerBars(breakdown)} />
    </SimpleGrid>
  );
});

/** When calls from a number of ours were answered, in the last 21 days. */
export function NumberCharts({ number }: { number: string }) {
  const { breakdown } = useBreakdown("hour_of_day", { own_number: number });
  return <AnswersByHour bars={answerBars(breakdown)} />;
}

const AnswersByHour = ({ bars }: { bars: ReturnType<typeof answerBars> }) => (
  <BarChart
    title="Answer rate by hour"
    about="When people answer, in your time zone"
    of="Hour"
    valueName="Answered"
    noteName="Calls"
    bars={bars}
    empty="No calls in this time"
  />
);
