import { Type } from "typebox";
import { former } from "#contract/values/names.ts";
import { operation } from "#contract/values/operation.ts";
import { instant, named, nullable, oneOf, page, paging, phone, tenantId, timestamp } from "#contract/values/shapes.ts";

import { BASES } from "./consents.ts";

const tag = "Contactability";

const Channel = Type.Union([Type.Literal("sms"), Type.Literal("voice")]);
const Outcome = Type.Union([Type.Literal("allowed"), Type.Literal("held"), Type.Literal("blocked")]);

export const Rule = named("ComplianceRule", {
  id: Type.String({ description: "Stays the same for ever" }),
  jurisdiction: nullable(
    Type.String({ description: "US, CA, US-FL, strict; null: no law, but the contact's or caller's wish" }),
  ),
  source: Type.String(),
  strength: nullable(
    Type.String({
      description:
        "P: the statute was read. 2: law-firm or official summary. V: vendors' tables. G: general knowledge. own: our choice",
    }),
  ),
  verified_on: nullable(Type.String({ description: "Date on which the source was looked at" })),
});

const Place = named("ContactPlace", {
  zones: Type.Array(Type.String(), { description: "Every time zone the contact may be in; hours must hold in each" }),
  states: Type.Array(Type.String(), { description: "Every state or province whose rules count" }),
  basis: Type.String({
    description: "What the zones were taken from: time_zone, postal_code, city, state, exchange, area_code or unknown",
  }),
});

export const getContactability = operation({
  id: "getContactability",
  method: "GET",
  path: "/v1/contactability",
  tag,
  summary:
    "May this number be reached out to now, until when, else when next, and by which rule: asks the gate that decides every text and call",
  scope: "read",
  query: Type.Object({
    phone_number: phone(),
    channel: Type.Optional(Type.Unsafe<"sms" | "voice">({ ...Channel, default: "sms" })),
    campaign_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description:
          "With its dates, window, organization and contact; without it every contact and list entry of the number counts",
      }),
    ),
    tenant_id: tenantId(),
  }),
  status: 200,
  response: Type.Object({
    phone_number: Type.String(),
    channel: Channel,
    campaign_id: nullable(Type.String()),
    checked_at: timestamp(),
    allowed: Type.Boolean(),
    decision: Outcome,
    until: nullable(
      Type.String({
        format: "date-time",
        description: "Allowed: to when it stays so, as things are. Held: when the rule lets go",
      }),
    ),
    next_at: nullable(
      Type.String({
        format: "date-time",
        description: "When outreach is first allowed by every rule; null: not foreseeable, or never",
      }),
    ),
    rule: nullable(Rule),
    reason: nullable(Type.String()),
    profile: Type.String({ description: "strict or federal" }),
    place: Place,
    attempts: Type.Object({
      count: Type.Integer({ description: "Outreach to the number that attempt caps count, on every channel" }),
      within_hours: Type.Integer(),
      last_at: nullable(timestamp()),
    }),
  }),
});

const Decision = named("ContactDecision", {
  at: timestamp(),
  decision: Outcome,
  message_id: Type.String({ description: "The text's; a call that was planned has one too" }),
  campaign_id: nullable(Type.String()),
  kind: nullable(
    Type.String({
      description: "start, drip, reply, human, confirmation, help; of a call: call, redial, callback, transfer, single",
    }),
  ),
  channel: Channel,
  rule: nullable(Rule),
  reason: nullable(Type.String()),
  until: nullable(timestamp()),
  attempt: nullable(
    Type.Object({
      status: Type.String({
        description: "What became of it: in_flight, uncertain, accepted, rejected, not_sent or held",
      }),
      state: former("status", Type.String()),
      error_code: nullable(Type.String()),
    }),
  ),
  based_on: nullable(
    Type.Object({
      profile: Type.String(),
      place: Place,
      attempts_before: Type.Integer({ description: "Outreach to the number in the day before" }),
    }),
  ),
});

export const listContactDecisions = operation({
  id: "listContactDecisions",
  method: "GET",
  path: "/v1/contactability/history",
  tag,
  summary:
    "Why this number was, or was not, contacted: every decision about texts and calls to it in all campaigns, newest first",
  scope: "read",
  query: Type.Object({ phone_number: phone(), tenant_id: tenantId(), ...paging }),
  status: 200,
  response: page("decisions", Decision),
});

export const askWhatIf = operation({
  id: "askWhatIf",
  method: "POST",
  path: "/v1/contactability/what-if",
  tag,
  summary:
    "Which rule would decide about a number, or about a campaign's waiting recipients, at another time or with another consent; sends and writes nothing",
  scope: "read",
  load: "bulk",
  body: Type.Object({
    phone_number: Type.Optional(phone()),
    campaign_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description:
          "Of an SMS campaign. With `phone_number`: that contact within it; alone: its recipients whose first text waits, 20,000 or a few more",
      }),
    ),
    channel: Type.Optional(oneOf(["sms", "voice"], "sms, unless said")),
    at: Type.Optional(instant("By the tenant's clock, now by default, at most a year ahead")),
    consent: Type.Optional(
      Type.Object(
        {
          basis: oneOf(BASES, "`none`: as if there were none"),
          channel: Type.Optional(oneOf(["sms", "voice", "any"], "any, unless said")),
        },
        { description: "Takes the place of the consents on record for its channel" },
      ),
    ),
    opted_out: Type.Optional(Type.Boolean({ description: "As if the contact had, or had not, opted out" })),
    profile: Type.Optional(oneOf(["strict", "federal"], "The operator's, unless said")),
    tenant_id: tenantId(),
  }),
  status: 200,
  response: Type.Object({
    phone_number: nullable(Type.String()),
    campaign_id: nullable(Type.String()),
    channel: Channel,
    at: timestamp(),
    profile: Type.String({ description: "strict or federal" }),
    contacts_count: Type.Integer({ description: "So many were looked at" }),
    is_complete: Type.Boolean({ description: "false: the campaign has more waiting recipients than were looked at" }),
    decisions: Type.Array(
      named("ForeseenDecision", {
        decision: Outcome,
        rule: nullable(Rule),
        reason: nullable(Type.String()),
        contacts_count: Type.Integer(),
        next_at: nullable(
          Type.String({
            format: "date-time",
            description: "When the first of these could be reached; null: not foreseeable, or never",
          }),
        ),
      }),
      { description: "By rule, the most frequent first" },
    ),
  }),
});
