import type { Profile } from "#domain/compliance/jurisdiction.ts";
import { foldText } from "#domain/values/fold.ts";
import { allowedAfter } from "./first-hour.ts";
import { dollarsOf } from "./spend-limit.ts";

/** One thing that has to be right before real phones are reached. `found`: how it is set, where nothing is wrong. */
export type LiveCheck = {
  name: string;
  ok: boolean;
  found: string | null;
  problem: string | null;
  remedy: string | null;
  /** Of a check that is about one account with a carrier. */
  carrier: { id: string; name: string } | null;
};

export type OfCarrier = LiveCheck["carrier"];

export const fine = (name: string, found: string | null, carrier: OfCarrier = null): LiveCheck => ({
  ...{ name, ok: true, found, problem: null, remedy: null, carrier },
});

export const wrong = (name: string, problem: string, remedy: string | null, carrier: OfCarrier = null): LiveCheck => ({
  ...{ name, ok: false, found: null, problem, remedy, carrier },
});

/** What test mode has instead of checks: nothing of it is real. */
export const onlySimulated = (): LiveCheck =>
  wrong(
    "mode",
    "This is test mode: texts and calls reach simulated phones alone, and there is nothing to check.",
    "Use a live key, or turn the console to live mode.",
  );

/** How a person gets out, in words that contacts know and that are read as an opt-out. */
const WAY_OUT = /\b(?:stop|unsubscribe|opt out|optout|alto|baja|parar|pare|cancelar|arret)\b/;

export const saysWayOut = (text: string): boolean => WAY_OUT.test(foldText(text));

const MOST_NAMED = 5;

/** `agents`: those that text, with their starting messages. */
export function optOutCheck(agents: readonly { name: string; text: string }[]): LiveCheck {
  const name = "opt_out_text";
  const without = agents.filter(({ text }) => text.trim() !== "" && !saysWayOut(text));
  if (without.length > 0) {
    const rest = without.length - MOST_NAMED;
    const names = without.slice(0, MOST_NAMED).map((agent) => agent.name);
    return wrong(
      name,
      `The starting message does not say how to stop, of: ${names.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}.`,
      'Have each say "Reply STOP to opt out": carriers in the US ask for that in the first text.',
    );
  }
  return fine(
    name,
    agents.length === 0 ? "There is no agent that texts yet." : "Every starting message says how to stop.",
  );
}

export function quietHoursCheck(profile: Profile, clockMovesLive: boolean): LiveCheck {
  const name = "quiet_hours";
  if (clockMovesLive) {
    return wrong(
      name,
      "The clock of a tenant can be moved, and counts for real carriers: people may be texted and called at night.",
      "Unset PARLEY_LIVE_CLOCK.",
    );
  }
  return fine(
    name,
    profile === "strict"
      ? "At the contact's place, by the strictest hours of all states; a campaign's window can only narrow them."
      : "At the contact's place, by the federal hours and each state's own; a campaign's window can only narrow them.",
  );
}

export function spendCheck({ limit, zone, spent }: { limit: number | null; zone: string; spent: number }): LiveCheck {
  const name = "spend_limit";
  if (limit === null) {
    return wrong(
      name,
      "There is no limit to what a day may cost.",
      "Set one: PATCH /v1/sending, or on the page Going live of the console.",
    );
  }
  return fine(name, `$${dollarsOf(limit)} a day of ${zone}, of which $${dollarsOf(spent)} is spent today.`);
}

export function firstHourCheck(texts: number): LiveCheck {
  const name = "first_hour";
  if (texts === 0)
    return fine(name, "Off: PARLEY_FIRST_HOUR_TEXTS is 0, so a new number sends as fast as its carrier takes texts.");
  return fine(
    name,
    `A new number sends at most ${texts} campaign texts in its first hour: ${allowedAfter(texts, 0)} at once, the rest evenly. Answers are not held.`,
  );
}

/** `areas` of the national list, each with its day, YYYY-MM-DD. */
export function doNotCallCheck(
  areas: readonly { listed_on: string }[],
  { requiresConsent, oldestDay }: { requiresConsent: boolean; oldestDay: string },
): LiveCheck {
  const name = "do_not_call";
  const oldest = areas.reduce<string | undefined>(
    (found, { listed_on: day }) => (found === undefined || day < found ? day : found),
    undefined,
  );
  if (oldest === undefined) {
    if (requiresConsent)
      return fine(name, "Only people with a consent on record are contacted; your own list always holds.");
    return wrong(
      name,
      "No national do-not-call list is loaded: your own list alone is heeded.",
      'Import your download with "parley dnc import", or require a consent with "parley screening set" (docs/consent.md).',
    );
  }
  if (oldest < oldestDay) {
    return wrong(
      name,
      `The national do-not-call list is of ${oldest}: sellers have to use one of the last 31 days.`,
      'Import a newer download with "parley dnc import".',
    );
  }
  const codes = areas.length === 1 ? "1 area code" : `${areas.length} area codes`;
  return fine(name, `The national list covers ${codes}, the oldest of ${oldest}; your own list always holds.`);
}
