import { type FieldProblem, invalidField, refuseInvalid } from "./errors.ts";

const FORM = /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?(?:[Zz]|[+-]\d{2}:?\d{2})$/;

/** A moment written in ISO 8601 with a zone, or undefined when it is not one, 30 February, hour 24, no zone, or has a year in UTC that is not of four digits. */
export function parseInstant(text: string): Date | undefined {
  const match = FORM.exec(text);
  if (!match) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 59) return undefined;
  if (day > new Date(Date.UTC(year, month, 0)).getUTCDate()) return undefined;
  const date = new Date(
    text
      .replace(",", ".")
      .replace(" ", "T")
      .replace(/([+-]\d{2})(\d{2})$/, "$1:$2"),
  );
  const isWritable = date.getUTCFullYear() >= 0 && date.getUTCFullYear() <= 9999;
  return isWritable ? date : undefined;
}

/** As parseInstant, with the 400 that names the field. */
export function requireInstant(field: string, text: string): Date {
  const date = parseInstant(text);
  if (!date) throw invalidField(field, "must be an ISO 8601 time with a zone, such as 2026-11-20T15:00:00Z");
  return date;
}

type WindowTimes = { campaign_begin_time?: string | undefined; campaign_end_time?: string | undefined };

/** A campaign's begin and end. A begin in the past means now; the end has to come after it. */
export function campaignTimes(times: WindowTimes, now: Date): { beginAt: Date | null; endAt: Date | null } {
  const begin =
    times.campaign_begin_time === undefined ? null : requireInstant("campaign_begin_time", times.campaign_begin_time);
  const end =
    times.campaign_end_time === undefined ? null : requireInstant("campaign_end_time", times.campaign_end_time);
  const beginAt = begin !== null && begin > now ? begin : null;
  if (end !== null && end <= (beginAt ?? now))
    throw invalidField("campaign_end_time", "must be after the campaign begins");
  return { beginAt, endAt: end };
}

type CallingWindow = { start: string; end: string; days: number[] };

/** The hours and days of a window, checked: "09:00" to "20:00", ISO weekdays. */
export function checkWindow(window: CallingWindow | undefined): void {
  if (window === undefined) return;
  const problems: FieldProblem[] = [];
  const form = /^([01]\d|2[0-3]):[0-5]\d$|^24:00$/;
  for (const part of ["start", "end"] as const) {
    if (!form.test(window[part]))
      problems.push({ field: `calling_window.${part}`, message: 'must be a time of day such as "09:00"' });
  }
  if (problems.length === 0 && window.start >= window.end)
    problems.push({ field: "calling_window.end", message: "must be after start" });
  if (window.days.length === 0) problems.push({ field: "calling_window.days", message: "must have at least 1 item" });
  refuseInvalid(problems);
}
