import { useSyncExternalStore } from "react";
import { dateFormat } from "./date-format.ts";

/** What is shown as "a minute ago" is not looked at more often than it changes; so long "now" may be behind. */
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

type Shown = { at: string | null; zone?: string | null; exact?: boolean; isReal?: boolean };

/**
 * A moment, as "3 minutes ago" or "in 2 days"; on hover exactly, in the viewer's zone and, where `zone` is given, in the
 * contact's. It is shown by the service's clock, which is the simulator's in test mode; `isReal` for what that does not move: keys,
 * requests, users, nodes.
 */
export function Time({ at, zone, exact = false, isReal = false }: Shown) {
  const now = useNow({ isReal });
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
  if (unit === undefined) return differenceMs > TICK_MS ? "in a moment" : "just now";
  return RELATIVE.format(Math.round(differenceMs / ms!), unit);
}

function full(date: Date, timeZone?: string): string {
  return dateFormat("en", { dateStyle: "medium", timeStyle: "long", ...(timeZone ? { timeZone } : {}) }).format(date);
}

const watchers = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

/** How far the simulator's clock is ahead of the real one. */
let aheadMs = 0;

export function setAhead(ms: number): void {
  if (ms === aheadMs) return;
  aheadMs = ms;
  tick();
}

/** What the service takes for now: the simulator's time, or the real one. */
export const serviceNow = (): number => Date.now() + aheadMs;

/** The time of what the simulator's clock does not move. */
export const realNow = (): number => Date.now();

/** One clock for all times on the page: the service's, or with `isReal` the real one. */
export function useNow({ isReal = false }: { isReal?: boolean } = {}): number {
  return useSyncExternalStore(watch, () => (isReal ? now : now + aheadMs));
}

function watch(changed: () => void): () => void {
  watchers.add(changed);
  timer ??= setInterval(tick, TICK_MS);
  return () => {
    watchers.delete(changed);
    if (watchers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function tick(): void {
  now = Date.now();
  for (const changed of watchers) changed();
}
