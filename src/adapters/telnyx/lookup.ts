import { isObject, textIn } from "#adapters/vendor-http/json.ts";
import type { LineType } from "#domain/phones/line-type.ts";
import { CarrierProblem } from "#ports/carrier-account.ts";
import type { NumberLookup } from "#ports/number-lookup.ts";
import { dataOf, type TelnyxClient } from "./client.ts";

const TYPES: ReadonlyMap<unknown, LineType> = new Map<unknown, LineType>([
  ["mobile", "mobile"],
  ["fixed line", "landline"],
  ["voip", "voip"],
  ["toll free", "toll_free"],
  // North American plans give mobiles and landlines the same numbers.
  ["fixed line or mobile", "unknown"],
]);

/** Not a number that exists, or not one that is known: the next time it is asked for it is the same. */
const NOTHING_KNOWN: ReadonlySet<string> = new Set(["10002", "10005", "404"]);

function ofPhone(error: unknown): undefined {
  if (!(error instanceof CarrierProblem) || !NOTHING_KNOWN.has(error.code)) throw error;
}

/** Telnyx's number lookup, of the carrier alone: a caller's name is asked for by nobody. */
export const telnyxLookup = (client: TelnyxClient, carrier: string): NumberLookup => ({
  name: carrier,
  async look(phone, signal) {
    const path = `/number_lookup/${encodeURIComponent(phone)}`;
    const data = dataOf(await client.ask("GET", path, { query: { type: "carrier" } }, signal).catch(ofPhone));
    const { type, name, normalized_carrier } = isObject(data.carrier) ? data.carrier : {};
    const lineType = textIn(type) === undefined || type === "unknown" ? "unknown" : (TYPES.get(type) ?? "other");
    return { lineType, carrierName: textIn(name) ?? textIn(normalized_carrier) ?? null };
  },
});
