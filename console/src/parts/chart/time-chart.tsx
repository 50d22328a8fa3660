import { Skeleton, useComputedColorScheme } from "@mantine/core";
import { lazy, Suspense } from "react";
import { whole } from "#parts/show/figures.tsx";
import { ChartCard } from "./chart-card.tsx";
import { pointName, type Series } from "./series.ts";

/** The library is loaded with the first chart, not with the page. */
const Plot = lazy(() => import("./plot.tsx"));

/** The plot and its legend of two lines. */
const LEGEND_PX = 44;

/**
 * Values over time. Hovering, or the arrow keys once it has the focus, shows those of one point in the legend.
 *
 * @param points when each point begins; undefined while they are being asked for
 * @param line a value that is drawn across, such as a limit
 */
export function TimeChart({
  title,
  about,
  points,
  series,
  interval,
  timeZone,
  format = whole,
  line,
  isStacked = false,
  plotHeight = 170,
}: {
  title: string;
  about?: string;
  points: readonly { at: string }[] | undefined;
  series: readonly Series[];
  interval: "hour" | "day";
  timeZone: string;
  format?: (value: number) => string;
  line?: { label: string; value: number };
  isStacked?: boolean;
  plotHeight?: number;
}) {
  const scheme = useComputedColorScheme("light");
  const height = plotHeight + LEGEND_PX;
  const tableOf = (points: readonly { at: string }[]) => ({
    head: [interval === "hour" ? "Hour" : "Day", ...series.map(({ label }) => label)],
    rows: points.map(({ at }, i) => [
      pointName(at, interval, timeZone),
      ...series.map(({ values }) => {
        const value = values[i];
        return value === null || value === undefined ? "" : format(value);
      }),
    ]),
  });
  const waiting = <Skeleton h={height} />;
  return (
    <ChartCard title={title} about={about} table={points && (() => tableOf(points))} height={height}>
      {points === undefined ? (
        waiting
      ) : (
        <Suspense fallback={waiting}>
          <Plot
            name={title}
            points={points}
            series={series}
            interval={interval}
            timeZone={timeZone}
            format={format}
            line={line}
            isStacked={isStacked}
            isWhole={format === whole}
            isSummed={isStacked || format === whole}
            height={plotHeight}
            scheme={scheme}
          />
        </Suspense>
      )}
    </ChartCard>
  );
}
