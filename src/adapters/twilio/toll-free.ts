import { type JsonObject, objectsIn, textIn } from "#adapters/vendor-http/json.ts";
import type { TollFreeFields, TollFreeUseCase } from "#domain/numbers/toll-free.ts";
import { volumeOf } from "#domain/numbers/toll-free-volume.ts";
import { CarrierProblem } from "#ports/carrier-account.ts";
import type { TollFree, TollFreeVerdict } from "#ports/registry.ts";
import { create, type Form, listed, type TwilioApi } from "./api.ts";
import { ownNumbers } from "./numbers.ts";

const VERIFICATIONS = "/v1/Tollfree/Verifications";

/** What is neither here nor known is under way: PENDING_REVIEW, IN_REVIEW. */
const STATUS: ReadonlyMap<unknown, TollFreeVerdict["status"]> = new Map([
  ["TWILIO_APPROVED", "VERIFIED"],
  ["TWILIO_REJECTED", "REJECTED"],
]);

/** Twilio's categories, of which a request may have several. */
const USE_CASES: Readonly<Record<TollFreeUseCase, string>> = {
  two_factor: "TWO_FACTOR_AUTHENTICATION",
  account_notifications: "ACCOUNT_NOTIFICATIONS",
  appointments: "ACCOUNT_NOTIFICATIONS",
  customer_care: "CUSTOMER_CARE",
  delivery: "DELIVERY_NOTIFICATIONS",
  fraud_alerts: "FRAUD_ALERT_MESSAGING",
  security_alerts: "SECURITY_ALERT",
  marketing: "MARKETING",
  charity: "CHARITY_NONPROFIT",
  education: "HIGHER_EDUCATION",
  events: "EVENTS",
  polling: "POLLING_AND_VOTING_NON_POLITICAL",
  public_service: "PUBLIC_SERVICE_ANNOUNCEMENT",
};

/** The verification of toll-free numbers by Twilio: one request a number. */
export function twilioTollFree(api: TwilioApi): TollFree {
  const read = (id: string, signal: AbortSignal) =>
    api.ask("messaging", "GET", `${VERIFICATIONS}/${encodeURIComponent(id)}`, signal);

  async function numberSid(phone: string, signal: AbortSignal): Promise<string> {
    const number = (await ownNumbers(api, signal, phone)).find((one) => one.phone === phone);
    if (number) return number.carrierId;
    throw new CarrierProblem(`The account has no number ${phone}.`, { code: "no_such_number" });
  }

  /** The account's request of a number, whoever has made it. */
  async function requestOf(number: string, signal: AbortSignal): Promise<JsonObject | undefined> {
    const path = `${VERIFICATIONS}?TollfreePhoneNumberSid=${number}&PageSize=50`;
    const [there] = await listed(api, { host: "messaging", path, key: "verifications" }, signal);
    return there;
  }

  const edit = async (id: string, fields: TollFreeFields, signal: AbortSignal): Promise<{ id: string }> => {
    const form = { ...formOf(fields), EditReason: "Corrected" };
    return { id: sidIn(await create(api, "messaging", `${VERIFICATIONS}/${encodeURIComponent(id)}`, form, signal)) };
  };

  async function make(number: string, fields: TollFreeFields, reference: string, signal: AbortSignal) {
    const form = { ...formOf(fields), TollfreePhoneNumberSid: number, ExternalReferenceId: reference };
    try {
      return { id: sidIn(await create(api, "messaging", VERIFICATIONS, form, signal)) };
    } catch (error) {
      // It may have been taken all the same: the account's list says so.
      if (!(error instanceof CarrierProblem && error.isUndecided)) throw error;
      const there = await requestOf(number, signal).catch(() => undefined);
      if (there?.external_reference_id !== reference) throw error;
      return { id: sidIn(there) };
    }
  }

  /** A refused request makes room for another. */
  const remake = async (id: string, number: string, fields: TollFreeFields, reference: string, signal: AbortSignal) => {
    await api.ask("messaging", "DELETE", `${VERIFICATIONS}/${encodeURIComponent(id)}`, signal).catch((error) => {
      // It is gone already: an earlier try has come so far.
      if (!(error instanceof CarrierProblem && error.code === NOT_FOUND)) throw error;
    });
    return make(number, fields, reference, signal);
  };

  return {
    async request(phone, fields, reference, signal) {
      const number = await numberSid(phone, signal);
      const there = await requestOf(number, signal);
      if (there === undefined) return make(number, fields, reference, signal);
      const id = sidIn(there);
      if (STATUS.get(there.status) !== "REJECTED") return { id };
      return there.edit_allowed === false ? remake(id, number, fields, reference, signal) : edit(id, fields, signal);
    },

    async resubmit({ id, phone, isEditable }, fields, reference, signal) {
      if (isEditable) return edit(id, fields, signal);
      return remake(id, await numberSid(phone, signal), fields, reference, signal);
    },

    async status({ id }, _requestedAt, _now, signal): Promise<TollFreeVerdict> {
      const request = await read(id, signal);
      const status = STATUS.get(request.status) ?? "PENDING";
      const until = Date.parse(textIn(request.edit_expiration) ?? "");
      return {
        status,
        reasons: status === "REJECTED" ? reasonsIn(request) : [],
        editableUntil: status === "REJECTED" && !Number.isNaN(until) ? new Date(until) : null,
        isEditable: request.edit_allowed !== false,
      };
    },
  } satisfies TollFree;
}

const NOT_FOUND = "20404";

/** The body of POST /v1/Tollfree/Verifications, but for the number. */
function formOf(fields: TollFreeFields): Form {
  return {
    BusinessName: fields.business_name,
    BusinessWebsite: fields.website,
    NotificationEmail: fields.email,
    UseCaseCategories: [USE_CASES[fields.use_case]],
    UseCaseSummary: fields.use_case_summary,
    ProductionMessageSample: fields.sample_message,
    OptInImageUrls: fields.opt_in_urls,
    OptInType: fields.opt_in_type.toUpperCase(),
    MessageVolume: volumeOf(fields.monthly_messages),
    BusinessStreetAddress: fields.street,
    BusinessStreetAddress2: fields.street_2,
    BusinessCity: fields.city,
    BusinessStateProvinceRegion: fields.state,
    BusinessPostalCode: fields.postal_code,
    BusinessCountry: fields.country,
    // How recipients agree has no field of its own here.
    AdditionalInformation: [fields.opt_in_description, fields.additional_information].filter(Boolean).join("\n"),
    BusinessContactFirstName: fields.contact_first_name,
    BusinessContactLastName: fields.contact_last_name,
    BusinessContactEmail: fields.email,
    BusinessContactPhone: fields.contact_phone,
    BusinessType: fields.business_type?.toUpperCase(),
    BusinessRegistrationNumber: fields.registration_number,
    ...(fields.registration_number
      ? {
          BusinessRegistrationAuthority: authorityOf(fields.registration_country ?? fields.country),
          BusinessRegistrationCountry: fields.registration_country ?? fields.country,
        }
      : {}),
    DoingBusinessAs: fields.doing_business_as,
    OptInConfirmationMessage: fields.opt_in_message,
    HelpMessageSample: fields.help_message,
    PrivacyPolicyUrl: fields.privacy_policy_url,
    TermsAndConditionsUrl: fields.terms_url,
    AgeGatedContent: fields.age_gated === undefined ? undefined : String(fields.age_gated),
  };
}

const authorityOf = (country: string): string => (country === "US" ? "EIN" : country === "CA" ? "CBN" : "OTHER");

function sidIn({ sid }: JsonObject): string {
  const text = textIn(sid);
  if (text === undefined)
    throw new CarrierProblem("Twilio's answer has no id.", { code: "invalid_answer", isUndecided: true });
  return text;
}

/** Each with its code, where there are several; else the one sentence. */
function reasonsIn({ rejection_reasons: several, rejection_reason: one, error_code: code }: JsonObject): string[] {
  const words = objectsIn(several).flatMap(({ reason, code }) => {
    const text = textIn(reason);
    return text === undefined ? [] : [`${text}${code === undefined ? "" : ` (${String(code)})`}`.slice(0, 500)];
  });
  if (words.length > 0) return words;
  const text = textIn(one);
  return text === undefined ? [] : [`${text}${typeof code === "number" ? ` (${code})` : ""}`.slice(0, 500)];
}
