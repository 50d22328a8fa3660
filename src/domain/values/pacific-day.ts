import { localDays } from "./local-day.ts";

/** T-Mobile's day: of the Pacific coast, from midnight to midnight, 23 or 25 hours long when the clocks change. */
export type PacificDay = { date: string; endsAt: Date };

const ZONE = "America/Los_Angeles";

export function pacificDay(now: Date): PacificDay {
  const [day] = localDays(ZONE, now.getTime(), 1);
  return { date: day!.date, endsAt: new Date(day!.end) };
}
