import { federalHolidays, stateHolidays } from "#domain/compliance/holiday.ts";

/** The states that keep holidays of their own, on which they allow no sales calls. */
const STATES = ["AL", "LA", "MS", "NE", "PA", "RI", "UT"];

/**
 * The first noon in New York (9:00 in Los Angeles) after a time on a day on which nobody's law closes a window: no weekend, and no holiday of the
 * country or a state. A test that took the next weekday failed on the eve of Thanksgiving.
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
