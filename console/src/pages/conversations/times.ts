const DAY_MS = 86_400_000;

/** As a telephone shows it: the hour of the last day, the date of any other. The simulator's time may be ahead. */
export function stamp(at: string, now: number): string {
  const date = new Date(at);
  if (Math.abs(now - date.getTime()) < DAY_MS) return hour(at);
  return date.toLocaleDateString("en", { month: "short", day: "numeric" });
}

export const hour = (at: string): string =>
  new Date(at).toLocaleTimeString("en", { hour: "numeric", minute: "2-digit" });

export const day = (at: string): string =>
  new Date(at).toLocaleDateString("en", { weekday: "long", month: "long", day: "numeric" });

/** In full, in the viewer's zone and, where it is known, in the contact's. */
export function exact(at: string, zone?: string | undefined): string {
  const lines = [`${full(at)} (you)`, ...(zone === undefined ? [] : [`${full(at, zone)} (contact)`])];
  return lines.join("\n");
}

const full = (at: string, timeZone?: string): string =>
  new Date(at).toLocaleString("en", { dateStyle: "medium", timeStyle: "short", ...(timeZone ? { timeZone } : {}) });
