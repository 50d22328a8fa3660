import { serviceNow } from "#parts/show/time.tsx";

/** As long as replies are still to be expected after the last text. */
const REPLIES_WITHIN_MS = 3 * 86_400_000;

type Shown = { status: string; completed_at: string | null; recipients: Readonly<Record<string, number>> };

/** The campaign's status as it is shown: one that has sent everything is not over to who waits for the answers. */
export function shownState({ status, completed_at, recipients }: Shown): string {
  if (status !== "completed" || completed_at === null) return status;
  const silent = (recipients.sent ?? 0) + (recipients.delivered ?? 0);
  return silent > 0 && serviceNow() - Date.parse(completed_at) < REPLIES_WITHIN_MS ? "awaiting_replies" : status;
}
