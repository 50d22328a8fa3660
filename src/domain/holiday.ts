/** A day on which some states allow no sales calls. `date` is the calendar day, `2026-07-04`. */
export type Holiday = Readonly<{ date: string; name: string }>;

const DAY_MS = 86_400_000;
const MONDAY = 1;
const THURSDAY = 4;
const SATURDAY = 6;
const SUNDAY = 0;

/**
 * The federal holidays of a year (5 U.S.C. 6103), in order. One that falls on a weekend is there twice: on its own day
 * and on the weekday it is observed on, since laws that say "holiday" do not say which; so 31 December is one
 * when the next 1 January is a Saturday. Holidays that single states add are not known here.
 */
export function federalHolidays(year: number): readonly Holiday[] {
  return [
    ...observed(year, 0, 1, "New Year's Day"),
    nth(year, 0, MONDAY, 3, "Martin Luther King Jr. Day"),
    nth(year, 1, MONDAY, 3, "Washington's Birthday"),
    lastMonday(year, 4, "Memorial Day"),
    ...observed(year, 5, 19, "Juneteenth"),
    ...observed(year, 6, 4, "Independence Day"),
    nth(year, 8, MONDAY, 1, "Labor Day"),
    nth(year, 9, MONDAY, 2, "Columbus Day"),
    ...observed(year, 10, 11, "Veterans Day"),
    nth(year, 10, THURSDAY, 4, "Thanksgiving Day"),
    ...observed(year, 11, 25, "Christmas Day"),
    ...observed(year + 1, 0, 1, "New Year's Day"),
  ]
    .filter((holiday) => holiday.date.startsWith(`${year}-`))
    .sort((a, b) => (a.date < b.date ? -1 : 1));
}

const holiday = (utcMs: number, name: string): Holiday => ({ date: new Date(utcMs).toISOString().slice(0, 10), name });

function observed(year: number, month: number, day: number, name: string): Holiday[] {
  const own = Date.UTC(year, month, day);
  const weekday = new Date(own).getUTCDay();
  if (weekday === SATURDAY) return [holiday(own, name), holiday(own - DAY_MS, `${name} (observed)`)];
  if (weekday === SUNDAY) return [holiday(own, name), holiday(own + DAY_MS, `${name} (observed)`)];
  return [holiday(own, name)];
}

function nth(year: number, month: number, weekday: number, count: number, name: string): Holiday {
  const toFirst = (weekday - new Date(Date.UTC(year, month, 1)).getUTCDay() + 7) % 7;
  return holiday(Date.UTC(year, month, 1 + toFirst + 7 * (count - 1)), name);
}

function lastMonday(year: number, month: number, name: string): Holiday {
  const fifth = nth(year, month, MONDAY, 5, name);
  return Number(fifth.date.slice(5, 7)) === month + 1 ? fifth : nth(year, month, MONDAY, 4, name);
}
