import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import type uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import styles from "./chart.module.css";
import { type Drawing, draw } from "./draw.ts";
import { colorOf, pointName, type Series } from "./series.ts";

/**
 * The canvas of a TimeChart, and below it the values of the point that is pointed at. Without one, those of all points together;
 * of shares and times, which have no sum, those of the last point that has any.
 */
export default function Plot({
  name,
  interval,
  isSummed,
  ...drawing
}: Drawing & { name: string; interval: "hour" | "day"; isSummed: boolean }) {
  const { points, series, timeZone, format, line, isStacked, height, scheme } = drawing;
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const [hovered, setHovered] = useState<number | null>(null);
  // What is drawn, as text: an answer that says the same again draws nothing anew.
  const drawn = JSON.stringify([points, series, timeZone, line, isStacked, height, scheme]);
  const latest = useRef(drawing);
  latest.current = drawing;
  // biome-ignore lint/correctness/useExhaustiveDependencies: of the drawing, as text.
  useEffect(() => {
    if (box.current === null) return;
    const chart = draw(box.current, latest.current, setHovered);
    plot.current = chart;
    const observer = new ResizeObserver(([entry]) =>
      chart.setSize({ width: entry!.contentRect.width, height: latest.current.height }),
    );
    observer.observe(box.current);
    return () => {
      observer.disconnect();
      chart.destroy();
      setHovered(null);
    };
  }, [drawn]);

  const shown = Math.min(hovered ?? points.length, points.length - 1);
  const isInAll = isSummed && hovered === null;
  const lastWithValue = points.findLastIndex((_, at) => series.some(({ values }) => values[at] != null));
  const legendAt = hovered === null && lastWithValue >= 0 ? lastWithValue : shown;
  const figureOf = ({ values }: Series): number | null | undefined =>
    isInAll ? values.reduce<number>((sum, value) => sum + (value ?? 0), 0) : values[legendAt];
  const onKeyDown = (event: KeyboardEvent) => {
    const next = { ArrowLeft: shown - 1, ArrowRight: shown + 1, Home: 0, End: points.length - 1 }[event.key];
    if (next === undefined || points[next] === undefined) return;
    event.preventDefault();
    plot.current?.setCursor({ left: plot.current.valToPos(Date.parse(points[next].at) / 1_000, "x"), top: 0 });
  };
  return (
    <figure className={styles.plot}>
      <div
        ref={box}
        role="slider"
        aria-label={name}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, points.length - 1)}
        aria-valuenow={Math.max(0, shown)}
        aria-valuetext={points[shown] && said(shown)}
        tabIndex={0}
        onKeyDown={onKeyDown}
        style={{ height }}
      />
      <figcaption className={styles.legend}>
        <span className={styles.when}>
          {isInAll ? "In all" : points[legendAt] && pointName(points[legendAt].at, interval, timeZone)}
        </span>
        {series.map((of) => {
          const value = figureOf(of);
          return (
            <span key={of.label}>
              <i style={{ background: colorOf(of.tone, scheme) }} aria-hidden />
              {of.label} <b>{value == null ? "–" : format(value)}</b>
            </span>
          );
        })}
        {line && (
          <span>
            <i className={styles.limit} aria-hidden />
            {line.label}
          </span>
        )}
      </figcaption>
    </figure>
  );

  function said(at: number): string {
    const values = series.map((of) => `${of.label} ${of.values[at] == null ? "none" : format(of.values[at])}`);
    return [pointName(points[at]!.at, interval, timeZone), ...values].join(", ");
  }
}
