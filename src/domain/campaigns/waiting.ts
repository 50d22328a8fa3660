/** What holds recipients for another reason than the hour where they are, or the agent's own. */
const NO_HOURS: ReadonlySet<string> = new Set([
  "opt_out_in_doubt",
  "reassigned_unchecked",
  "call_in_progress",
  "national_list_old",
  "national_list_missing",
  "brand_daily_budget",
  "campaign_daily_budget",
  "fair_share",
]);

/** Reasons that are over once the campaign goes on: those whom they held have their turn as soon as the pace allows. */
const PASSED: ReadonlySet<string> = new Set(["campaign_paused", "campaign_not_begun"]);

/** What holds most of a running campaign's recipients, of their number by reason; null where they only wait for their turn. */
export function heldBecause(reasons: ReadonlyMap<string, number> = new Map()): string | null {
  const [most] = [...reasons].filter(([reason]) => !PASSED.has(reason)).sort((a, b) => b[1] - a[1]);
  if (most === undefined) return null;
  return NO_HOURS.has(most[0]) ? most[0] : "calling_hours";
}

/** A recipient's reason as it is now: what a pause has left behind is none once the campaign is resumed. */
export const reasonNow = (reason: string | null, status: string): string | null =>
  reason === "campaign_paused" && status !== "paused" ? null : reason;
