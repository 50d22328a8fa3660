import { Paper, SimpleGrid, Stack, Title } from "@mantine/core";
import {
  answerBars,
  callSeries,
  costSeries,
  latencySeries,
  OPT_OUT_LIMIT,
  optOutSeries,
  replySeries,
  share,
  textSeries,
  useActivity,
  useBreakdown,
  ZONE,
} from "#parts/chart/activity.ts";
import { BarChart } from "#parts/chart/bar-chart.tsx";
import { TimeChart } from "#parts/chart/time-chart.tsx";
import { ErrorState } from "#parts/page/error-state.tsx";
import { PageHeader } from "#parts/page/page-header.tsx";
import { duration, whole } from "#parts/show/figures.tsx";
import { ByKind } from "./by-kind.tsx";
import { AnalyticsFilters, useAnalyticsQuery } from "./filters.tsx";
import { Glossary } from "./glossary.tsx";
import { Totals } from "./totals.tsx";

const dollars = (value: number): string => `$${Number(value.toFixed(2))}`;

/** What texts and calls came to, over any time and of anything. */
export function Component() {
  const query = useAnalyticsQuery();
  const { activity, error, refetch } = useActivity(query);
  const hours = useBreakdown("hour_of_day", query);
  const over = { points: activity?.series, interval: activity?.interval ?? "day", timeZone: ZONE } as const;
  const calls = activity?.totals.calls;
  return (
    <>
      <PageHeader title="Analytics" about="Texts, replies, opt-outs and calls over time" />
      <Stack gap="lg">
        <AnalyticsFilters />
        {error && activity === undefined ? (
          <ErrorState error={error} retry={() => void refetch()} />
        ) : (
          <>
            <Totals figures={activity?.totals} />
            <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
              <TimeChart title="Texts" {...over} series={textSeries(activity)} />
              <TimeChart title="Calls by outcome" {...over} series={callSeries(activity)} isStacked />
              <TimeChart
                title="Reply rate"
                about="Contacts who replied, of those texted"
                {...over}
                series={replySeries(activity)}
                format={share}
              />
              <TimeChart
                title="Opt-out rate"
                about="Contacts who opted out, of those texted"
                {...over}
                series={optOutSeries(activity)}
                format={share}
                line={OPT_OUT_LIMIT}
              />
              <BarChart
                title="Answer rate by hour"
                about="When people answer, in your time zone"
                of="Hour"
                valueName="Answered"
                noteName="Calls"
                bars={answerBars(hours.breakdown)}
                empty="No calls in this time"
              />
              <BarChart
                title="Sentiment"
                about="Of answered calls"
                of="Sentiment"
                valueName="Calls"
                bars={
                  calls &&
                  (["Positive", "Neutral", "Negative", "Unknown"] as const)
                    .filter((name) => calls.sentiment[name] > 0)
                    .map((name) => ({ name, value: calls.sentiment[name], text: whole(calls.sentiment[name]) }))
                }
                empty="No analyzed calls in this time"
              />
              <TimeChart title="Response time in calls" {...over} series={latencySeries(activity)} format={duration} />
              <TimeChart title="Cost" {...over} series={costSeries(activity)} format={dollars} isStacked />
            </SimpleGrid>
            <ByKind query={query} />
            <Paper p="md" component="section" aria-labelledby="glossary">
              <Title order={2} id="glossary" mb="sm">
                What is measured
              </Title>
              <Glossary />
            </Paper>
          </>
        )}
      </Stack>
    </>
  );
}
