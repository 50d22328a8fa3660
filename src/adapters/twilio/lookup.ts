import { isObject, type JsonObject, textIn } from "#adapters/vendor-http/json.ts";
import type { LineType } from "#domain/phones/line-type.ts";
import { CarrierProblem } from "#ports/carrier-account.ts";
import type { NumberLookup } from "#ports/number-lookup.ts";
import type { TwilioApi } from "./api.ts";

/** Types of Lookup v2's line type intelligence; what is not here is another. */
const TYPES: ReadonlyMap<unknown, LineType> = new Map<unknown, LineType>([
  ["mobile", "mobile"],
  ["landline", "landline"],
  ["nonFixedVoip", "voip"],
  ["fixedVoip", "fixed_voip"],
  ["tollFree", "toll_free"],
]);

/** "Not found" says something of the phone here: that there is nothing to be known, also the next time. */
function ofPhone(error: unknown): JsonObject {
  if (!(error instanceof CarrierProblem) || error.code !== "20404") throw error;
  return {};
}

/** Lookup v2 with `line_type_intelligence`. A phone whose type Twilio could not find out (an error code in its place) is of an unknown one. */
export const twilioLookup = (api: TwilioApi): NumberLookup => ({
  name: api.account.carrier,
  async look(phone, signal) {
    const path = `/v2/PhoneNumbers/${encodeURIComponent(phone)}?Fields=line_type_intelligence`;
    const { line_type_intelligence: line } = await api.ask("lookups", "GET", path, signal).catch(ofPhone);
    const { type, carrier_name } = isObject(line) ? line : {};
    const lineType = textIn(type) === undefined || type === "unknown" ? "unknown" : (TYPES.get(type) ?? "other");
    return { lineType, carrierName: textIn(carrier_name) ?? null };
  },
});
