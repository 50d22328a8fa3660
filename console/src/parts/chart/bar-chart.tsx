import { Skeleton, Text, useComputedColorScheme } from "@mantine/core";
import styles from "./chart.module.css";
import { ChartCard } from "./chart-card.tsx";
import { colorOf, type PALETTE } from "./series.ts";

export type Bar = {
  name: string;
  value: number;
  /** What stands beside it: the value in words. */
  text: string;
  /** More of it, shown while the pointer rests on the bar, and in the table. */
  note?: string;
};

/** Values by category, one below the other. */
export function BarChart({
  title,
  about,
  of,
  valueName,
  noteName,
  bars,
  tone = "main",
  height = 214,
  empty = "Nothing in this time",
}: {
  title: string;
  about?: string;
  /** What a bar is: the head of the table's first column. */
  of: string;
  valueName: string;
  /** Where the bars have notes: the head of their column. */
  noteName?: string;
  /** Undefined while they are being asked for. */
  bars: readonly Bar[] | undefined;
  tone?: keyof typeof PALETTE;
  height?: number;
  empty?: string;
}) {
  const scheme = useComputedColorScheme("light");
  const most = Math.max(0, ...(bars ?? []).map(({ value }) => value));
  const tableOf = (bars: readonly Bar[]) => ({
    head: [of, valueName, ...(noteName ? [noteName] : [])],
    rows: bars.map(({ name, text, note }) => [name, text, ...(noteName ? [note ?? ""] : [])]),
  });
  return (
    <ChartCard title={title} about={about} table={bars && (() => tableOf(bars))} height={height}>
      {bars === undefined ? (
        <Skeleton h={height} />
      ) : bars.length === 0 ? (
        <Text size="sm" c="dimmed" pt="md">
          {empty}
        </Text>
      ) : (
        <dl className={styles.bars} tabIndex={0} aria-label={title}>
          {bars.map(({ name, value, text, note }) => (
            <Row key={name} name={name} text={text} title={note ? `${name}: ${text} (${note})` : `${name}: ${text}`}>
              <div style={{ width: most === 0 ? 0 : `${(value / most) * 100}%`, background: colorOf(tone, scheme) }} />
            </Row>
          ))}
        </dl>
      )}
    </ChartCard>
  );
}

function Row({
  name,
  text,
  title,
  children,
}: {
  name: string;
  text: string;
  title: string;
  children: React.ReactNode;
}) {
  return (
    <>
      <dt title={title}>{name}</dt>
      <dd className={styles.bar} title={title} aria-hidden>
        {children}
      </dd>
      <dd title={title}>{text}</dd>
    </>
  );
}
