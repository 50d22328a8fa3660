import { STATES } from "#domain/phones/state.ts";

/** strict: our own narrower hours and every law. federal: the laws alone. */
export type Profile = "strict" | "federal";

/**
 * Whose rules concern a contact who may be in these states: the profile ("strict"), the countries ("US") and the states
 * ("US-FL"). A place in no state we know is under US law: stricter than none.
 */
export function jurisdictionsOf(states: readonly string[], profile: Profile): ReadonlySet<string> {
  const found = new Set<string>([profile]);
  for (const code of states) {
    const country = STATES.get(code)?.country ?? "US";
    found.add(country).add(`${country}-${code}`);
  }
  return states.length === 0 ? found.add("US") : found;
}

/** "US", "CA", "US-FL" or "CA-ON" from what a person wrote ("fl", "US-FL", "us"); undefined when it is none of them. */
export function findJurisdiction(text: string): string | undefined {
  const wanted = text.trim().toUpperCase();
  if (wanted === "US") return wanted;
  const [country, code] = wanted.includes("-") ? wanted.split("-", 2) : [undefined, wanted];
  const state = STATES.get(code!);
  if (!state || (country !== undefined && country !== state.country)) return undefined;
  return `${state.country}-${state.code}`;
}
