import { dateFormat } from "#parts/show/date-format.ts";

/** One line or area of a chart: a value for each point of time. */
export type Series = {
  label: string;
  /** A state's colour, by its name in PALETTE. */
  tone: keyof typeof PALETTE;
  values: readonly (number | null)[];
};

/** By scheme. Distinct in grey too, and each at least 3:1 on a card. */
export const PALETTE = {
  main: ["#0f6e66", "#74c5ba"],
  second: ["#2a6fb0", "#7db5ea"],
  good: ["#3f7d2c", "#9acb86"],
  warn: ["#a86400", "#e3b25c"],
  bad: ["#b93630", "#ea7b74"],
  quiet: ["#6b7a81", "#93a1a7"],
} as const;

export type Scheme = "light" | "dark";
export const colorOf = (tone: keyof typeof PALETTE, scheme: Scheme): string => PALETTE[tone][scheme === "dark" ? 1 : 0];

export type Point = { at: string };
export type Table = { head: readonly string[]; rows: readonly (readonly string[])[] };

/** When a point begins, as it is written in the legend, the table and the file. */
export function pointName(at: string, interval: "hour" | "day", timeZone: string): string {
  const options = { timeZone, weekday: "short", month: "short", day: "numeric" } as const;
  return dateFormat("en-US", interval === "hour" ? { ...options, hour: "numeric" } : options).format(new Date(at));
}

/** Of a cell as a spreadsheet takes it: quoted where it must be, and no formula. */
const cell = (value: string): string => {
  const safe = /^[=+\-@\t]/.test(value) && !/^[+-]?[\d.]+$/.test(value) ? `'${value}` : value;
  return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

export const csvOf = ({ head, rows }: Table): string =>
  [head, ...rows].map((row) => row.map(cell).join(",")).join("\r\n");

/** Hands a table to whoever looks on as a file. */
export function saveCsv(name: string, table: Table): void {
  const url = URL.createObjectURL(new Blob([`${csvOf(table)}\r\n`], { type: "text/csv" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}.csv`;
  link.click();
  URL.revokeObjectURL(url);
}
