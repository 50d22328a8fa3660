import { Type } from "typebox";
import { operation } from "#contract/values/operation.ts";
import {
  email,
  freeText,
  named,
  nullable,
  page,
  paging,
  phone,
  tenantId,
  text,
  timestamp,
} from "#contract/values/shapes.ts";

const tag = "Toll-free verifications";

/** What texts from the number are about; carriers have lists of their own, in which each is found. */
const useCase = () =>
  Type.Enum([
    ...(["two_factor", "account_notifications", "appointments", "customer_care", "delivery", "fraud_alerts"] as const),
    ...(["security_alerts", "marketing", "charity", "education", "events", "polling", "public_service"] as const),
  ]);
const optInType = () => Type.Enum(["verbal", "web_form", "paper_form", "via_text", "mobile_qr_code"]);
const businessType = () =>
  Type.Enum(["private_profit", "public_profit", "sole_proprietor", "non_profit", "government"]);

export const TollFreeVerification = named("TollFreeVerification", {
  phone_number: Type.String(),
  status: Type.Union([Type.Literal("PENDING"), Type.Literal("VERIFIED"), Type.Literal("REJECTED")]),
  reasons: Type.Array(Type.String(), { description: "Why it was refused, in the carrier's words" }),
  editable_until: nullable(
    Type.String({
      format: "date-time",
      description: "Until when a refused one goes before new ones when it is resubmitted; null: nobody says",
    }),
  ),
  carrier_id: nullable(Type.String({ description: "The carrier account that it is requested by; null in test mode" })),
  business_name: Type.String(),
  website: Type.String(),
  email: Type.String(),
  use_case: Type.String(),
  use_case_summary: Type.String(),
  sample_message: Type.String(),
  opt_in_type: Type.String(),
  opt_in_description: Type.String(),
  opt_in_urls: Type.Array(Type.String()),
  monthly_messages: Type.Integer(),
  street: Type.String(),
  street_2: Type.String(),
  city: Type.String(),
  state: Type.String(),
  postal_code: Type.String(),
  country: Type.String(),
  contact_first_name: Type.String(),
  contact_last_name: Type.String(),
  contact_phone: Type.String(),
  additional_information: Type.String(),
  business_type: Type.String(),
  registration_number: Type.String(),
  registration_country: Type.String(),
  doing_business_as: Type.String(),
  opt_in_message: Type.String(),
  help_message: Type.String(),
  privacy_policy_url: Type.String(),
  terms_url: Type.String(),
  age_gated: Type.Boolean(),
  created_at: timestamp(),
  updated_at: timestamp(),
});

const address = (description: string) => text(500, description);

const required = {
  business_name: text(255, "As the tax office has it"),
  website: address("Address of the business's site"),
  email: email(),
  use_case: useCase(),
  use_case_summary: text(1_000, "What is texted, to whom and when"),
  sample_message: text(1_000, "A text as it will be sent"),
  opt_in_type: optInType(),
  opt_in_description: text(1_000, "How recipients agree to the texts"),
  opt_in_urls: Type.Array(text(500), {
    minItems: 1,
    maxItems: 5,
    description: "Addresses of pages or pictures that show how recipients agree",
  }),
  monthly_messages: Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: "Texts a month, estimated" }),
  street: text(255),
  city: text(255),
  state: text(100, "State or province, by its name or its two letters"),
  postal_code: text(20),
  country: Type.String({ pattern: "^[A-Z]{2}$", description: "Country, two letters" }),
  contact_first_name: text(255),
  contact_last_name: text(255),
  contact_phone: phone(),
};

const optional = {
  street_2: Type.Optional(freeText(255)),
  additional_information: Type.Optional(freeText(1_000)),
  business_type: Type.Optional(businessType()),
  registration_number: Type.Optional(freeText(50, "Of the business, such as its EIN in the US")),
  registration_country: Type.Optional(Type.String({ pattern: "^[A-Z]{2}$", description: "Country, two letters" })),
  doing_business_as: Type.Optional(freeText(255)),
  opt_in_message: Type.Optional(freeText(1_000)),
  help_message: Type.Optional(freeText(1_000)),
  privacy_policy_url: Type.Optional(text(500)),
  terms_url: Type.Optional(text(500)),
  age_gated: Type.Optional(Type.Boolean()),
  tenant_id: tenantId(),
};

export const createTollFreeVerification = operation({
  id: "createTollFreeVerification",
  method: "POST",
  path: "/v1/toll-free/verifications",
  tag,
  summary: "Request the verification of a toll-free number; it is PENDING until the carrier has decided",
  scope: "write",
  tenantWide: true,
  body: Type.Object({ phone_number: phone(), ...required, ...optional }),
  errors: ["carrier_problem", "order_pending"],
  status: 201,
  response: TollFreeVerification,
});

export const listTollFreeVerifications = operation({
  id: "listTollFreeVerifications",
  method: "GET",
  path: "/v1/toll-free/verifications",
  tag,
  summary: "List the verifications of toll-free numbers, newest first",
  scope: "read",
  tenantWide: true,
  query: Type.Object({ tenant_id: tenantId(), ...paging }),
  status: 200,
  response: page("verifications", TollFreeVerification),
});

const params = Type.Object({ phone_number: phone() });

export const getTollFreeVerification = operation({
  id: "getTollFreeVerification",
  method: "GET",
  path: "/v1/toll-free/verifications/:phone_number",
  tag,
  summary: "Get the verification of a toll-free number, with the carrier's latest word",
  scope: "read",
  tenantWide: true,
  params,
  status: 200,
  response: TollFreeVerification,
});

export const resubmitTollFreeVerification = operation({
  id: "resubmitTollFreeVerification",
  method: "POST",
  path: "/v1/toll-free/verifications/:phone_number/resubmit",
  tag,
  summary: "Send a refused verification to the carrier again, with the given fields changed",
  scope: "write",
  tenantWide: true,
  params,
  body: Type.Object({ ...Type.Partial(Type.Object(required)).properties, ...optional }),
  errors: ["carrier_problem", "order_pending"],
  status: 200,
  response: TollFreeVerification,
});
