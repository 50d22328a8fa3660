import type { NumberPlace, NumberPlan } from "./number-plan.ts";
import { findPostalCode } from "./postal-code.ts";
import { findState, type State } from "./state.ts";

/**
 * Where a contact may be: every candidate IANA zone, and every state or province whose rules count (two-letter codes).
 * Both are sorted sets. No zone at all means that no hour is allowed. Shared: never change it.
 */
export type Place = Readonly<{ zones: readonly string[]; states: readonly string[]; basis: PlaceBasis }>;

export type PlaceBasis = "time_zone" | "postal_code" | "city" | "state" | "exchange" | "area_code" | "unknown";

/**
 * The best that is known of where a contact is. The zones come from the first of: the contact's own `time_zone` or `timezone`; `zip_code`;
 * `city` in a state with several zones; `state`; the number's exchange; its area code. A state with several zones and
 * no city that helps lets the number choose among them, if the number is of that state; else all of both count.
 * The states are those of the address and of the number together: people move and keep their number, and a state's
 * law may hold by area code alone (Florida). An address outside the US and Canada says nothing.
 */
export function placeOf(contact: { phone: string; fields: Record<string, unknown> }, plan: NumberPlan): Place {
  const number = plan.locate(contact.phone);
  const { fields } = contact;
  const abroad = isAbroad(fields.country);
  const postal = abroad ? undefined : findPostalCode(textOf(fields.zip_code) || textOf(fields.postal_code));
  const state = abroad ? undefined : findState(textOf(fields.state));
  const ofAddress = addressStates(postal?.state, state?.code);
  // A number of no place adds nothing to an address, but alone it may be under any state's law.
  const states = number.basis === "unknown" && ofAddress.length > 0 ? ofAddress : joinSets(ofAddress, number.states);

  const own = ownZone(writtenZone(fields));
  if (own) return { zones: own, states, basis: "time_zone" };
  if (postal) return { zones: postal.zones, states, basis: "postal_code" };
  if (state) return { ...zonesOfState(state, textOf(fields.city), number, plan), states };
  return number;
}

/** Where one may be who is in any of these places, so that hours and rules of all hold; undefined for none. */
export function joinPlaces(places: readonly Place[]): Place | undefined {
  return places.reduce<Place | undefined>((all, place) => (all === undefined ? place : joinTwo(all, place)), undefined);
}

const joinTwo = (a: Place, b: Place): Place => ({
  zones: joinSets(a.zones, b.zones),
  states: joinSets(a.states, b.states),
  basis: a.basis,
});

/** The one zone that a conversation speaks in: of several, any will do; of none, the one with the most people. */
export const contactZone = (place: Pick<Place, "zones">): string => place.zones[0] ?? "America/New_York";

function zonesOfState(
  state: State,
  city: string,
  number: NumberPlace,
  plan: NumberPlan,
): Pick<Place, "zones" | "basis"> {
  if (state.zones.length === 1) return { zones: state.zones, basis: "state" };
  const ofCity = city === "" ? undefined : plan.zonesOfCity(city, state.code);
  if (ofCity) return { zones: ofCity, basis: "city" };
  if (number.basis === "unknown") return { zones: state.zones, basis: "state" };
  if (number.states.includes(state.code)) return { zones: number.zones, basis: number.basis };
  return { zones: joinSets(state.zones, number.zones), basis: "state" };
}

const textOf = (value: unknown): string => (typeof value === "string" ? value.trim() : "");

const SERVED = new Set([
  "",
  "us",
  "usa",
  "u.s.",
  "u.s.a.",
  "united states",
  "united states of america",
  "america",
  "ca",
  "can",
  "canada",
]);
const TERRITORIES = new Set([
  "pr",
  "puerto rico",
  "vi",
  "virgin islands",
  "u.s. virgin islands",
  "gu",
  "guam",
  "as",
  "mp",
]);

function isAbroad(country: unknown): boolean {
  const name = textOf(country).toLowerCase();
  return !SERVED.has(name) && !TERRITORIES.has(name);
}

function addressStates(postal: string | undefined, written: string | undefined): readonly string[] {
  const one = postal ?? written;
  if (one === undefined) return [];
  return written === undefined || written === one ? single(one) : [one, written];
}

const singles = new Map<string, readonly string[]>();
const single = (code: string): readonly string[] => {
  const known = singles.get(code) ?? Object.freeze([code]);
  singles.set(code, known);
  return known;
};

function joinSets(a: readonly string[], b: readonly string[]): readonly string[] {
  if (b.length === 0 || (a.length === 1 && b.length === 1 && a[0] === b[0])) return a;
  if (a.length === 0) return b;
  return [...new Set([...a, ...b])].sort();
}

/** What a time zone's name may look like: "America/New_York", "US/Eastern". "UTC", "EST", "Etc/GMT+5" are a program's default, not a person's home. */
const ZONE_NAME = /^(?!Etc\/)[A-Z][A-Za-z_]{1,14}(?:\/[A-Za-z0-9_+-]{1,20}){1,2}$/i;

/** Names are at most about 600 with their aliases; the bound is against invented ones. */
const MAX_ZONE_NAMES = 2_000;
const zoneNames = new Map<string, readonly string[] | undefined>();

/** What a contact's fields say of its zone, whether there is such a zone or not; "" for nothing. */
export const writtenZone = (fields: Record<string, unknown>): string =>
  textOf(fields.time_zone) || textOf(fields.timezone);

/** The zone as a set of one, under its IANA spelling; undefined when there is no such zone. */
export function ownZone(name: string): readonly string[] | undefined {
  if (name === "" || !ZONE_NAME.test(name)) return undefined;
  if (zoneNames.has(name)) return zoneNames.get(name);
  let zone: readonly string[] | undefined;
  try {
    zone = [new Intl.DateTimeFormat("en-US", { timeZone: name }).resolvedOptions().timeZone];
  } catch {
    zone = undefined;
  }
  if (zoneNames.size < MAX_ZONE_NAMES) zoneNames.set(name, zone);
  return zone;
}
