import { Text } from "@mantine/core";

const WHOLE = new Intl.NumberFormat("en");
const DOLLARS = new Intl.NumberFormat("en", { style: "currency", currency: "USD" });
/** A minute of a model is a fraction of a cent. */
const SMALL_DOLLARS = new Intl.NumberFormat("en", { style: "currency", currency: "USD", maximumFractionDigits: 4 });

/** 12,345. */
export const whole = (value: number): string => WHOLE.format(value);

/** A share of a whole as "12.3 %"; nothing of nothing is none. */
export function percent(part: number, of: number): string {
  return of === 0 ? "–" : `${((part / of) * 100).toFixed(part === 0 || part === of ? 0 : 1)} %`;
}

/** Milliseconds as "420 ms", "3.2 s", "4:05" or "1:02:03". */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`;
  return clock(Math.round(ms / 1_000));
}

/** Seconds as "4:05" or "1:02:03". */
export function clock(seconds: number): string {
  const [h, m, s] = [Math.floor(seconds / 3_600), Math.floor((seconds % 3_600) / 60), seconds % 60];
  const pad = (value: number) => String(value).padStart(2, "0");
  return h > 0 ? `${h}:${pad(m)}:${pad(s)}` : `${m}:${pad(s)}`;
}

/** US dollars, as the API has them: a decimal string. */
export function Money({ amount }: { amount: string | number | null | undefined }) {
  if (amount === null || amount === undefined) return <>–</>;
  const value = Number(amount);
  return (
    <Text span inherit title={`$${amount}`}>
      {(value !== 0 && Math.abs(value) < 0.1 ? SMALL_DOLLARS : DOLLARS).format(value)}
    </Text>
  );
}

/** The length of a call, "0:34": of all calls in one shape, so that a column of them can be compared. */
export function callLength(ms: number): string {
  return ms === 0 ? "–" : clock(Math.max(1, Math.round(ms / 1_000)));
}

/** How long something took. */
export function Duration({ ms }: { ms: number | null | undefined }) {
  return ms === null || ms === undefined ? <>–</> : <span style={{ whiteSpace: "nowrap" }}>{duration(ms)}</span>;
}
