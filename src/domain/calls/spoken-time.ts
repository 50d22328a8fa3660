import { Temporal } from "temporal-polyfill";
import { remembering } from "#domain/values/remembering.ts";
import { type Respelled, withSpokenDays, withSpokenTimes } from "./spoken-digits.ts";

/** A time that a person named, and the words that named it. */
export type SpokenTime = {
  /** In the future, to the minute. */
  at: Date;
  /** The local calendar day and time of day in the person's zone: `2026-11-24`, `15:00`. */
  localDate: string;
  localTime: string;
  /** What was really said: "Tuesday" has a day and no time, "after lunch" a time and no day. */
  hasDate: boolean;
  hasTime: boolean;
  quote: string;
};

type Clock = { hour: number; minute: number };
type Span = { from: number; to: number };
type Found<T> = T & Span;

/** A day without a time of day: late enough for everyone, early enough to be first. */
const DEFAULT_CLOCK: Clock = { hour: 10, minute: 0 };

/** Parts of a day, the longer wording first. The hours are when people who say so expect a call. */
const DAY_PARTS: [RegExp, Clock][] = (
  [
    ["(?:right )?after lunch|early (?:in the )?afternoon|despues (?:de comer|del almuerzo)", 13, 30],
    ["before lunch|late (?:in the )?morning", 11, 30],
    ["lunch ?time|(?:at|over|during) lunch|lunch break", 12, 30],
    ["after work|after hours|despues del trabajo", 17, 30],
    ["end of (?:the )?day|eod|cob|late (?:in the )?afternoon", 16, 30],
    ["first thing|early (?:in the )?morning|before work|temprano", 9, 0],
    ["before noon", 11, 0],
    ["noon|midday|mid day|mediodia", 12, 0],
    ["(?:in the |this )?morning|(?:por|en|de) la manana", 10, 0],
    ["(?:in the |this )?afternoon|arvo|(?:por|en|de) la tarde", 14, 0],
    ["(?:in the |this )?evening", 18, 30],
    ["tonight|(?:at )?night|esta noche|(?:por|en|de) la noche", 19, 30],
  ] as [string, number, number][]
).map(([source, hour, minute]) => [new RegExp(`\\b(?:${source})\\b`), { hour, minute }]);

const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const SPANISH_WEEKDAYS = ["lun", "mar", "mie", "jue", "vie", "sab", "dom"];
const WEEKDAY =
  /\b(?:(next|this|on|coming|proximo|este|el) )?(?:(mon|tues?|wednes|thurs?|fri|satur|sun)days?|(mon|tues?|weds?|thurs?|thu|fri)|(lunes|martes|miercoles|jueves|viernes|sabado|domingo))\b|\b(next|this|on) (sat|sun)\b|(?<!\b(?:the|i) )\b(sat|sun)(?= (?:at|after|around|morning|afternoon|evening|\d)|[.,!?]?$)/;

/** "Saturday the 5th" is the 5th. */
const WEEKDAY_THE =
  /\b(mon|tue|wed|thu|fri|sat|sun)(?:(?:s|nes|rs|ur)?day|s|rs)?,? (?:the )?(\d{1,2})(?:st|nd|rd|th)\b/;

/** "A week from Tuesday", "Tuesday after next": a week after the next one. */
const WEEK_FROM =
  /\ba week from (?:this |on |next )?(mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(mon|tues|wednes|thurs|fri|satur|sun)day after next\b/;

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const MONTH =
  "(jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec|ene|abr|ago|dic)(?:uary|ruary|ch|il|e|y|ust|ember|ober|tember|ro|rero|zo|o|io|sto|iembre|ubre)?\\.?";
const DAY = "(\\d{1,2})(?:st|nd|rd|th)?";
const MONTH_DAY = new RegExp(`\\b${MONTH} (?:the )?${DAY}(?:,? (20\\d\\d))?\\b(?!:)`);
const DAY_MONTH = new RegExp(`\\b${DAY} (?:of |de )?${MONTH}(?:,? (20\\d\\d))?\\b`);

/** Those that have a day of their own, and are named by it. */
const HOLIDAYS: ReadonlyMap<string, readonly [month: number, day: number]> = new Map([
  ["christmas eve", [12, 24]],
  ["christmas day", [12, 25]],
  ["new years eve", [12, 31]],
  ["new years day", [1, 1]],
  ["halloween", [10, 31]],
  ["valentines day", [2, 14]],
]);
const HOLIDAY = /\b(?:christmas (?:eve|day)|new year['’]?s (?:eve|day)|halloween|valentine['’]?s day)\b/;

const NUMBERS = "one two three four five six seven eight nine ten eleven twelve".split(" ");
const SPANISH_NUMBERS = "una dos tres cuatro cinco seis siete ocho nueve diez once doce".split(" ");
const HOUR = `(\\d{1,2}|${NUMBERS.join("|")})`;
const RELATIVE = new RegExp(
  `\\b(?:in|en) (?:about |around |like |maybe )?(half an|an?|a couple(?: of)?|a few|\\d{1,3}|${NUMBERS.join("|")}|un|${SPANISH_NUMBERS.join("|")}|media) (and a half )?(min(?:ute|uto)?s?|hours?|hrs?|horas?|days?|dias?|weeks?|semanas?)\\b( and a half)?`,
);

const MERIDIEM =
  /\b(\d{1,2})(?:[:.](\d\d))? ?(?:-|–|to|and|or) ?\d{1,2}(?:[:.]\d\d)? ?([ap])\.?m\b|\b(\d{1,2})(?:[:.](\d\d))? ?([ap])(?:\.?m\b\.?|\b)/;
const CLOCK_24 = /\b([01]?\d|2[0-3])[:h]([0-5]\d)\b/;
const PAST = new RegExp(`\\b(half|quarter) (past|after|to|till?|before) ${HOUR} ?(?:([ap])\\.?m\\b|\\b)`);
const OCLOCK = new RegExp(`\\b${HOUR} ?(?:o ?'?clock|ish\\b|-ish\\b)`);
const A_LAS = new RegExp(`\\ba las? (\\d{1,2}|${SPANISH_NUMBERS.join("|")})(?::(\\d\\d)| (y media))?\\b`);
/** A bare number is a time after these, unless it counts something. */
const COUNTED =
  "(?! ?(?:k\\b|%|\\$|bed|bath|room|kid|people|person|thousand|million|grand|years?|months?|weeks?|days?|hours?|hrs|min|miles|dollars|percent|units|of|more|thing|question|star|year|hundred|point|oh|ten\\b|eleven|twelve|[a-z]{3,5}teen|twenty|thirty|fou?rty|fifty|sixty|seventy|eighty|ninety)|[,.]?\\d|/)";
const AT_HOUR = new RegExp(`\\b(?:at|after|before|@) ?${HOUR}\\b${COUNTED}`);
/** That one tomorrow: not at one. */
const NEAR_HOUR = new RegExp(
  `(?<!\\b(?:the|that|this|no|any|which|each|every|another|other|last|new|only|my|your|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand))(?:^|[ ,\u2003])${HOUR}\\b${COUNTED}(?!st|nd|rd|th)`,
);

/** No time is named later in a text than this. */
const MAX_TEXT_LENGTH = 1_000;

/**
 * The time that a text names ("tomorrow after lunch", "Tue 3pm", "in two hours", "mañana a las 3"), read in the person's zone
 * from `now`, or undefined when it names none or one that has passed. English, and the common Spanish.
 *
 * A bare hour means business hours: 1 to 7 is afternoon, 8 to 12 morning and noon. A time without a day is its next occurrence. `zone` is an
 * IANA name; an unknown one is a RangeError.
 */
export function spokenTime(text: string, now: Date, zone: string): SpokenTime | undefined {
  const { days, times, relative, date, clock } = namedIn(text);
  if (!relative && !date && !clock) return undefined;

  const local = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(zone);
  const spans: Span[] = [];
  let at: Temporal.ZonedDateTime | undefined;
  let hasTime = clock !== undefined;
  if (relative) {
    spans.push(spanOf(relative));
    const duration = relativeDuration(relative);
    at = local.add(duration);
    if (duration.hours || duration.minutes) hasTime = true;
    else at = withClock(at.toPlainDate(), clock ?? DEFAULT_CLOCK, zone);
  } else if (date) {
    spans.push(date);
    at = dated(date, clock, local);
  } else if (clock) {
    at = withClock(local.toPlainDate(), clock, zone);
    if (Temporal.ZonedDateTime.compare(at, local) <= 0) {
      at = withClock(local.toPlainDate().add({ days: 1 }), clock, zone);
    }
  }
  if (at === undefined || Temporal.ZonedDateTime.compare(at, local) <= 0) return undefined;
  if (clock) spans.push(clock);
  const minute = at.round({ smallestUnit: "minute" });
  return {
    at: new Date(minute.epochMilliseconds),
    localDate: minute.toPlainDate().toString(),
    localTime: minute.toPlainTime().toString().slice(0, 5),
    hasDate: date !== undefined || relative !== null,
    hasTime,
    quote: quoteOf(text, spans, times, days),
  };
}

/** What of a time a text names, whenever and wherever that is. */
const namedIn = remembering((text: string) => {
  const days = withSpokenDays(unaccented(text.slice(0, MAX_TEXT_LENGTH)));
  const besideDay = RELATIVE.test(days.text) || findDate(days.text) !== undefined;
  const times = withSpokenTimes(days.text, besideDay);
  const plain = times.text;
  const relative = RELATIVE.exec(plain);
  const date = relative ? undefined : findDate(plain);
  const rest = date ? blank(plain, date) : plain;
  const clock = findClock(rest, date !== undefined || relative !== null);
  return { days, times, relative, date, clock };
});

/** The same length as the text, so that a match can be quoted from the original. */
function unaccented(text: string): string {
  const lower = text.toLowerCase();
  return (lower.length === text.length ? lower : text)
    .replace(/[áàâ]/g, "a")
    .replace(/[éèê]/g, "e")
    .replace(/[íì]/g, "i")
    .replace(/[óò]/g, "o")
    .replace(/[úù]/g, "u")
    .replaceAll("ñ", "n")
    .replaceAll("’", "'");
}

const spanOf = (match: RegExpExecArray): Span => ({ from: match.index, to: match.index + match[0].length });

const blank = (text: string, { from, to }: Span): string =>
  text.slice(0, from) + "\u2003".repeat(to - from) + text.slice(to);

/** From the first of the spans to the last, of the text before it was respelled. */
function quoteOf(text: string, spans: Span[], ...respellings: Respelled[]): string {
  let from = Math.min(...spans.map((span) => span.from));
  let to = Math.max(...spans.map((span) => span.to));
  for (const { starts, ends } of respellings) {
    from = starts[from] ?? from;
    to = ends[to - 1] ?? to;
  }
  return text.slice(from, to).trim();
}

function relativeDuration([, amount, half1, unit, half2]: RegExpExecArray): {
  weeks?: number;
  days?: number;
  hours?: number;
  minutes?: number;
} {
  const count = numberOf(amount!);
  const extra = half1 || half2 ? 0.5 : 0;
  const total = count + extra;
  if (/^min/.test(unit!)) return { minutes: Math.round(total) };
  if (/^h/.test(unit!)) return { minutes: Math.round(total * 60) };
  if (/^(?:w|s)/.test(unit!)) return { days: Math.max(1, Math.round(total * 7)) };
  return { days: Math.max(1, Math.round(total)) };
}

function numberOf(word: string): number {
  if (/^\d/.test(word)) return Number(word);
  if (/^(?:half|media)/.test(word)) return 0.5;
  if (/^a couple/.test(word)) return 2;
  if (/^a few/.test(word)) return 3;
  const index = Math.max(NUMBERS.indexOf(word), SPANISH_NUMBERS.indexOf(word));
  return index < 0 ? 1 : index + 1;
}

type DateWords =
  | { kind: "days"; days: number }
  | { kind: "weekday"; weekday: number; next: boolean; weekLater?: true }
  | { kind: "calendar"; year?: number; month?: number; day: number; monthsAhead?: number; on?: number };

function findDate(text: string): Found<DateWords> | undefined {
  let match = /\b(20\d\d)-(\d\d)-(\d\d)\b/.exec(text);
  if (match) return { kind: "calendar", year: +match[1]!, month: +match[2]!, day: +match[3]!, ...spanOf(match) };
  match = /\b(\d{1,2})\/(\d{1,2})(?:\/(\d{2}|20\d\d))?\b(?!\/)/.exec(text);
  if (match) {
    const year = match[3] ? (match[3].length === 2 ? 2000 + +match[3] : +match[3]) : undefined;
    return { kind: "calendar", year, month: +match[1]!, day: +match[2]!, ...spanOf(match) };
  }
  match = HOLIDAY.exec(text);
  if (match) {
    const [month, day] = HOLIDAYS.get(match[0].replace(/['’]|\bon /g, ""))!;
    return { kind: "calendar", month, day, ...spanOf(match) };
  }
  match = MONTH_DAY.exec(text);
  if (match)
    return {
      kind: "calendar",
      month: monthOf(match[1]!),
      day: +match[2]!,
      year: match[3] ? +match[3] : undefined,
      ...spanOf(match),
    };
  match = DAY_MONTH.exec(text);
  if (match)
    return {
      kind: "calendar",
      day: +match[1]!,
      month: monthOf(match[2]!),
      year: match[3] ? +match[3] : undefined,
      ...spanOf(match),
    };
  match = /\b(a|one|two|three|four|\d) weeks? from (today|now|tomorrow)\b/.exec(text);
  if (match) {
    const days = 7 * numberOf(match[1]!) + (match[2] === "tomorrow" ? 1 : 0);
    return { kind: "days", days, ...spanOf(match) };
  }
  match = /\b(?:the )?day after (?:tomorrow|tmrw|tmr)\b|\bpasado manana\b/.exec(text);
  if (match) return { kind: "days", days: 2, ...spanOf(match) };
  match = /\b(?:tomm?orr?ow|tmrw|tmr|2moro|2morrow)\b|(?<!\b(?:la|esta) )\bmanana\b/.exec(text);
  if (match) return { kind: "days", days: 1, ...spanOf(match) };
  match = WEEKDAY_THE.exec(text);
  if (match) return { kind: "calendar", day: +match[2]!, on: WEEKDAYS.indexOf(match[1]!) + 1, ...spanOf(match) };
  match = WEEK_FROM.exec(text);
  if (match) {
    const weekday = WEEKDAYS.indexOf((match[1] ?? match[2])!.slice(0, 3)) + 1;
    return { kind: "weekday", weekday, next: false, weekLater: true, ...spanOf(match) };
  }
  match = WEEKDAY.exec(text);
  if (match) {
    const name = (match[2] ?? match[3] ?? match[6] ?? match[7] ?? match[4])!.slice(0, 3);
    const index = match[4] ? SPANISH_WEEKDAYS.indexOf(name) : WEEKDAYS.indexOf(name);
    return { kind: "weekday", weekday: index + 1, next: (match[1] ?? match[5]) === "next", ...spanOf(match) };
  }
  match = /\b(?:next week|la (?:proxima semana|semana que viene))\b/.exec(text);
  if (match) return { kind: "weekday", weekday: 1, next: false, ...spanOf(match) };
  match = /\b(?:this |over the |the |next )?weekend\b/.exec(text);
  if (match) return { kind: "weekday", weekday: 6, next: match[0].startsWith("next"), ...spanOf(match) };
  match = /\bend of (?:the|this) week\b/.exec(text);
  if (match) return { kind: "weekday", weekday: 5, next: false, ...spanOf(match) };
  match =
    /\b(?:later )?(?:today|hoy)\b|\b(?=this (?:morning|afternoon|evening)\b|tonight\b|esta (?:tarde|noche)\b)/.exec(
      text,
    );
  if (match) return { kind: "days", days: 0, ...spanOf(match) };
  match =
    /\b(?:on )?(?:the )(\d{1,2})(?:st|nd|rd|th)\b(?: of (next) month\b)?|\b(\d{1,2})(?:st|nd|rd|th) of next month\b/.exec(
      text,
    );
  if (match !== null && (match[2] ?? match[3]) !== undefined)
    return { kind: "calendar", day: +(match[3] ?? match[1]!), monthsAhead: 1, ...spanOf(match) };
  if (match) return { kind: "calendar", day: +match[1]!, ...spanOf(match) };
  return undefined;
}

const SPANISH_MONTHS = new Map([
  ["ene", 1],
  ["abr", 4],
  ["ago", 8],
  ["dic", 12],
]);
const monthOf = (name: string): number => SPANISH_MONTHS.get(name.slice(0, 3)) ?? MONTHS.indexOf(name.slice(0, 3)) + 1;

function dated(
  date: DateWords,
  clock: Clock | undefined,
  local: Temporal.ZonedDateTime,
): Temporal.ZonedDateTime | undefined {
  const zone = local.timeZoneId;
  const today = local.toPlainDate();
  const time = clock ?? DEFAULT_CLOCK;
  if (date.kind === "days") {
    // "Later today" without a time of day: in two hours, on the half hour.
    if (date.days === 0 && !clock)
      return local.add({ hours: 2 }).round({ smallestUnit: "minute", roundingIncrement: 30 });
    return withClock(today.add({ days: date.days }), time, zone);
  }
  if (date.kind === "weekday") {
    const ahead = ((date.weekday - today.dayOfWeek + 7) % 7) + (date.weekLater ? 7 : 0);
    const at = withClock(today.add({ days: ahead }), time, zone);
    const passed = Temporal.ZonedDateTime.compare(at, local) <= 0;
    return passed || (date.next && ahead === 0) ? withClock(today.add({ days: ahead + 7 }), time, zone) : at;
  }
  const { year = today.year, month = today.month, day } = date;
  const on = (y: number, m: number): Temporal.ZonedDateTime | undefined => {
    const first = Temporal.PlainYearMonth.from({ year: y, month: 1 }).add({ months: m - 1 });
    if (month < 1 || month > 12 || day < 1 || day > first.daysInMonth) return undefined;
    return withClock(first.toPlainDate({ day }), time, zone);
  };
  if (date.monthsAhead !== undefined) return on(year, month + date.monthsAhead);
  // "Sat the 13th" is the next 13th that is a Saturday, as far as anybody plans.
  if (date.on !== undefined) {
    const days = [0, 1, 2, 3].map((ahead) => on(year, month + ahead));
    const named = days.find((day) => day?.dayOfWeek === date.on && Temporal.ZonedDateTime.compare(day!, local) > 0);
    if (named !== undefined) return named;
  }
  const at = on(year, month);
  // The 31st, said in November, is in December.
  if (at === undefined && date.month === undefined) return on(year, month + 1);
  if (at === undefined || date.year !== undefined || Temporal.ZonedDateTime.compare(at, local) > 0) return at;
  return date.month === undefined ? on(year, month + 1) : on(year + 1, month);
}

const withClock = (date: Temporal.PlainDate, { hour, minute }: Clock, zone: string): Temporal.ZonedDateTime =>
  date.toZonedDateTime({ timeZone: zone, plainTime: Temporal.PlainTime.from({ hour, minute }) });

/** `besideDate`: next to a day or a length of time a bare number is a time of day too. */
function findClock(text: string, besideDate: boolean): Found<Clock> | undefined {
  const part = DAY_PARTS.map(([pattern, clock]) => ({ match: pattern.exec(text), clock })).find(({ match }) => match);
  const late = part !== undefined && part.clock.hour >= 12;

  let match = PAST.exec(text);
  if (match) {
    const before = /to|til|before/.test(match[2]!);
    const minute = match[1] === "half" ? 30 : before ? 45 : 15;
    const hour = numberOf(match[3]!);
    const named = match[4] ? (hour % 12) + (match[4] === "p" ? 12 : 0) : guessed(hour, late, part?.clock);
    return { hour: (named + (before ? 23 : 24)) % 24, minute, ...spanOf(match) };
  }
  match = MERIDIEM.exec(text);
  if (match) {
    const hour = +(match[1] ?? match[4])!;
    const minute = +(match[2] ?? match[5] ?? 0);
    if (hour >= 1 && hour <= 12 && minute < 60) {
      return { hour: (hour % 12) + ((match[3] ?? match[6]) === "p" ? 12 : 0), minute, ...spanOf(match) };
    }
  }
  match = CLOCK_24.exec(text);
  if (match) {
    const bare = !/^0/.test(match[1]!) && +match[1]! < 13;
    return { hour: bare ? guessed(+match[1]!, late, part?.clock) : +match[1]!, minute: +match[2]!, ...spanOf(match) };
  }
  match = A_LAS.exec(text);
  if (match) {
    return {
      hour: guessed(numberOf(match[1]!), late, part?.clock),
      minute: match[3] ? 30 : +(match[2] ?? 0),
      ...spanOf(match),
    };
  }
  match = OCLOCK.exec(text) ?? AT_HOUR.exec(text) ?? (besideDate || part ? NEAR_HOUR.exec(text) : null);
  if (match) {
    const hour = numberOf(match[1]!);
    if (hour >= 1 && hour <= 23) return { hour: guessed(hour, late, part?.clock), minute: 0, ...spanOf(match) };
  }
  return part?.match ? { ...part.clock, ...spanOf(part.match) } : undefined;
}

/** Which half of the day an hour without am or pm is in: the named part's, else business hours. */
function guessed(hour: number, late: boolean, part: Clock | undefined): number {
  if (hour > 12 || hour === 0) return hour % 24;
  if (part) return late ? (hour % 12) + 12 : hour % 12;
  return hour <= 7 ? hour + 12 : hour;
}
