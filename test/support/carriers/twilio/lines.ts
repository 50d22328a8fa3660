import type { LineTypeIntelligenceInfo, PhoneNumberInstance } from "twilio/lib/rest/lookups/v2/phoneNumber.js";

/** Twilio's own type, as its API writes it. */
export type LineIntelligence = {
  type: Required<LineTypeIntelligenceInfo>["type"] | null;
  carrier_name: Required<LineTypeIntelligenceInfo>["carrierName"] | null;
  error_code?: number;
};

type Fields = { [K in keyof Pick<PhoneNumberInstance, "url" | "valid">]: PhoneNumberInstance[K] };

/** An answer of Lookup v2 to a request for the line's type. */
export function lineOf(lines: ReadonlyMap<string, LineIntelligence>, path: string, query: URLSearchParams) {
  const phone = decodeURIComponent(path.slice("/v2/PhoneNumbers/".length));
  const { type, carrier_name, error_code = null } = lines.get(phone) ?? { type: null, carrier_name: null };
  const isAsked = query.get("Fields") === "line_type_intelligence";
  const fields = { url: `https://lookups.twilio.com${path}`, valid: true } satisfies Fields;
  return {
    ...{ calling_country_code: "1", country_code: "US", phone_number: phone, national_format: phone.slice(2) },
    ...{ validation_errors: [], caller_name: null, sim_swap: null, call_forwarding: null, line_status: null },
    ...{ identity_match: null, reassigned_number: null, sms_pumping_risk: null },
    line_type_intelligence: isAsked
      ? { type, carrier_name, mobile_country_code: "310", mobile_network_code: "456", error_code }
      : null,
    ...fields,
  };
}
