import { LONGEST_CAP_MS } from "#domain/compliance/attempt-cap.ts";

/** What a tenant can say for how long it is kept. docs/retention.md has what belongs to each, and what is never removed. */
export const RETAINED = ["messages", "calls", "recordings", "events", "requests"] as const;
export type Retained = (typeof RETAINED)[number];

/** By kind the days after which it is removed; null: it is kept, and events and requests as long as the service keeps them. */
export type Retention = Readonly<Record<Retained, number | null>>;

/** For how long the service itself keeps what a tenant can have removed sooner, and what says after a restore what had been sent. */
export type ServiceRetention = Readonly<{ eventDays: number; journalDays: number }>;

const DAY_MS = 86_400_000;
/** Of the log of requests; what admins changed is kept for a year, which no tenant shortens. */
export const REQUEST_DAYS = 7;
export const LONGEST_DAYS = 3_650;

/** How far back people and carriers come to something that was sent: late receipts, disputes, a thread that goes on. */
const DISPUTED_DAYS = 30;
/** Attempt caps count attempts of at most this time, and a tenant's day may begin in another zone than the removal's. */
const COUNTED_DAYS = Math.ceil(LONGEST_CAP_MS / DAY_MS) + 2;

/**
 * How long texts and calls are kept at least: as long as a decision may count them, and longer than the journal, which has what a restored database
 * has forgotten. Of what is gone before, it could not be said that it was sent.
 */
export const shortestDays = ({ journalDays }: ServiceRetention): number =>
  Math.max(DISPUTED_DAYS, COUNTED_DAYS, journalDays + 1);

/** The limits of a kind. */
export function limitsOf(kind: Retained, service: ServiceRetention): { from: number; to: number } {
  if (kind === "events") return { from: 1, to: service.eventDays };
  if (kind === "requests") return { from: 1, to: REQUEST_DAYS };
  if (kind === "recordings") return { from: 1, to: LONGEST_DAYS };
  return { from: shortestDays(service), to: LONGEST_DAYS };
}

/** What is wrong with it, the first kind that is: one sentence's end. */
export function retentionProblem(
  wanted: Retention,
  service: ServiceRetention,
): { kind: Retained; problem: string } | undefined {
  const eventDays = wanted.events ?? service.eventDays;
  for (const kind of RETAINED) {
    const days = wanted[kind];
    if (days === null) continue;
    const { from, to } = limitsOf(kind, service);
    if (days < from || days > to) {
      const why =
        days > to && to < LONGEST_DAYS
          ? ": the service keeps them no longer"
          : from > 1
            ? ": until then decisions, receipts and a restore may need it"
            : "";
      return { kind, problem: `must be from ${from} to ${to} days, or null${why}` };
    }
    if ((kind === "messages" || kind === "calls") && days < eventDays) {
      return { kind, problem: `must be at least ${eventDays} days: events are kept as long, and refer to them` };
    }
  }
  return undefined;
}

/** Days for which a kind is kept in fact, when the service's own times have changed since. */
export const keptDays = (kind: Retained, days: number, service: ServiceRetention): number =>
  Math.max(days, limitsOf(kind, service).from);
