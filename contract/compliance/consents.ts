import { Type } from "typebox";
import { operation } from "#contract/values/operation.ts";
import {
  freeText,
  instant,
  named,
  nullable,
  oneOf,
  page,
  paging,
  phone,
  tenantId,
  text,
  timestamp,
} from "#contract/values/shapes.ts";

const tag = "Consent";

export const BASES = ["express_written", "express", "existing_business_relationship", "inquiry", "none"] as const;

const OPT_OUT_SOURCES = [
  "keyword",
  "free_text",
  "agent",
  "carrier",
  "call",
  "operator",
  "journal",
  "other_mode",
] as const;

const Standing = nullable(
  Type.Object({
    basis: Type.String(),
    obtained_at: timestamp(),
    expires_at: nullable(Type.String({ format: "date-time", description: "When a business relationship runs out" })),
  }),
);

export const ConsentEvent = named("ConsentEvent", {
  event: Type.Enum(["granted", "revoked", "resubscribed"]),
  basis: nullable(Type.String()),
  channel: Type.Enum(["sms", "voice", "any"]),
  source: Type.String(),
  proof: nullable(Type.String()),
  quote: nullable(Type.String({ description: "The contact's own words" })),
  at: timestamp(),
  recorded_at: timestamp(),
});

export const Consent = named("Consent", {
  phone_number: Type.String(),
  opted_out: Type.Boolean(),
  opted_out_at: nullable(timestamp()),
  opt_out_source: nullable(
    Type.String({
      description:
        "keyword, free_text, agent, carrier, operator (recorded by somebody here), journal, other_mode (said in the tenant's other mode), or call: that one START does not undo",
    }),
  ),
  opt_out_quote: nullable(Type.String()),
  in_doubt: Type.Boolean({
    description:
      "It is being judged whether the latest text is an opt-out, or one that was said in a call is still to be written; nothing leaves meanwhile",
  }),
  sms: Standing,
  voice: Standing,
  history: Type.Array(ConsentEvent, { description: "What was recorded, the last first; at most 100" }),
});

const params = Type.Object({ phone_number: phone() });

export const getConsent = operation({
  id: "getConsent",
  method: "GET",
  path: "/v1/consents/:phone_number",
  tag,
  summary: "Read what a phone number's consent rests on, and its history; a number that is not known has none",
  scope: "read",
  params,
  query: Type.Object({ tenant_id: tenantId() }),
  status: 200,
  response: Type.Object({ consent: Consent }),
});

export const putConsent = operation({
  id: "putConsent",
  method: "PUT",
  path: "/v1/consents/:phone_number",
  tag,
  summary: "Record a consent; an opt-out stays unless a later, proven consent says `resubscribe`",
  scope: "write",
  params,
  body: Type.Object({
    basis: Type.Enum([...BASES]),
    channel: Type.Optional(Type.Enum(["sms", "voice", "any"], { default: "any" })),
    source: text(200, "Where it comes from, such as web_form"),
    obtained_at: Type.Optional(instant("When consent was given; now by default")),
    proof: Type.Optional(freeText(2_000, "Free text or a URL")),
    resubscribe: Type.Optional(
      Type.Boolean({
        description: "End an opt-out: needs an express basis, a proof, and an obtained_at after the opt-out",
      }),
    ),
    tenant_id: tenantId(),
  }),
  status: 200,
  response: Type.Object({ consent: Consent }),
});

export const OptOut = named("OptOut", {
  phone_number: Type.String(),
  opted_out_at: timestamp(),
  source: nullable(
    Type.String({ description: "keyword, free_text, agent, carrier, call, operator or journal; newer ones may come" }),
  ),
  quote: nullable(Type.String({ description: "The contact's own words" })),
});

export const listOptOuts = operation({
  id: "listOptOuts",
  method: "GET",
  path: "/v1/opt-outs",
  tag,
  summary: "List the phone numbers that are opted out, the last first. An opt-out holds for the whole tenant",
  scope: "read",
  query: Type.Object({
    phone_number: Type.Optional(phone()),
    source: Type.Optional(oneOf(OPT_OUT_SOURCES)),
    tenant_id: tenantId(),
    ...paging,
  }),
  status: 200,
  response: page("opt_outs", OptOut),
});

export const exportOptOuts = operation({
  id: "exportOptOuts",
  method: "GET",
  path: "/v1/opt-outs/export.csv",
  tag,
  summary: "Get the phone numbers that are opted out as a file",
  scope: "read",
  query: Type.Object({ tenant_id: tenantId() }),
  csv: true,
  load: "list",
  status: 200,
  response: Type.Object({}),
});
