import type { PreflightReport } from "./preflight.ts";

/** A moment as the API returns it. */
export const timeText = (at: Date | null): string | null => at?.toISOString() ?? null;

/** When recipients may be contacted, as the answers of both kinds have it. */
export function hoursAnswer(report: PreflightReport) {
  return {
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
  };
}

/** Warnings of either kind that somebody is not reached in time; without `endAt` a campaign has no end. */
export function lateWarnings(report: PreflightReport, finishAt: Date | null, endAt: Date | null): string[] {
  const isLate = endAt !== null && report.willBeTexted > 0 && (finishAt === null || finishAt > endAt);
  return [
    ...(report.holds.some((hold) => hold.opensAt === null) ? ["held_without_end"] : []),
    ...(isLate ? ["ends_before_it_is_done"] : []),
  ];
}
