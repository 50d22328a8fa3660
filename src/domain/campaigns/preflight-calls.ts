import { AI_VOICE_CONSENT } from "#domain/compliance/consent.ts";
import type { Forecast } from "#domain/sending/forecast.ts";
import type { PreflightReport } from "./preflight.ts";

export type CallPreflightParts = {
  report: PreflightReport;
  forecast: Forecast;
  numbers: readonly string[];
  perSecond: number;
  concurrency: number;
  startsAt: Date;
  endAt: Date;
  /** The agent's first words say for whom it calls. */
  namesOrganization: boolean;
};

/** A preflight of a voice campaign as the API returns it. The cost and length of calls are not known beforehand. */
export function callPreflightAnswer(it: CallPreflightParts): Record<string, unknown> {
  const { report, forecast } = it;
  const finishAt = report.willBeTexted === 0 ? null : forecast.finishAt;
  return {
    recipients: {
      total: report.total,
      will_be_called: report.willBeTexted,
      skipped: report.total - report.willBeTexted,
    },
    skips: report.skips,
    hours: {
      open_now: report.openNow,
      held: report.holds.map(({ rule, opensAt, recipients }) => ({ rule, opens_at: timeText(opensAt), recipients })),
    },
    zones: report.zones.map(({ zones, recipients, openNow, opensAt }) => ({
      time_zones: zones,
      recipients,
      open_now: openNow,
      opens_at: timeText(opensAt),
    })),
    pace: { numbers: it.numbers, calls_per_second: it.perSecond, max_concurrent_calls: it.concurrency },
    forecast: {
      starts_at: it.startsAt.toISOString(),
      first_calls_finish_at: timeText(finishAt),
      limited_by: forecast.limitedBy,
    },
    voice_consent: { missing: report.withoutVoiceConsent, law: AI_VOICE_CONSENT.law },
    warnings: warningsOf(it, finishAt),
  };
}

const timeText = (at: Date | null): string | null => at?.toISOString() ?? null;

function warningsOf({ report, endAt, namesOrganization }: CallPreflightParts, finishAt: Date | null): string[] {
  const warnings: string[] = [];
  if (report.willBeTexted === 0) warnings.push("nobody_to_call");
  if (report.withoutVoiceConsent > 0) warnings.push("ai_voice_consent");
  if (!namesOrganization) warnings.push("organization_not_named");
  if (report.holds.some((hold) => hold.opensAt === null)) warnings.push("held_without_end");
  if (report.willBeTexted > 0 && (finishAt === null || finishAt > endAt)) warnings.push("ends_before_it_is_done");
  return warnings;
}
