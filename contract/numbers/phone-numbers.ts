import { Type } from "typebox";
import { operation } from "#contract/values/operation.ts";
import {
  id,
  instant,
  named,
  nullable,
  page,
  paging,
  phone,
  tenantId,
  text,
  timestamp,
} from "#contract/values/shapes.ts";

const tag = "Phone numbers";

/** What every answer about a number says of it. */
const said = {
  phone_number: Type.String(),
  phone_number_pretty: Type.String(),
  area_code: Type.String(),
  phone_number_type: Type.String({ description: "svc-voice" }),
};

/** The days are HEALTH_DAYS of domain/numbers/health.ts. */
const Standing = named("NumberStanding", {
  placed: nullable(
    Type.Integer({
      description:
        "Calls from it in the last 7 days that came to a phone, or were refused in its name. " +
        "This and the other figures are null where other organizations, which you do not see, call from it too",
    }),
  ),
  answered: nullable(Type.Integer({ description: "By a person" })),
  answer_rate: nullable(Type.Number({ description: "`answered` of `placed`, 0 to 1; null without a call" })),
  usual_answer_rate: nullable(
    Type.Number({
      description: "Of the other numbers in the same campaigns, 0 to 1; null without enough calls to compare",
    }),
  ),
  complaints: nullable(Type.Integer({ description: "Opt-outs in a call from it, or after one" })),
  unwanted: nullable(Type.Integer({ description: "Refused as spam: SIP 607, 608, and 603 that says so" })),
  resting_until: nullable(timestamp()),
  reason: nullable(Type.String({ description: "Of its rest: unwanted, complaints, answer_rate, or asked" })),
});

export const PhoneNumber = named("PhoneNumber", {
  ...said,
  organization_id: nullable(Type.String({ description: "null: any of the tenant's organizations may call from it" })),
  user_id: nullable(Type.String()),
  agent_id: nullable(Type.String({ description: "The voice agent that answers calls to it" })),
  capabilities: Type.Object({ sms: Type.Boolean(), mms: Type.Boolean(), voice: Type.Boolean() }),
  carrier_id: nullable(Type.String({ description: "The tenant's carrier account that it is on; null: on none" })),
  carrier_name: nullable(Type.String({ description: "The account's name" })),
  health: Standing,
  created_at: timestamp(),
});

const carrierId = Type.Optional(
  id("carrier account to buy by, in live mode; without it: the only connected one that gives out numbers"),
);

const owner = {
  carrier_id: carrierId,
  organization_id: Type.Optional(id("organization")),
  user_id: Type.Optional(id("user")),
  tenant_id: tenantId(),
};

const areaCode = (description: string) => text(10, description);

export const createPhoneNumber = operation({
  id: "createPhoneNumber",
  method: "POST",
  path: "/v1/voice/phone-numbers/create",
  tag,
  summary: "Get a phone number in an area code of the US or Canada, at once",
  scope: "write",
  body: Type.Object({ area_code: areaCode("Three digits"), ...owner }),
  errors: ["voice_not_enabled", "provisioning_failed", "no_numbers_available", "carrier_problem", "order_pending"],
  status: 201,
  response: Type.Object(said),
});

export const listPhoneNumbers = operation({
  id: "listPhoneNumbers",
  method: "GET",
  path: "/v1/voice/phone-numbers",
  tag,
  summary: "List the numbers that an organization may call from, newest first",
  scope: "read",
  query: Type.Object({ organization_id: id("organization"), tenant_id: tenantId(), ...paging }),
  status: 200,
  response: page("phone_numbers", PhoneNumber),
});

const NumberHealth = named("NumberHealth", {
  phone_number: Type.String(),
  calls: Type.Integer({ description: "From it, and over" }),
  placed: Type.Integer({ description: "Of these, which came to a phone, or were refused in its name" }),
  connected: Type.Integer({ description: "A person was spoken with" }),
  voicemail: Type.Integer(),
  not_reached: Type.Integer({
    description: "Nobody took the call: no answer, busy, declined; or somebody here stopped it",
  }),
  failed: Type.Integer({ description: "It could not be placed, or broke" }),
  marked_as_spam: Type.Integer({ description: "Of the failed: blocked as spam" }),
  inbound: Type.Integer({ description: "To it" }),
  answer_rate: nullable(
    Type.Number({ description: "`connected` of `placed`, 0 to 1, as of the number's `health`; null without a call" }),
  ),
  last_call_at: timestamp(),
});

export const getPhoneNumberHealth = operation({
  id: "getPhoneNumberHealth",
  method: "GET",
  path: "/v1/voice/phone-numbers/health",
  tag,
  summary: "What came of the calls from and to each of an organization's numbers; those without a call are left out",
  scope: "read",
  replica: true,
  load: "list",
  query: Type.Object({
    organization_id: id("organization"),
    days: Type.Optional(Type.Integer({ minimum: 1, maximum: 90, default: 30, description: "So many, until now" })),
    tenant_id: tenantId(),
  }),
  status: 200,
  response: Type.Object({ since: timestamp(), numbers: Type.Array(NumberHealth), count: Type.Integer() }),
});

export const searchPhoneNumbers = operation({
  id: "searchPhoneNumbers",
  method: "GET",
  path: "/v1/voice/phone-numbers/search",
  tag,
  summary: "Find numbers that could be bought",
  scope: "read",
  query: Type.Object({
    area_code: Type.Optional(areaCode("Three digits; without it: anywhere")),
    contains: Type.Optional(
      Type.String({ pattern: "^\\d{1,10}$", description: "Digits that are to be in the number" }),
    ),
    limit: paging.limit,
    carrier_id: carrierId,
    organization_id: Type.Optional(id("organization that the number would be for: its accounts count")),
    tenant_id: tenantId(),
  }),
  errors: ["voice_not_enabled", "no_numbers_available", "carrier_problem"],
  status: 200,
  response: Type.Object({ phone_numbers: Type.Array(Type.Object(said)), count: Type.Integer() }),
});

export const purchasePhoneNumber = operation({
  id: "purchasePhoneNumber",
  method: "POST",
  path: "/v1/voice/phone-numbers/purchase",
  tag,
  summary: "Buy a number that the search found; one that is the tenant's already stays so",
  scope: "write",
  body: Type.Object({ phone_number: phone(), ...owner }),
  errors: ["voice_not_enabled", "provisioning_failed", "no_numbers_available", "carrier_problem", "order_pending"],
  status: 201,
  response: Type.Object(said),
});

const params = Type.Object({ phone_number: phone() });

export const releasePhoneNumber = operation({
  id: "releasePhoneNumber",
  method: "DELETE",
  path: "/v1/voice/phone-numbers/:phone_number",
  tag,
  summary: "Give a number back; not while a campaign that is not over calls or texts from it",
  scope: "write",
  params,
  errors: ["carrier_problem", "provisioning_failed"],
  status: 200,
  response: Type.Object({ phone_number: Type.String() }),
});

export const updatePhoneNumber = operation({
  id: "updatePhoneNumber",
  method: "PATCH",
  path: "/v1/voice/phone-numbers/:phone_number",
  tag,
  summary: "Have a number rest, so that no campaign calls from it, or end its rest",
  scope: "write",
  params,
  body: Type.Object({
    resting_until: nullable(instant("Until when it rests; null: it does not rest any more")),
    tenant_id: tenantId(),
  }),
  errors: ["update_failed"],
  status: 200,
  response: Type.Object({ number: PhoneNumber }),
});

export const linkPhoneNumber = operation({
  id: "linkPhoneNumber",
  method: "POST",
  path: "/v1/voice/phone-numbers/:phone_number/update-agent",
  tag,
  summary: "Link a number to the voice agent that answers calls to it",
  scope: "write",
  params,
  body: Type.Object({ agent_id: id("voice agent: its agent_id or voice_agent_id"), tenant_id: tenantId() }),
  errors: ["agent_not_found", "update_failed"],
  status: 200,
  response: Type.Object({ number: PhoneNumber }),
});
