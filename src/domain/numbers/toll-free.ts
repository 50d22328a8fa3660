import { invalidField, refuseInvalid } from "#domain/values/errors.ts";
import { requirePhone } from "./phone-number.ts";
import { numberKind } from "./rate-limits.ts";

// The verification of a toll-free number: who texts from it, what for, and how its recipients have agreed. Networks block what others send.

export type TollFreeStatus = "PENDING" | "VERIFIED" | "REJECTED";

/** What texts from the number are about. Carriers have lists of their own, in which each is found (adapters). Political texts need papers that are not taken here. */
export const TOLL_FREE_USE_CASES = [
  "two_factor",
  "account_notifications",
  "appointments",
  "customer_care",
  "delivery",
  "fraud_alerts",
  "security_alerts",
  "marketing",
  "charity",
  "education",
  "events",
  "polling",
  "public_service",
] as const;
export type TollFreeUseCase = (typeof TOLL_FREE_USE_CASES)[number];

/** How recipients have agreed to the texts. */
export const OPT_IN_TYPES = ["verbal", "web_form", "paper_form", "via_text", "mobile_qr_code"] as const;
export type OptInType = (typeof OPT_IN_TYPES)[number];

export const BUSINESS_TYPES = [
  "private_profit",
  "public_profit",
  "sole_proprietor",
  "non_profit",
  "government",
] as const;

/** What the owner enters. */
export type TollFreeFields = {
  business_name: string;
  website: string;
  email: string;
  use_case: TollFreeUseCase;
  use_case_summary: string;
  sample_message: string;
  opt_in_type: OptInType;
  opt_in_description: string;
  /** Addresses of pages or pictures that show it. */
  opt_in_urls: string[];
  monthly_messages: number;
  street: string;
  city: string;
  state: string;
  postal_code: string;
  country: string;
  contact_first_name: string;
  contact_last_name: string;
  contact_phone: string;
  street_2?: string;
  additional_information?: string;
  business_type?: (typeof BUSINESS_TYPES)[number];
  registration_number?: string;
  registration_country?: string;
  doing_business_as?: string;
  opt_in_message?: string;
  help_message?: string;
  privacy_policy_url?: string;
  terms_url?: string;
  age_gated?: boolean;
};

/** A verification as stored. `updated_at` is when its status last began. */
export type TollFreeVerification = {
  /** The carrier's id of the request. */
  id: string;
  phone: string;
  /** The account that it was requested by, by its public id; null in test mode: the simulated registry. */
  carrier: string | null;
  fields: TollFreeFields;
  status: TollFreeStatus;
  /** Why it was refused, in the carrier's words. */
  reasons: string[];
  /** Until when a refused one may be corrected; null: nobody says. */
  editable_until: Date | null;
  /** Whether it is corrected where it is; else it is requested anew. */
  is_editable: boolean;
  created_at: Date;
  updated_at: Date;
};

const NAMES: readonly (keyof TollFreeFields)[] = [
  ...(["business_name", "website", "email", "use_case", "use_case_summary", "sample_message", "opt_in_type"] as const),
  ...(["opt_in_description", "opt_in_urls", "monthly_messages", "street", "city", "state", "postal_code"] as const),
  ...(["country", "contact_first_name", "contact_last_name", "contact_phone", "street_2"] as const),
  ...(["additional_information", "business_type", "registration_number", "registration_country"] as const),
  ...(["doing_business_as", "opt_in_message", "help_message", "privacy_policy_url", "terms_url", "age_gated"] as const),
];
const ADDRESSES = ["website", "privacy_policy_url", "terms_url"] as const;

/** The verification's own fields of a request's body. 400 for addresses that are none, and for a phone that is none. */
export function tollFreeFields(body: Readonly<Record<string, unknown>>): Partial<TollFreeFields> {
  const given = Object.fromEntries(
    NAMES.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])),
  ) as Partial<TollFreeFields>;
  const wrong = [
    ...ADDRESSES.flatMap((field) => (given[field] === undefined || isAddress(given[field]) ? [] : [field])),
    ...(given.opt_in_urls ?? []).flatMap((url, i) => (isAddress(url) ? [] : [`opt_in_urls[${i}]`])),
  ].map((field) => ({ field, message: "must be the address of a page, which begins with https:// or http://" }));
  refuseInvalid(wrong);
  if (given.contact_phone !== undefined) given.contact_phone = requirePhone("contact_phone", given.contact_phone);
  return given;
}

const isAddress = (text: string): boolean => URL.canParse(text) && ["http:", "https:"].includes(new URL(text).protocol);

/** 400 for a number that is not toll-free: a local one is registered by 10DLC. */
export function requireTollFree(phone: string): string {
  if (numberKind(phone) === "toll_free") return phone;
  throw invalidField("phone_number", "is not toll-free: local numbers are registered by a brand and a 10DLC campaign");
}

/** Why texts from a number would be blocked, in words that read on from it; undefined where nothing is known against it. */
export const blockedTollFree = (verification: Pick<TollFreeVerification, "status"> | undefined): string | undefined =>
  verification === undefined || verification.status === "VERIFIED"
    ? undefined
    : `cannot send yet: its toll-free verification is ${verification.status}, and networks block what it sends until it is VERIFIED`;

/** A warning about a live campaign's toll-free number of which no verification is known here. */
export const unknownTollFree = (field: string, phone: string): string =>
  `${field} ${phone} is toll-free, and no verification of it is known here: networks block what unverified ones send`;

/** A verification as the API returns it. */
export function tollFreeRecord(one: TollFreeVerification): Record<string, unknown> {
  const { phone, carrier, fields, status, reasons } = one;
  return {
    phone_number: phone,
    status,
    reasons,
    editable_until: one.editable_until?.toISOString() ?? null,
    carrier_id: carrier,
    ...Object.fromEntries(NAMES.map((name) => [name, fields[name] ?? (name === "age_gated" ? false : "")])),
    created_at: one.created_at.toISOString(),
    updated_at: one.updated_at.toISOString(),
  };
}
