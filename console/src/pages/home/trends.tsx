import { Anchor, Group, SegmentedControl, SimpleGrid, Stack, Title } from "@mantine/core";
import { Link } from "react-router";
import {
  callSeries,
  OPT_OUT_LIMIT,
  optOutSeries,
  share,
  textSeries,
  useActivity,
  ZONE,
} from "#parts/chart/activity.ts";
import { TimeChart } from "#parts/chart/time-chart.tsx";
import { useSearchFilters } from "#parts/form/search-filters.ts";

const USUAL = "7";

/** The last days at a glance. */
export function Trends() {
  const [{ days = USUAL }, setFilters] = useSearchFilters(["days"]);
  const { activity, error } = useActivity({ days: days === "21" ? 21 : 7 });
  if (error && activity === undefined) return null;
  const over = { points: activity?.series, interval: "day", timeZone: ZONE, plotHeight: 110 } as const;
  return (
    <Stack component="section" aria-label="Trends" gap="sm" miw={0}>
      <Group justify="space-between" gap="xs">
        <Group gap="sm">
          <Title order={2}>Trends</Title>
          <SegmentedControl
            size="xs"
            aria-label="Days"
            data={[
              { value: "7", label: "7 days" },
              { value: "21", label: "21 days" },
            ]}
            value={days === "21" ? "21" : "7"}
            onChange={(value) => setFilters({ days: value === USUAL ? null : value })}
          />
        </Group>
        <Anchor component={Link} to="/analytics" size="sm">
          All analytics
        </Anchor>
      </Group>
      <SimpleGrid cols={{ base: 1, lg: 3 }} spacing="md">
        <TimeChart title="Texts" {...over} series={textSeries(activity)} />
        <TimeChart title="Opt-out rate" {...over} series={optOutSeries(activity)} format={share} line={OPT_OUT_LIMIT} />
        <TimeChart title="Calls by outcome" {...over} series={callSeries(activity)} isStacked />
      </SimpleGrid>
    </Stack>
  );
}
