import uPlot from "uplot";
import { colorOf, type Scheme, type Series } from "./series.ts";

const AXIS_FONT = "11px ui-sans-serif, system-ui, sans-serif";
const WHOLE_STEPS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].flatMap((power) => [1, 2, 5].map((n) => n * 10 ** power));
const AXES = {
  light: { text: "#4b585f", grid: "#e2e7e9", limit: "#b93630" },
  dark: { text: "#b3bfc4", grid: "#2a353b", limit: "#ea7b74" },
} as const;

export type Drawing = {
  points: readonly { at: string }[];
  series: readonly Series[];
  timeZone: string;
  format: (value: number) => string;
  line: { label: string; value: number } | undefined;
  /** Bars that stand on each other: parts of a whole. Else lines. */
  isStacked: boolean;
  /** Counts: no half of one is on the axis. */
  isWhole: boolean;
  height: number;
  scheme: Scheme;
};

/** Draws into `box`; `hovered` gets the point under the pointer, null when it leaves. */
export function draw(box: HTMLElement, drawing: Drawing, hovered: (at: number | null) => void): uPlot {
  const { points, series, timeZone, format, line, isStacked, isWhole, height, scheme } = drawing;
  const colors = AXES[scheme];
  const axis = {
    font: AXIS_FONT,
    stroke: colors.text,
    grid: { stroke: colors.grid, width: 1 },
    ticks: { show: false },
  };
  const limit = line === undefined ? [] : [points.map(() => line.value)];
  // Of parts that stand on each other the whole is drawn first, and the others over it.
  const values = isStacked ? sums(series).reverse() : series.map(({ values }) => [...values]);
  const ordered = isStacked ? [...series].reverse() : series;
  const most = Math.max(0, ...values.flat().map((value) => value ?? 0), ...limit.flat());
  const bars = uPlot.paths.bars!({ size: [0.7, 40] });
  return new uPlot(
    {
      width: box.clientWidth,
      height,
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), timeZone),
      legend: { show: false },
      padding: [8, 16, 0, 0],
      cursor: { y: false, points: { show: !isStacked }, drag: { setScale: false } },
      scales: { y: { range: [0, most === 0 ? 1 : most * 1.08] } },
      series: [
        {},
        ...ordered.map(({ label, tone }, i) => ({
          label,
          stroke: colorOf(tone, scheme),
          width: isStacked ? 0 : 2,
          // A point between days without a value has no line.
          points: { show: !isStacked && isBroken(values[i]!), size: 6, fill: colorOf(tone, scheme) },
          ...(isStacked ? { fill: colorOf(tone, scheme), paths: bars } : {}),
        })),
        ...limit.map(() => ({ stroke: colors.limit, width: 1, dash: [5, 4], points: { show: false } })),
      ],
      axes: [
        { ...axis, size: 30, space: 64 },
        {
          ...axis,
          size: 52,
          space: 28,
          ...(isWhole ? { incrs: WHOLE_STEPS } : {}),
          values: (_plot, ticks) => ticks.map((tick) => format(tick)),
        },
      ],
      hooks: {
        setCursor: [
          ({ cursor }) => hovered(cursor.left === undefined || cursor.left < 0 ? null : (cursor.idx ?? null)),
        ],
      },
    },
    [points.map(({ at }) => Date.parse(at) / 1_000), ...values, ...limit] as uPlot.AlignedData,
    box,
  );
}

/** A value stands alone somewhere. */
const isBroken = (values: readonly (number | null)[]): boolean =>
  values.some((value, i) => value !== null && (values[i - 1] ?? null) === null && (values[i + 1] ?? null) === null);

/** Each series with those before it added. */
function sums(series: readonly Series[]): (number | null)[][] {
  const below = series[0]?.values.map(() => 0) ?? [];
  return series.map(({ values }) =>
    values.map((value, i) => {
      below[i] = below[i]! + (value ?? 0);
      return below[i]!;
    }),
  );
}
