import { Temporal } from "temporal-polyfill";

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** A calendar day as people in one zone live it. */
export type LocalDay = Readonly<{
  /** `2026-03-08` */
  date: string;
  /** 1 is Monday, 7 is Sunday. */
  weekday: number;
  /** First instant of the day, and of the next one, in milliseconds since 1970. */
  start: number;
  end: number;
  /** The instant at which the wall clock shows so many minutes after midnight; a time that a DST gap skips is read an hour later. */
  at(minutes: number): number;
}>;

/**
 * `count` days of a zone's calendar, of which the first is the one that began last at `from` (ms since 1970). Throws a
 * RangeError for a zone that does not exist, or an instant outside what dates can express.
 */
export function localDays(zone: string, from: number, count: number): LocalDay[] {
  let date = Temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO(zone).toPlainDate();
  let start = date.toZonedDateTime(zone).epochMilliseconds;
  const days: LocalDay[] = [];
  for (let i = 0; i < count; i++) {
    const next = date.add({ days: 1 });
    const end = next.toZonedDateTime(zone).epochMilliseconds;
    days.push({ date: date.toString(), weekday: date.dayOfWeek, start, end, at: clockOf(zone, date, start, end) });
    date = next;
    start = end;
  }
  return days;
}

/** On a day of 24 hours the clock is arithmetic, a twentieth of the cost of asking for each minute. */
function clockOf(zone: string, date: Temporal.PlainDate, start: number, end: number): (minutes: number) => number {
  if (end - start === DAY_MS) return (minutes) => start + minutes * MINUTE_MS;
  return (minutes) => {
    if (minutes >= 24 * 60) return end;
    const time = new Temporal.PlainTime(Math.floor(minutes / 60), minutes % 60);
    return date.toZonedDateTime({ timeZone: zone, plainTime: time }).epochMilliseconds;
  };
}
