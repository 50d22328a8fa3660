import { remembering } from "#domain/values/remembering.ts";

/** When somebody may come: days from 1, a Monday, and minutes of the day, the last one included. */
export type OpeningHours = { days: ReadonlySet<number>; from: number; to: number };

const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const DAY = "(mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?s?";
const HOUR = "(\\d{1,2})(?::(\\d\\d))? ?([ap])?\\.?(?:m\\b\\.?)?";
const BETWEEN = "(?: ?[-–] ?| (?:to|through|thru|until|till|and) )";
/** "Monday to Saturday, 8am to 6pm" */
const RANGE = new RegExp(`\\b${DAY}${BETWEEN}${DAY},? (?:from |between )?${HOUR}${BETWEEN}${HOUR}`, "i");
const ANY_DAY = new RegExp(`\\b${DAY}\\b`, "i");

const dayOf = (name: string): number => DAYS.indexOf(name.slice(0, 3).toLowerCase()) + 1;

function minutesOf(hour: string, minutes: string | undefined, half: string): number {
  const hours = Number(hour) > 12 ? Number(hour) : (Number(hour) % 12) + (half === "p" ? 12 : 0);
  return hours * 60 + Number(minutes ?? 0);
}

/** Undefined where a sentence states none, or others beside them ("Saturdays from 9 to 2"): then nothing is held against a time. */
export const openingHoursIn = (sentence: string): OpeningHours | undefined => read(sentence).hours;

const read = remembering((sentence: string): { hours: OpeningHours | undefined } => {
  const found = RANGE.exec(sentence);
  if (found === null || ANY_DAY.test(sentence.replace(found[0], ""))) return { hours: undefined };
  const [, first, last, hour, minutes, half, endHour, endMinutes, endHalf = "p"] = found.map((part) =>
    part?.toLowerCase(),
  );
  const [begin, end] = [dayOf(first!), dayOf(last!)];
  const isOpen = (day: number): boolean => (begin <= end ? day >= begin && day <= end : day >= begin || day <= end);
  const to = minutesOf(endHour!, endMinutes, endHalf);
  // "9 to 5" begins in the morning, and "1 to 5pm" after noon.
  const from = minutesOf(hour!, minutes, half ?? (Number(hour) < Number(endHour) && Number(hour) < 7 ? endHalf : "a"));
  return { hours: from < to ? { days: new Set([1, 2, 3, 4, 5, 6, 7].filter(isOpen)), from, to } : undefined };
});

/** Whether nobody comes at a time as fields have it: `2026-11-29 03:00`, a day, or an hour. Words are never outside. */
export function isOutside({ days, from, to }: OpeningHours, value: string): boolean {
  const [, date, hour, minute] = /^(\d{4}-\d\d-\d\d)? ?(?:(\d\d):(\d\d))?$/.exec(value) ?? [];
  const day = date === undefined ? undefined : new Date(`${date}T00:00:00Z`).getUTCDay() || 7;
  const at = hour === undefined ? undefined : Number(hour) * 60 + Number(minute);
  return (day !== undefined && !days.has(day)) || (at !== undefined && (at < from || at > to));
}
