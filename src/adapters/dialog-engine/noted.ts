import { isOfBirth } from "#adapters/dialog-reading/birth-dates.ts";
import type { Learned, State } from "./state.ts";
import { fresh } from "./wording.ts";

const DOLLARS = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD", maximumFractionDigits: 0 });
const CENTS = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" });
const DAY = new Intl.DateTimeFormat("en-US", { weekday: "long", month: "long", day: "numeric", timeZone: "UTC" });
const DAY_IN_SPANISH = new Intl.DateTimeFormat("es-US", {
  weekday: "long",
  month: "long",
  day: "numeric",
  timeZone: "UTC",
});

/** A day of birth is said with its year, and nobody needs its weekday. */
const BIRTH = new Intl.DateTimeFormat("en-US", { dateStyle: "long", timeZone: "UTC" });
const BIRTH_IN_SPANISH = new Intl.DateTimeFormat("es-US", { dateStyle: "long", timeZone: "UTC" });

/** That a value was understood, with the value; at most one sentence, since people see their own words above it. */
export function noted(state: State): string[] {
  const telling = state.learned.find(({ slot }) => TELLING.has(slot.kind)) ?? state.learned[0];
  if (telling === undefined) return [];
  const value = shownValue(telling, state.language);
  if (value === undefined) return [fresh(state, "thanks")].filter((text) => text !== undefined);
  const shown = value + partOfDay(telling, state);
  const name = telling.slot.kind;
  const isName = name === "name" || name === "first_name";
  const changed =
    telling.isChange &&
    state.said?.acts.has("corrects") &&
    state.learned.length === 1 &&
    state.spoken.size > 2 &&
    /^(?:no|actually|wait|oh|sorry|oops|make)\b/.test(state.said.folded);
  const text = fresh(state, isName ? "nice_to_meet" : changed ? "changed" : "noted", shown) ?? fresh(state, "thanks");
  return text === undefined ? [] : [text.charAt(0).toUpperCase() + text.slice(1)];
}

/** "Monday afternoon" is said back whole, though only its day is a value. */
const PART_OF_DAY = /\b(?:(?<en>morning|afternoon|evening)s?|por la (?<es>mañana|manana|tarde|noche))\b/i;

function partOfDay({ slot, value }: Learned, { known, language }: State): string {
  if (!/^\d{4}-\d\d-\d\d$/.test(value) || (slot.kind !== "moment" && slot.kind !== "call_time")) return "";
  const { en, es } = PART_OF_DAY.exec(known.get(slot.field.name)?.quote ?? "")?.groups ?? {};
  if (language === "spanish") return es === undefined ? "" : ` por la ${es.toLowerCase().replace("manana", "mañana")}`;
  return en === undefined ? "" : ` in the ${en.toLowerCase()}`;
}

const TELLING: ReadonlySet<string> = new Set([
  "money",
  "date",
  "time",
  "moment",
  "call_time",
  "name",
  "first_name",
  "place",
]);

function shownValue({ slot, value }: Learned, language: State["language"]): string | undefined {
  switch (slot.kind) {
    case "money":
      return /^\d+(?:\.\d+)?(?:-\d+(?:\.\d+)?)?$/.test(value)
        ? value
            .split("-")
            .map((amount) => (/\.\d/.test(amount) ? CENTS : DOLLARS).format(Number(amount)))
            .join(" to ")
        : undefined;
    case "date":
      return isOfBirth(slot)
        ? (language === "spanish" ? BIRTH_IN_SPANISH : BIRTH).format(new Date(`${value}T00:00:00Z`))
        : shownTime(value, language);
    case "moment":
    case "call_time":
    case "time":
    case "period":
      return shownTime(value, language);
    case "name":
    case "first_name":
      return /^[\p{L}'’-]{2,20}$/u.test(value.split(/\s+/)[0]!) ? value.split(/\s+/)[0] : undefined;
    case "place":
      return value.length <= 30 ? value.replace(/(?<![\p{L}'’])\p{Ll}/gu, (letter) => letter.toUpperCase()) : undefined;
    default:
      return undefined;
  }
}

/** `2026-11-24 15:00` -> `Tuesday, November 24 at 3:00 PM`; a period stays as the contact put it. */
function shownTime(value: string, language: State["language"]): string | undefined {
  const parts = /^(?:(\d{4}-\d\d-\d\d))? ?(?:(\d\d):(\d\d))?$/.exec(value);
  if (parts === null) return value.length <= 40 ? value.replace(/^(?:probably|maybe|like|around) /i, "") : undefined;
  const [, date, hours, minutes] = parts;
  const day =
    date === undefined
      ? undefined
      : (language === "spanish" ? DAY_IN_SPANISH : DAY).format(new Date(`${date}T00:00:00Z`));
  const clock =
    hours === undefined
      ? undefined
      : language === "spanish"
        ? `las ${Number(hours)}:${minutes}`
        : `${((Number(hours) + 11) % 12) + 1}:${minutes} ${Number(hours) < 12 ? "AM" : "PM"}`;
  if (day === undefined) return clock;
  return clock === undefined ? day : `${day} ${language === "spanish" ? "a" : "at"} ${clock}`;
}
