import { AI_VOICE_CONSENT } from "#domain/compliance/consent.ts";
import type { Forecast } from "#domain/sending/forecast.ts";
import type { PreflightReport } from "./preflight.ts";
import { hoursAnswer, lateWarnings, timeText } from "./preflight-shared.ts";

export type CallPreflightParts = {
  report: PreflightReport;
  forecast: Forecast;
  numbers: readonly string[];
  /** Those of them that rest when it begins, and until when. */
  resting: ReadonlyMap<string, Date>;
  perSecond: number;
  concurrency: number;
  startsAt: Date;
  endAt: Date;
  /** The agent's first words say for whom it calls. */
  namesOrganization: boolean;
};

/** A preflight of a voice campaign as the API returns it. The cost and length of calls are not known beforehand. */
export function callPreflightAnswer(parts: CallPreflightParts): Record<string, unknown> {
  const { report, forecast } = parts;
  const finishAt = report.willBeTexted === 0 ? null : forecast.finishAt;
  return {
    recipients: {
      total: report.total,
      will_be_called: report.willBeTexted,
      skipped: report.total - report.willBeTexted,
    },
    skips: report.skips,
    ...hoursAnswer(report),
    pace: {
      numbers: parts.numbers,
      resting: [...parts.resting].map(([phone, until]) => ({ phone_number: phone, resting_until: timeText(until) })),
      calls_per_second: parts.perSecond,
      max_concurrent_calls: parts.concurrency,
    },
    forecast: {
      starts_at: parts.startsAt.toISOString(),
      first_calls_finish_at: timeText(finishAt),
      limited_by: forecast.limitedBy,
    },
    voice_consent: { missing: report.withoutVoiceConsent, law: AI_VOICE_CONSENT.law },
    warnings: warningsOf(parts, finishAt),
  };
}

function warningsOf(
  { report, endAt, namesOrganization, numbers, resting }: CallPreflightParts,
  finishAt: Date | null,
): string[] {
  const warnings: string[] = [];
  if (report.willBeTexted === 0) warnings.push("nobody_to_call");
  if (report.withoutVoiceConsent > 0) warnings.push("ai_voice_consent");
  if (!namesOrganization) warnings.push("organization_not_named");
  if (resting.size > 0) warnings.push(resting.size === numbers.length ? "all_numbers_resting" : "numbers_resting");
  return [...warnings, ...lateWarnings(report, finishAt, endAt)];
}
