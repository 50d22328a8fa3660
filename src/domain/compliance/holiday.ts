/** A day on which some states allow no sales calls. `date` is the calendar day, `2026-07-04`. */
export type Holiday = Readonly<{ date: string; name: string }>;

const DAY_MS = 86_400_000;
const MONDAY = 1;
const TUESDAY = 2;
const THURSDAY = 4;
const FRIDAY = 5;
const SATURDAY = 6;
const SUNDAY = 0;

/**
 * The federal holidays of a year (5 U.S.C. 6103), in order. One that falls on a weekend is there twice: on its own day
 * and on the weekday it is observed on, since laws that say "holiday" do not say which; so 31 December is one
 * when the next 1 January is a Saturday.
 */
export function federalHolidays(year: number): readonly Holiday[] {
  return [
    ...observed(year, 0, 1, "New Year's Day"),
    nth(year, 0, MONDAY, 3, "Martin Luther King Jr. Day"),
    nth(year, 1, MONDAY, 3, "Washington's Birthday"),
    last(year, 4, MONDAY, "Memorial Day"),
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

type Days = (year: number) => readonly Holiday[];

/**
 * Days off that states whose rules speak of holidays keep beside the federal ones. General knowledge, not statutes read: a
 * day too many holds a text for a day, a day too few breaks a law. A day that is kept in part of a state counts in all of it.
 */
const OF_STATES: Readonly<Record<string, Days>> = {
  AL: (year) => [mardiGras(year), confederateMemorial(year), nth(year, 5, MONDAY, 1, "Jefferson Davis' Birthday")],
  LA: (year) => [
    mardiGras(year),
    goodFriday(year),
    holiday(Date.UTC(year, 10, 1), "All Saints' Day"),
    ...(year % 2 === 0 ? [electionDay(year)] : []),
  ],
  MS: (year) => [last(year, 3, MONDAY, "Confederate Memorial Day")],
  NE: (year) => [last(year, 3, FRIDAY, "Arbor Day"), dayAfterThanksgiving(year)],
  PA: (year) => [goodFriday(year), holiday(Date.UTC(year, 5, 14), "Flag Day"), electionDay(year)],
  RI: (year) => [nth(year, 7, MONDAY, 2, "Victory Day"), ...(year % 2 === 0 ? [electionDay(year)] : [])],
  UT: (year) => observed(year, 6, 24, "Pioneer Day"),
};

/** What a state ("LA") keeps beside the federal holidays, in order; nothing for a state whose rules know no holidays. */
export function stateHolidays(state: string, year: number): readonly Holiday[] {
  const days = Object.hasOwn(OF_STATES, state) ? OF_STATES[state]!(year) : [];
  return days.toSorted((a, b) => (a.date < b.date ? -1 : 1));
}

const goodFriday = (year: number): Holiday => holiday(easter(year) - 2 * DAY_MS, "Good Friday");
const mardiGras = (year: number): Holiday => holiday(easter(year) - 47 * DAY_MS, "Mardi Gras");
const confederateMemorial = (year: number): Holiday => nth(year, 3, MONDAY, 4, "Confederate Memorial Day");

/** The Tuesday after the first Monday of November: never the first of the month. */
function electionDay(year: number): Holiday {
  const monday = Date.parse(nth(year, 10, MONDAY, 1, "").date);
  return holiday(monday + (TUESDAY - MONDAY) * DAY_MS, "Election Day");
}

function dayAfterThanksgiving(year: number): Holiday {
  return holiday(Date.parse(nth(year, 10, THURSDAY, 4, "").date) + DAY_MS, "Day after Thanksgiving");
}

/** Easter Sunday of the Gregorian calendar, by the anonymous algorithm (Meeus, Jones, Butcher). */
function easter(year: number): number {
  const golden = year % 19;
  const century = Math.floor(year / 100);
  const yearOfCentury = year % 100;
  const skipped = Math.floor((8 * century + 13) / 25);
  const epact = (19 * golden + century - Math.floor(century / 4) - skipped + 15) % 30;
  const weekday = (32 + 2 * (century % 4) + 2 * Math.floor(yearOfCentury / 4) - epact - (yearOfCentury % 4)) % 7;
  const late = Math.floor((golden + 11 * epact + 22 * weekday) / 451);
  const days = epact + weekday - 7 * late + 114;
  return Date.UTC(year, Math.floor(days / 31) - 1, (days % 31) + 1);
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

function last(year: number, month: number, weekday: number, name: string): Holiday {
  const fifth = nth(year, month, weekday, 5, name);
  return Number(fifth.date.slice(5, 7)) === month + 1 ? fifth : nth(year, month, weekday, 4, name);
}

/** The states that keep holidays of their own, on which they allow no sales calls. */
const STATES = ["AL", "LA", "MS", "NE", "PA", "RI", "UT"];

/**
 * The first noon in New York (9:00 in Los Angeles) after a time on a day on which nobody's law closes a window: no weekend, and no holiday of the
 * country or a state.
 */
export function workingNoon(after: Date): Date {
  const at = new Date(Date.UTC(after.getUTCFullYear(), after.getUTCMonth(), after.getUTCDate(), 18));
  while (at <= after || isDayOff(at)) at.setUTCDate(at.getUTCDate() + 1);
  return at;
}

function isDayOff(at: Date): boolean {
  const year = at.getUTCFullYear();
  const holidays = [...federalHolidays(year), ...STATES.flatMap((state) => stateHolidays(state, year))];
  return at.getUTCDay() % 6 === 0 || holidays.some(({ date }) => date === at.toISOString().slice(0, 10));
}
