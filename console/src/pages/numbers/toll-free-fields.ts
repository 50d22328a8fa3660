import type { Args, Item } from "#api/operations.ts";
import { wordsOfKind } from "./registry-words.ts";

export type Verification = Item<"GET /v1/toll-free/verifications">;
type Body = Args<"POST /v1/toll-free/verifications">["body"];
type Change = Args<"POST /v1/toll-free/verifications/:phone_number/resubmit">["body"];
type Name = Exclude<keyof Body, "tenant_id">;

/** What the form holds: an empty one is left out of what is sent. */
export type TollFreeValues = Record<Name, string | string[] | number | boolean>;

export type TollFreeField = {
  name: Name;
  label: string;
  description?: string;
  /** Of a field without which nothing is sent: what to do about it. */
  wish?: string;
  as?: "long" | "pages" | "count" | "switch" | { value: string; label: string }[];
  type?: "email" | "tel" | "url";
};

const choices = (values: readonly string[]) => values.map((value) => ({ value, label: wordsOfKind(value) }));

const USES = choices([
  ...(["account_notifications", "appointments", "charity", "customer_care", "delivery", "education"] as const),
  ...(["events", "fraud_alerts", "marketing", "polling", "public_service", "security_alerts", "two_factor"] as const),
] satisfies Body["use_case"][]);
const CONSENTS = choices([
  ...(["web_form", "paper_form", "verbal", "via_text", "mobile_qr_code"] as const),
] satisfies Body["opt_in_type"][]);
const BUSINESSES = choices([
  ...(["private_profit", "public_profit", "sole_proprietor", "non_profit", "government"] as const),
] satisfies NonNullable<Body["business_type"]>[]);

export const NUMBER: TollFreeField = {
  name: "phone_number",
  label: "Toll-free number",
  description: "A number of yours that begins with 800, 833, 844, 855, 866, 877 or 888",
  wish: "Enter a toll-free number",
  type: "tel",
};

export const SECTIONS: readonly { title: string; fields: readonly TollFreeField[] }[] = [
  {
    title: "The business",
    fields: [
      { name: "business_name", label: "Legal name", description: "As the tax office has it", wish: "Enter a name" },
      { name: "doing_business_as", label: "Also known as", description: "The name that customers know" },
      { name: "business_type", label: "Kind of business", as: BUSINESSES },
      { name: "website", label: "Website", wish: "Enter the address of the site", type: "url" },
      { name: "registration_number", label: "Registration number", description: "In the US: the EIN" },
      { name: "registration_country", label: "Registered in", description: "Two letters, such as US" },
      { name: "street", label: "Street", wish: "Enter a street" },
      { name: "street_2", label: "Suite or floor" },
      { name: "city", label: "City", wish: "Enter a city" },
      { name: "state", label: "State", description: "By name or two letters", wish: "Enter a state" },
      { name: "postal_code", label: "Postal code", wish: "Enter a postal code" },
      { name: "country", label: "Country", description: "Two letters, such as US", wish: "Enter a country" },
    ],
  },
  {
    title: "Whom the carrier may ask",
    fields: [
      { name: "contact_first_name", label: "First name", wish: "Enter a first name" },
      { name: "contact_last_name", label: "Last name", wish: "Enter a last name" },
      { name: "email", label: "E-mail", wish: "Enter an e-mail address", type: "email" },
      { name: "contact_phone", label: "Phone", wish: "Enter a phone number", type: "tel" },
    ],
  },
  {
    title: "What is texted",
    fields: [
      { name: "use_case", label: "Use", wish: "Choose what the texts are for", as: USES },
      { name: "monthly_messages", label: "Texts a month", wish: "Enter how many, estimated", as: "count" },
      {
        ...{ name: "use_case_summary", label: "What, to whom and when", as: "long" },
        wish: "Say what is texted, to whom and when",
      },
      { name: "sample_message", label: "Sample", wish: "Enter a text as it will be sent", as: "long" },
      { name: "age_gated", label: "Some of it is for adults alone", as: "switch" },
    ],
  },
  {
    title: "How recipients agree",
    fields: [
      { name: "opt_in_type", label: "Where they agree", wish: "Choose where they agree", as: CONSENTS },
      {
        ...{ name: "opt_in_urls", label: "Pages that show it", as: "pages", wish: "Enter the address of a page" },
        description: "Pages or pictures, up to five, each with Enter",
      },
      { name: "opt_in_description", label: "How they agree", wish: "Say how recipients agree", as: "long" },
      { name: "opt_in_message", label: "Text that confirms it", as: "long" },
      { name: "help_message", label: "Answer to HELP", as: "long" },
      { name: "privacy_policy_url", label: "Privacy policy", type: "url" },
      { name: "terms_url", label: "Terms", type: "url" },
      { name: "additional_information", label: "What else the carrier should know", as: "long" },
    ],
  },
];

const FIELDS = [NUMBER, ...SECTIONS.flatMap(({ fields }) => fields)];
/** A correction can change them, and the API has no word for taking them back. */
const STAYS: readonly Name[] = ["business_type", "registration_country", "privacy_policy_url", "terms_url"];

const EMPTY = { age_gated: false, opt_in_urls: [], country: "US" } as const;

/** Of a new one, or of one that is corrected. */
export const valuesOf = (old: Verification | undefined): TollFreeValues =>
  Object.fromEntries(
    FIELDS.map(({ name }) => [name, old?.[name] ?? EMPTY[name as keyof typeof EMPTY] ?? ""]),
  ) as TollFreeValues;

const isEmpty = (value: unknown): boolean =>
  value === null || (typeof value === "string" && value.trim() === "") || (Array.isArray(value) && value.length === 0);

/** What is missing, by field. */
export function missing(values: TollFreeValues, old: Verification | undefined): Record<string, string> {
  const wrong = FIELDS.flatMap(({ name, wish }) => {
    if (!isEmpty(values[name])) return [];
    if (wish !== undefined) return [[name, wish]];
    return old && STAYS.includes(name) && !isEmpty(old[name]) ? [[name, "can be changed, and not taken back"]] : [];
  });
  return Object.fromEntries(wrong);
}

/** What is sent of a new one: what has a value. */
export const bodyOf = (values: TollFreeValues): Body =>
  Object.fromEntries(Object.entries(trimmed(values)).filter(([, value]) => !isEmpty(value))) as Body;

/** What is sent of a correction: what has changed. */
export const changeOf = (values: TollFreeValues, old: Verification): Change =>
  Object.fromEntries(
    Object.entries(trimmed(values)).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(old[name as Name]),
    ),
  );

const trimmed = (values: TollFreeValues): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const text = typeof value === "string" ? value.trim() : (value ?? "");
      return [name, name.endsWith("country") ? String(text).toUpperCase() : text];
    }),
  );
