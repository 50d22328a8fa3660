import { useSyncExternalStore } from "react";

/** What is shown as "a minute ago" is not looked at more often than it changes. */
const TICK_MS = 15_000;

const RELATIVE = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const UNITS = [
  ["year", 31_557_600_000],
  ["month", 2_629_800_000],
  ["week", 604_800_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

/**
 * A moment, as "3 minutes ago" or "in 2 days"; on hover exactly, in the viewer's zone and, where `zone` is given, in the
 * contact's.
 */
export function Time({ at, zone, exact = false }: { at: string | null; zone?: string | null; exact?: boolean }) {
  const now = useNow();
  if (at === null) return <>–</>;
  const date = new Date(at);
  const lines = [`${full(date)} (you)`, ...(zone ? [`${full(date, zone)} (contact)`] : [])];
  return (
    <time dateTime={at} title={lines.join("\n")} style={{ whiteSpace: "nowrap" }}>
      {exact ? full(date) : relative(date.getTime() - now)}
    </time>
  );
}

/** "3 minutes ago", "tomorrow", "just now". */
export function relative(differenceMs: number): string {
  const [unit, ms] = UNITS.find(([, size]) => Math.abs(differenceMs) >= size) ?? [];
  if (unit === undefined) return differenceMs > 0 ? "in a moment" : "just now";
  return RELATIVE.format(Math.round(differenceMs / ms!), unit);
}

function full(date: Date, timeZone?: string): string {
  return date.toLocaleString("en", { dateStyle: "medium", timeStyle: "long", ...(timeZone ? { timeZone } : {}) });
}

const watchers = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

/** One clock for all times on the page. */
export function useNow(): number {
  return useSyncExternalStore(
    (changed) => {
      watchers.add(changed);
      timer ??= setInterval(tick, TICK_MS);
      return () => {
        watchers.delete(changed);
        if (watchers.size === 0) {
          clearInterval(timer);
          timer = undefined;
        }
      };
    },
    () => now,
  );
}

function tick(): void {
  now = Date.now();
  for (const changed of watchers) changed();
}
