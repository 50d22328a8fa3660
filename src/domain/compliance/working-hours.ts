import { contactZone, type Place } from "#domain/phones/place.ts";
import type { CallingWindows } from "./calling-window.ts";

/** When an agent answers, in the contact's zone; outside it answers wait. `days` are ISO weekdays, Monday 1. */
export type WorkingHours = { start: string; end: string; days: number[] };

/**
 * When the agent is back on duty, or undefined while it is on. They are habits, not law: of several zones that a contact
 * may be in, the one that the agent is given counts, so that there are always hours in which it answers.
 */
export function agentIsOffUntil(
  hours: WorkingHours | null,
  place: Pick<Place, "zones">,
  now: Date,
  callingWindows: CallingWindows,
): Date | undefined {
  if (hours === null) return undefined;
  const where = { zones: [contactZone(place)], states: [] };
  const answer = callingWindows(now, where, { profile: "none", channel: "sms", window: hours });
  return answer.open ? undefined : (answer.opensAt ?? undefined);
}
