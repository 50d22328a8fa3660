import { Type } from "typebox";
import { LINE_TYPES, LineLookup } from "#contract/contacts/contacts.ts";
import { operation } from "#contract/values/operation.ts";
import { id, named, nullable, tenantId, timestamp } from "#contract/values/shapes.ts";

const tag = "Number look-ups";

/** A carrier's account pays for each look-up: only live keys, and people in live mode, have one. */
const live = { tenantWide: true, liveKeysOnly: true } as const;

export const NumberLookup = named("NumberLookup", {
  phone_number: Type.String(),
  line_type: Type.Enum(LINE_TYPES, {
    description: "fixed_voip is tied to a place, voip to none; unknown: who was asked does not know",
  }),
  takes_texts: Type.Boolean({ description: "false of a landline; what is not known may take them" }),
  carrier_name: nullable(Type.String({ description: "The phone's own carrier" })),
  carrier_id: Type.String({ description: "The account that was asked" }),
  looked_up_at: timestamp(),
});

const phoneNumber = Type.String({ minLength: 1, maxLength: 40 });
const how = {
  carrier_id: Type.Optional(
    id("carrier account to ask and pay by; without it: the only connected one that looks up numbers"),
  ),
  max_age_days: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 3_650,
      description: "An answer that is not older is not asked for again; 90 if it is not said",
    }),
  ),
  tenant_id: tenantId(),
};
const price = {
  price_per_lookup: Type.String({ description: "In `currency`, as the operator has set it" }),
  amount: Type.String({ description: "In `currency`, of what was looked up now" }),
  currency: Type.String({ description: "ISO 4217, such as USD" }),
};

export const lookUpNumber = operation({
  id: "lookUpNumber",
  method: "POST",
  path: "/v1/number-lookups",
  tag,
  summary:
    "What kind of line a phone is, and who its carrier is: as it is known, else by a look-up that the carrier's account pays for",
  scope: "write",
  ...live,
  body: Type.Object({ phone_number: phoneNumber, ...how }),
  errors: ["carrier_problem", "order_pending"],
  status: 200,
  response: Type.Object({
    lookup: NumberLookup,
    paid: Type.Boolean({ description: "Whether it was looked up now" }),
    ...price,
  }),
});

export const getNumberLookup = operation({
  id: "getNumberLookup",
  method: "GET",
  path: "/v1/number-lookups/:phone_number",
  tag,
  summary: "What is known of a phone's line; it asks and costs nothing",
  scope: "read",
  ...live,
  params: Type.Object({ phone_number: phoneNumber }),
  query: Type.Object({ tenant_id: tenantId() }),
  status: 200,
  response: Type.Object({ lookup: NumberLookup }),
});

export const lookUpCampaign = operation({
  id: "lookUpCampaign",
  method: "POST",
  path: "/v1/campaigns/:campaign_id/line-types",
  tag,
  summary:
    "Look up the lines of a campaign's recipients that are not known, at most so many; each look-up is paid for. The preflight then warns of landlines",
  scope: "write",
  ...live,
  params: Type.Object({ campaign_id: id("campaign") }),
  body: Type.Object({
    max_lookups: Type.Integer({ minimum: 0, maximum: 1_000, description: "0: look up none, only count" }),
    ...how,
  }),
  load: "bulk",
  errors: ["carrier_problem", "order_pending"],
  status: 200,
  response: Type.Object({
    recipients: Type.Integer(),
    known: Type.Integer({ description: "Recipients whose line is known now" }),
    landlines: Type.Integer({ description: "Of these: take no texts" }),
    looked_up: Type.Integer({ description: "Just now" }),
    failed: Type.Integer({ description: "Had no answer; ask again later" }),
    ...price,
  }),
});

export const lookUpList = operation({
  id: "lookUpList",
  method: "POST",
  path: "/v1/contacts/lists/:list_id/line-types",
  tag,
  summary:
    "Have the lines of a list's phones looked up that are not known, in the background; each look-up is paid for. dry_run only says how many, and what they would cost",
  scope: "write",
  ...live,
  params: Type.Object({ list_id: id("list") }),
  body: Type.Object({ dry_run: Type.Optional(Type.Boolean()), ...how }),
  status: 200,
  response: Type.Object({
    contacts: Type.Integer(),
    known: Type.Integer({ description: "Contacts whose line is known now" }),
    landlines: Type.Integer({ description: "Of these: take no texts" }),
    line_lookup: nullable(LineLookup),
    price_per_lookup: price.price_per_lookup,
    amount: Type.String({ description: "In `currency`, of all that is not known" }),
    spend_left: nullable(
      Type.String({
        description: "In `currency`, of the day's spend limit: beyond it nothing is looked up. null without one",
      }),
    ),
    currency: price.currency,
  }),
});
