/** Compared with each day: 1 is Monday, 7 is Sunday. */
type Weekday = 1 | 2 | 3 | 4 | 5 | 6 | 7;

/** P: the statute was read. 2: law-firm or official summary. V: vendors' tables only. G: general knowledge. own: our choice. */
export type RuleStrength = "P" | "2" | "V" | "G" | "own";

/**
 * One row of law (or of our own caution) about hours. On a day that it names, a contact may be reached only from `from`
 * (inclusive) to `to` (exclusive), in the local time of every zone they may be in; null means at no time that day.
 * On other days the row says nothing. All the rows that concern a contact hold together, so the strictest wins.
 */
export type CallingRule = Readonly<{
  /** Stored with every denial: never rename one. */
  id: string;
  /** "US", "CA", a state or province ("US-FL", "CA-ON"), or a profile's name for our own rules. */
  jurisdiction: string;
  channel: "any" | "voice";
  days: readonly Weekday[];
  /** Whether it also holds on federal holidays, and on the state's own, whatever their weekday. */
  holidays: boolean;
  from: string | null;
  to: string | null;
  /** The statute names a zone of its own. */
  zone?: string;
  /** The law lets go of it for a contact with this consent on record. */
  exemptIf?: "express_consent";
  source: string;
  verifiedOn: string;
  strength: RuleStrength;
}>;

const EVERY_DAY: readonly Weekday[] = [1, 2, 3, 4, 5, 6, 7];
const WEEKDAYS: readonly Weekday[] = [1, 2, 3, 4, 5];
const WEEKEND: readonly Weekday[] = [6, 7];
const MONDAY_TO_SATURDAY: readonly Weekday[] = [1, 2, 3, 4, 5, 6];
const SATURDAY: readonly Weekday[] = [6];
const SUNDAY: readonly Weekday[] = [7];

/** When the table was taken over from the project's compliance notes; nobody has read the sources again since. */
export const VERIFIED_ON = "2026-11-20";
const VENDORS = "vendors' tables of state calling hours";
export const SUMMARIES = "law-firm summaries of state calling hours";

type Hours = Pick<CallingRule, "days" | "from" | "to"> &
  Partial<Pick<CallingRule, "holidays" | "channel" | "zone" | "exemptIf">>;

const row = (id: string, jurisdiction: string, hours: Hours, strength: RuleStrength, source: string): CallingRule => ({
  id,
  jurisdiction,
  channel: "any",
  holidays: false,
  ...hours,
  source,
  verifiedOn: VERIFIED_ON,
  strength,
});

/** The ordinary shape: the same hours on all seven days. */
const daily = (state: string, from: string, to: string, strength: RuleStrength, source: string): CallingRule =>
  row(`${state.toLowerCase()}_hours`, `US-${state}`, { days: EVERY_DAY, from, to }, strength, source);

/** "None" in the column "Sunday, holiday". */
const noSundayOrHoliday = (
  state: string,
  strength: RuleStrength,
  source: string,
  more: Partial<Hours> = {},
): CallingRule =>
  row(
    `${state.toLowerCase()}_sunday_holiday`,
    `US-${state}`,
    { days: SUNDAY, holidays: true, from: null, to: null, ...more },
    strength,
    source,
  );

/**
 * Every rule about hours. States come first, then countries, then our own: a denial names the first that forbids, and a
 * law says more than a habit. Where the notes leave a doubt the row takes the stricter reading.
 */
export const CALLING_RULES: readonly CallingRule[] = [
  daily("FL", "08:00", "20:00", "P", "Fla. Stat. 501.616(6)"),
  daily("OK", "08:00", "20:00", "2", SUMMARIES),
  row("ok_automated", "US-OK", { days: EVERY_DAY, from: "09:00", to: "21:00", channel: "voice" }, "2", SUMMARIES),
  daily("MD", "08:00", "20:00", "2", SUMMARIES),
  daily("OR", "08:00", "20:00", "2", "Oregon HB 3865, in force 2026-01-01"),
  daily("WA", "08:00", "20:00", "2", SUMMARIES),
  row(
    "tx_hours",
    "US-TX",
    { days: MONDAY_TO_SATURDAY, from: "09:00", to: "21:00" },
    "2",
    "Texas SB 140, texts included",
  ),
  row("tx_sunday", "US-TX", { days: SUNDAY, from: "12:00", to: "21:00" }, "2", "Texas SB 140, texts included"),
  daily("CT", "09:00", "20:00", "V", VENDORS),
  daily("LA", "08:00", "20:00", "2", SUMMARIES),
  noSundayOrHoliday("LA", "2", SUMMARIES),
  daily("AL", "08:00", "20:00", "V", VENDORS),
  noSundayOrHoliday("AL", "V", VENDORS),
  row("ms_hours", "US-MS", { days: EVERY_DAY, from: "08:00", to: "20:00", zone: "America/Chicago" }, "V", VENDORS),
  noSundayOrHoliday("MS", "V", VENDORS),
  row("ri_hours", "US-RI", { days: WEEKDAYS, from: "09:00", to: "18:00" }, "P", "R.I. Gen. Laws 5-61-2"),
  row("ri_saturday", "US-RI", { days: SATURDAY, from: "10:00", to: "17:00" }, "P", "R.I. Gen. Laws 5-61-2"),
  noSundayOrHoliday("RI", "P", "R.I. Gen. Laws 5-61-2"),
  daily("UT", "08:00", "21:00", "P", "Utah Code 13-25a-103"),
  noSundayOrHoliday("UT", "P", "Utah Code 13-25a-103", { exemptIf: "express_consent" }),
  daily("PA", "08:00", "21:00", "V", VENDORS),
  row("pa_holiday", "US-PA", { days: [], holidays: true, from: null, to: null }, "V", VENDORS),
  daily("KY", "10:00", "21:00", "V", VENDORS),
  daily("MA", "08:00", "20:00", "V", VENDORS),
  daily("NV", "09:00", "20:00", "V", VENDORS),
  daily("MI", "09:00", "21:00", "V", VENDORS),
  daily("MN", "09:00", "21:00", "V", VENDORS),
  daily("NM", "09:00", "21:00", "V", VENDORS),
  row("il_recorded", "US-IL", { days: EVERY_DAY, from: "09:00", to: "21:00", channel: "voice" }, "V", VENDORS),
  row(
    "sd_automated",
    "US-SD",
    { days: WEEKDAYS, from: "09:00", to: "21:00", channel: "voice" },
    "P",
    "South Dakota's law on automated calls",
  ),
  // "Weekdays" may or may not take in Saturday.
  row(
    "sd_saturday",
    "US-SD",
    { days: SATURDAY, from: null, to: null, channel: "voice" },
    "P",
    "South Dakota's law on automated calls",
  ),
  noSundayOrHoliday("SD", "P", "South Dakota's law on automated calls"),
  row(
    "ne_sunday_holiday",
    "US-NE",
    { days: SUNDAY, holidays: true, from: "13:00", to: "21:00", channel: "voice" },
    "V",
    VENDORS,
  ),
  daily("WY", "08:00", "20:00", "G", "general knowledge"),
  daily("VA", "08:00", "21:00", "2", SUMMARIES),

  row("us_hours", "US", { days: EVERY_DAY, from: "08:00", to: "21:00" }, "P", "47 CFR 64.1200(c)(1), 16 CFR 310.4(c)"),
  row(
    "ca_weekday",
    "CA",
    { days: WEEKDAYS, from: "09:00", to: "21:30" },
    "2",
    "CRTC Unsolicited Telecommunications Rules",
  ),
  row(
    "ca_weekend",
    "CA",
    { days: WEEKEND, from: "10:00", to: "18:00" },
    "2",
    "CRTC Unsolicited Telecommunications Rules",
  ),

  row("strict_hours", "strict", { days: MONDAY_TO_SATURDAY, from: "09:00", to: "20:00" }, "own", "our default profile"),
  row("strict_sunday", "strict", { days: SUNDAY, from: "12:00", to: "20:00" }, "own", "our default profile"),
];
