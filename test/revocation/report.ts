import type { Fate, Judged } from "./fate.ts";
import type { Half, Row } from "./rows.ts";

/** Percent, and of how many. */
export type Share = { some: number; of: number };

export type Totals = {
  /** Rows labelled stop after which nothing more is sent: opted out, or held in doubt. */
  found: Share;
  /** Of these, opted out at once. */
  foundAtOnce: Share;
  /** Rows labelled not_stop that opt the contact out. */
  falseStops: Share;
  /** Rows labelled not_stop that are held in doubt. */
  falseDoubts: Share;
  unclear: Record<Fate, Share>;
};

/** No text is in them: those of the kept half are printed, too. */
export function totalsOf(judged: readonly Judged[]): Totals {
  const share = (label: Row["label"], ...fates: Fate[]): Share => {
    const of = judged.filter((row) => row.label === label);
    return { some: of.filter(({ fate }) => fates.includes(fate)).length, of: of.length };
  };
  return {
    found: share("stop", "opted_out", "in_doubt"),
    foundAtOnce: share("stop", "opted_out"),
    falseStops: share("not_stop", "opted_out"),
    falseDoubts: share("not_stop", "in_doubt"),
    unclear: {
      opted_out: share("unclear", "opted_out"),
      in_doubt: share("unclear", "in_doubt"),
      sent_on: share("unclear", "sent_on"),
    },
  };
}

export const percent = ({ some, of }: Share): number => (of === 0 ? 0 : (100 * some) / of);

const shown = (share: Share): string =>
  share.of === 0 ? "-" : `${percent(share).toFixed(1)} (${share.some}/${share.of})`;

const HEAD = ["", "recall %", "at once %", "false stops %", "only a doubt %", "unclear: out, doubt, sent on"];
const WIDTHS = [18, 17, 17, 16, 16, 28];

export function table(half: Half, judged: readonly Judged[]): string {
  const groups = [
    ...Map.groupBy(judged, ({ language, channel }) => `${language} ${channel}`),
    ...Map.groupBy(judged, ({ language }) => `${language}, all`),
    [`${half}, all`, judged] as const,
  ];
  return [[half, ...HEAD.slice(1)], ...groups.map(([name, rows]) => cells(name, totalsOf(rows)))].map(line).join("\n");
}

const cells = (name: string, { found, foundAtOnce, falseStops, falseDoubts, unclear }: Totals): string[] => [
  name,
  ...[found, foundAtOnce, falseStops, falseDoubts].map(shown),
  `${unclear.opted_out.some}, ${unclear.in_doubt.some}, ${unclear.sent_on.some} of ${unclear.sent_on.of}`,
];

const line = (row: readonly string[]): string =>
  row
    .map((cell, index) => cell.padEnd(WIDTHS[index]!))
    .join("")
    .trimEnd();
