import { isObject, type JsonObject, objectsIn, textIn } from "#adapters/vendor-http/json.ts";
import type { TollFreeFields, TollFreeUseCase } from "#domain/numbers/toll-free.ts";
import { type Volume, volumeOf } from "#domain/numbers/toll-free-volume.ts";
import { findState } from "#domain/phones/state.ts";
import { CarrierProblem } from "#ports/carrier-account.ts";
import type { TollFree, TollFreeVerdict } from "#ports/registry.ts";
import type { TelnyxClient } from "./client.ts";

const REQUESTS = "/messaging_tollfree/verification/requests";

/** What is not here is under way. Where Telnyx waits for its customer, there is something to correct. */
const STATUS: ReadonlyMap<unknown, TollFreeVerdict["status"]> = new Map([
  ["Verified", "VERIFIED"],
  ["Rejected", "REJECTED"],
  ["Waiting For Customer", "REJECTED"],
]);

/** Telnyx's categories, one of which a request has. */
const USE_CASES = {
  two_factor: "2FA",
  account_notifications: "App Notifications",
  appointments: "Appointments",
  customer_care: "Conversational / Alerts",
  delivery: "Courier Services & Deliveries",
  fraud_alerts: "Fraud Alerts",
  security_alerts: "System Alerts",
  marketing: "General Marketing",
  charity: "Fundraising",
  education: "General School Updates",
  events: "Events & Planning",
  polling: "Surveys",
  public_service: "Public Works",
} as const satisfies Record<TollFreeUseCase, string>;

/** The body of a request, as far as we use it. */
export type TollFreeRequest = {
  businessName: string;
  corporateWebsite: string;
  businessAddr1: string;
  businessAddr2?: string;
  businessCity: string;
  businessState: string;
  businessZip: string;
  businessContactFirstName: string;
  businessContactLastName: string;
  businessContactEmail: string;
  businessContactPhone: string;
  messageVolume: Volume;
  phoneNumbers: { phoneNumber: string }[];
  useCase: (typeof USE_CASES)[TollFreeUseCase];
  useCaseSummary: string;
  productionMessageContent: string;
  optInWorkflow: string;
  optInWorkflowImageURLs: { url: string }[];
  additionalInformation: string;
  entityType?: "SOLE_PROPRIETOR" | "PRIVATE_PROFIT" | "PUBLIC_PROFIT" | "NON_PROFIT" | "GOVERNMENT";
  businessRegistrationNumber?: string;
  businessRegistrationType?: string;
  businessRegistrationCountry?: string;
  doingBusinessAs?: string;
  optInConfirmationResponse?: string;
  helpMessageResponse?: string;
  privacyPolicyURL?: string;
  termsAndConditionURL?: string;
  ageGatedContent?: boolean;
  webhookUrl?: string;
};

/** Telnyx wants a state's whole name. */
const stateName = (text: string): string => findState(text)?.name ?? text;

export function tollFreeRequest(phone: string, fields: TollFreeFields, webhooks?: string): TollFreeRequest {
  const given = <K extends keyof TollFreeRequest>(name: K, value: TollFreeRequest[K] | undefined | "") =>
    (value === undefined || value === "" ? {} : { [name]: value }) as Partial<Pick<TollFreeRequest, K>>;
  const country = fields.registration_country ?? fields.country;
  return {
    businessName: fields.business_name,
    corporateWebsite: fields.website,
    businessAddr1: fields.street,
    ...given("businessAddr2", fields.street_2),
    businessCity: fields.city,
    businessState: stateName(fields.state),
    businessZip: fields.postal_code,
    businessContactFirstName: fields.contact_first_name,
    businessContactLastName: fields.contact_last_name,
    businessContactEmail: fields.email,
    businessContactPhone: fields.contact_phone,
    messageVolume: volumeOf(fields.monthly_messages),
    phoneNumbers: [{ phoneNumber: phone }],
    useCase: USE_CASES[fields.use_case],
    useCaseSummary: fields.use_case_summary,
    productionMessageContent: fields.sample_message,
    optInWorkflow: fields.opt_in_description,
    optInWorkflowImageURLs: fields.opt_in_urls.map((url) => ({ url })),
    additionalInformation: fields.additional_information ?? "",
    ...given("entityType", fields.business_type?.toUpperCase() as TollFreeRequest["entityType"]),
    ...given("businessRegistrationNumber", fields.registration_number),
    ...(fields.registration_number
      ? { businessRegistrationType: country === "US" ? "EIN" : country === "CA" ? "CBN" : "OTHER" }
      : {}),
    ...(fields.registration_number ? { businessRegistrationCountry: country } : {}),
    ...given("doingBusinessAs", fields.doing_business_as),
    ...given("optInConfirmationResponse", fields.opt_in_message),
    ...given("helpMessageResponse", fields.help_message),
    ...given("privacyPolicyURL", fields.privacy_policy_url),
    ...given("termsAndConditionURL", fields.terms_url),
    ...given("ageGatedContent", fields.age_gated),
    ...(webhooks === undefined ? {} : { webhookUrl: `${webhooks}/registry` }),
  };
}

/** The verification of toll-free numbers by Telnyx. */
export function telnyxTollFree(client: TelnyxClient, webhooks?: string): TollFree {
  /** The account's newest request of a number, whoever has made it. */
  async function requestOf(phone: string, signal: AbortSignal): Promise<JsonObject | undefined> {
    const query = { phone_number: phone, page: 1, page_size: 100 };
    const found = await client.ask("GET", REQUESTS, { query }, signal);
    const records = objectsIn(isObject(found) ? found.records : undefined);
    const theirs = records.filter((one) =>
      objectsIn(one.phoneNumbers).some(({ phoneNumber }) => phoneNumber === phone),
    );
    return theirs.find((one) => STATUS.get(one.verificationStatus) !== "REJECTED") ?? theirs[0];
  }

  async function make(phone: string, fields: TollFreeFields, signal: AbortSignal): Promise<{ id: string }> {
    const body = tollFreeRequest(phone, fields, webhooks);
    try {
      return { id: idIn(await client.ask("POST", REQUESTS, { body }, signal)) };
    } catch (error) {
      if (!(error instanceof CarrierProblem && error.isUndecided)) throw error;
      const there = await requestOf(phone, signal).catch(() => undefined);
      if (there === undefined) throw error;
      return { id: idIn(there) };
    }
  }

  /** The whole request again: the same one is the same. */
  const correct = async (id: string, phone: string, fields: TollFreeFields, signal: AbortSignal) => {
    const body = tollFreeRequest(phone, fields, webhooks);
    await client.ask("PATCH", `${REQUESTS}/${encodeURIComponent(id)}`, { body }, signal);
    return { id };
  };

  return {
    async request(phone, fields, _reference, signal) {
      const there = await requestOf(phone, signal);
      if (there === undefined) return make(phone, fields, signal);
      const id = idIn(there);
      return STATUS.get(there.verificationStatus) === "REJECTED" ? correct(id, phone, fields, signal) : { id };
    },

    resubmit: ({ id, phone }, fields, _reference, signal) => correct(id, phone, fields, signal),

    async status({ id }, _requestedAt, _now, signal): Promise<TollFreeVerdict> {
      const body = await client.ask("GET", `${REQUESTS}/${encodeURIComponent(id)}`, {}, signal);
      const request = isObject(body) ? body : {};
      const status = STATUS.get(request.verificationStatus) ?? "PENDING";
      const reason = textIn(request.reason);
      const waits = request.verificationStatus === "Waiting For Customer";
      const reasons = reason ? [reason.slice(0, 500)] : waits ? ["Telnyx waits for something from you."] : [];
      return { status, reasons: status === "REJECTED" ? reasons : [], editableUntil: null, isEditable: true };
    },
  } satisfies TollFree;
}

function idIn(answer: unknown): string {
  const id = isObject(answer) ? (textIn(answer.id) ?? textIn(answer.verificationRequestId)) : undefined;
  if (id === undefined)
    throw new CarrierProblem("Telnyx's answer has no id.", { code: "invalid_answer", isUndecided: true });
  return id;
}
