import type { CallingWindows } from "#domain/compliance/calling-window.ts";
import type { Profile } from "#domain/compliance/jurisdiction.ts";
import type { Place } from "#domain/phones/place.ts";

/** An answer that the language model has not given by then is a person's to give. */
export const ANSWER_WITHIN_MS = 86_400_000;

/** Most outages are seconds long; one that lasts is asked about a few times an hour. */
const FIRST_WAIT_MS = 5_000;
const LONGEST_WAIT_MS = 900_000;

/** What the operator can put right (a key, a bill, a model's name): no fault of the text, and worth asking about again. */
const ACCOUNT_CODES = new Set(["401", "402", "403", "404"]);

/** Whether the same request may be answered later: a refusal of its content never is. */
export const mayBeAnsweredLater = (failure: { vendorCode: string; retryable: boolean }): boolean =>
  failure.retryable || ACCOUNT_CODES.has(failure.vendorCode);

export type WaitingAnswer = {
  /** How often the model has failed at this text, and when it first did. */
  failures: number;
  since: Date;
  /** The provider's own word on when to come back. */
  retryAfterMs?: number | undefined;
  place: Pick<Place, "zones" | "states">;
  profile: Profile;
};

/**
 * When the model is asked again for an answer, with a growing wait that is never shorter than the provider's own. What comes late may come
 * at night: so always within the contact's hours. Undefined when no such moment is left within ANSWER_WITHIN_MS.
 */
export function nextTry(answer: WaitingAnswer, now: Date, callingWindows: CallingWindows): Date | undefined {
  const grownMs = FIRST_WAIT_MS * 2 ** Math.min(answer.failures - 1, 12);
  const waitMs = Math.max(Math.min(grownMs, LONGEST_WAIT_MS), answer.retryAfterMs ?? 0);
  const at = new Date(now.getTime() + waitMs);
  const hours = callingWindows(at, answer.place, { profile: answer.profile, channel: "sms" });
  const then = hours.open ? at : hours.opensAt;
  return then !== null && then.getTime() <= answer.since.getTime() + ANSWER_WITHIN_MS ? then : undefined;
}
