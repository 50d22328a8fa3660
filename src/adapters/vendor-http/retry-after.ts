/** Longer than a day nobody waits: it is a mistake, or means never. */
const MAX_RETRY_AFTER_MS = 86_400_000;

/** Retry-After in seconds, or until a date, by the clock of whoever names it (RFC 9110, 10.2.3). */
export function retryAfterMs(headers: Readonly<Record<string, string | string[] | undefined>>): number | undefined {
  const header = headers["retry-after"];
  if (typeof header !== "string" || header === "") return undefined;
  const ms = /^\d+$/.test(header)
    ? Number(header) * 1_000
    : Date.parse(header) - Date.parse(String(headers.date ?? ""));
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS) : undefined;
}
