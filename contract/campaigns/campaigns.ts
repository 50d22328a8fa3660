import { Type } from "typebox";
import { ContactInput, leftOutOf, MAX_LEADS } from "#contract/contacts/contacts.ts";
import { former } from "#contract/values/names.ts";
import { operation } from "#contract/values/operation.ts";
import {
  freeText,
  id,
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

const tag = "SMS campaigns";
/** 100,000 leads of some 300 bytes, and room to spare. */
export const BULK_BODY_LIMIT = 64 * 1024 * 1024;

export const CallingWindow = named("CallingWindow", {
  start: Type.String({ description: '"09:00", in the recipient\'s own zone' }),
  end: Type.String({ description: '"20:00"' }),
  days: Type.Array(Type.Integer({ minimum: 1, maximum: 7 }), { maxItems: 7, description: "1 = Monday" }),
});

export const campaignId = () =>
  Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: "^[A-Za-z0-9_.:-]+$",
    description: "1 to 100 of A-Z a-z 0-9 _ - . :",
  });

export const params = Type.Object({ campaign_id: id("campaign") });

/** What a recipient may have come to: domain/messaging/message.ts says in which order. */
export const RECIPIENT_STATES = [
  "scheduled",
  "held",
  "sending",
  "sent",
  "delivered",
  "replied",
  "completed",
  "opted_out",
  "failed",
  "skipped",
  "expired",
  "unknown",
] as const;

export const mediaUrls = (description: string, bounds: { minItems?: number } = {}) =>
  Type.Array(Type.String({ maxLength: 2000 }), { ...bounds, maxItems: 10, description });

/** Leads of a new campaign. */
export const newLeads = Type.Optional(
  Type.Array(ContactInput, {
    maxItems: MAX_LEADS,
    description:
      "Required, unless list_id or from_campaign is given. Of leads with one number the first is taken; 400 if nobody can be contacted",
  }),
);

/** Leads of the request that were not taken. */
export const leftOut = leftOutOf(
  "Leads of the request that are left out, in its order; later: GET leads?status=invalid",
  "invalid_number, own_number (of the campaign) or duplicate",
);

/** Leads that are stored already, in place of those in the body or beside them. As they are when the request comes. */
export const storedLeads = {
  list_id: Type.Optional(id("list of contacts, whose contacts are taken too")),
  from_campaign: Type.Optional(
    Type.Object(
      {
        campaign_id: id("campaign, of texts or of calls"),
        status: Type.Optional(oneOf(RECIPIENT_STATES, "Only its recipients of this status")),
        reason: Type.Optional(Type.String({ maxLength: 100, description: "Only those with this reason" })),
      },
      { description: "Recipients of an earlier campaign are taken too" },
    ),
  ),
};

export const Campaign = named("Campaign", {
  campaign_id: Type.String(),
  campaign_name: nullable(Type.String()),
  organization_id: Type.String(),
  user_id: Type.String(),
  sms_agent_id: Type.String(),
  agent_version: Type.Integer(),
  svc_sms_number: Type.String(),
  status: Type.String({ description: "processing, active, paused, completed or deleted" }),
  details: Type.Object({ total_contacts: Type.Integer(), voice_transfer_enabled: Type.Boolean() }),
  objective: nullable(Type.String()),
  media_urls: mediaUrls("Pictures that go with the first text"),
  calling_window: nullable(CallingWindow),
  voice_agent_id: nullable(
    Type.String({ description: "Who calls when a contact asks for a call; with outbound_number" }),
  ),
  outbound_number: nullable(Type.String()),
  contacts_count: Type.Integer({ description: "Contacts in it" }),
  recipients: Type.Record(Type.String(), Type.Integer(), { description: "By status" }),
  counts: former("recipients", Type.Record(Type.String(), Type.Integer())),
  pending_messages: Type.Integer({ description: "Starting messages and drips that are still to leave" }),
  rate_per_second: nullable(
    Type.Number({
      description: "Texts a second that the sender may send, its 10DLC campaign included; null: no limit",
    }),
  ),
  eta: nullable(timestamp()),
  waiting_because: nullable(
    Type.String({
      description:
        "paused, not_begun, sending_stopped, spend_limit, calling_hours, brand_daily_budget, campaign_daily_budget, fair_share, or another reason that holds most " +
        "recipients, such as reassigned_unchecked; null where they wait for their turn only; provider_failing while the carrier " +
        "refuses what this number sends; carrier_account_suspended, carrier_key_refused or carrier_sender_refused where it was paused " +
        "for that, until it is resumed",
    }),
  ),
  campaign_begin_time: nullable(timestamp()),
  campaign_end_time: nullable(timestamp()),
  created_at: timestamp(),
  completed_at: nullable(timestamp()),
});

export const createCampaign = operation({
  id: "createCampaign",
  method: "POST",
  path: "/v1/campaigns",
  tag,
  summary: "Create an SMS campaign and start sending",
  scope: "send",
  bulk: true,
  bodyLimit: BULK_BODY_LIMIT,
  body: Type.Object({
    campaign_id: Type.Optional(campaignId()),
    campaign_name: text(200),
    organization_id: id("organization"),
    user_id: id("user"),
    sms_agent_id: id("SMS agent"),
    svc_sms_number: phone(),
    contacts: newLeads,
    ...storedLeads,
    enable_sms_to_voice: Type.Optional(Type.Boolean()),
    voice_agent_id: Type.Optional(id("voice agent")),
    outbound_number: Type.Optional(phone()),
    objective: Type.Optional(freeText(2_000)),
    media_urls: Type.Optional(
      mediaUrls(
        "Addresses (https) of pictures that go with the first text (MMS): the carrier fetches them for each contact. {{media_url}} stands for the address in the contact's own field of that name; who has none gets the others. Only from a number that can send them",
      ),
    ),
    campaign_begin_time: Type.Optional(instant("When sending begins; default and past: now")),
    campaign_end_time: Type.Optional(instant("Who waits at this time expires")),
    calling_window: Type.Optional(CallingWindow),
    tenant_id: tenantId(),
  }),
  errors: ["sms_not_enabled", "voice_not_enabled"],
  status: 202,
  response: Type.Object({
    campaign_id: Type.String(),
    status: Type.String(),
    details: Type.Object({
      total_contacts: Type.Integer(),
      voice_transfer_enabled: Type.Boolean(),
      contacts_skipped: Type.Integer(),
    }),
    left_out: leftOut,
  }),
});

export const addLeads = operation({
  id: "addCampaignLeads",
  method: "POST",
  path: "/v1/campaigns/:campaign_id/leads",
  tag,
  summary: "Add leads to a running campaign",
  scope: "send",
  bulk: true,
  bodyLimit: BULK_BODY_LIMIT,
  params,
  body: Type.Object({
    clients: Type.Array(ContactInput, { maxItems: MAX_LEADS }),
    ...storedLeads,
    tenant_id: tenantId(),
  }),
  status: 202,
  response: Type.Object({
    message: Type.String(),
    campaign_id: Type.String(),
    details: Type.Object({
      leads_added: Type.Integer(),
      leads_skipped: Type.Integer({ description: "Those in left_out, and those that the campaign has already" }),
      drips_scheduled: Type.Integer(),
    }),
    left_out: leftOut,
  }),
});

export const listCampaigns = operation({
  id: "listCampaigns",
  method: "GET",
  path: "/v1/campaigns",
  tag,
  summary: "List an organization's SMS campaigns, newest first",
  scope: "read",
  replica: true,
  query: Type.Object({
    organization_id: id("organization"),
    status: Type.Optional(
      Type.Union([
        Type.Literal("processing"),
        Type.Literal("active"),
        Type.Literal("paused"),
        Type.Literal("completed"),
      ]),
    ),
    tenant_id: tenantId(),
    ...paging,
  }),
  status: 200,
  response: page("campaigns", Campaign),
});

export const getCampaign = operation({
  id: "getCampaign",
  method: "GET",
  path: "/v1/campaigns/:campaign_id",
  tag,
  summary: "Get an SMS campaign with its counts",
  scope: "read",
  params,
  status: 200,
  response: Type.Object({ campaign: Campaign }),
});

/** What may be changed of a campaign that has not begun, or that is paused; its name at any time. Null clears. */
export const changes = {
  campaign_name: Type.Optional(text(200)),
  objective: Type.Optional(nullable(freeText(2_000))),
  campaign_begin_time: Type.Optional(instant("A later begin, while it has not begun")),
  campaign_end_time: Type.Optional(instant("Who waits at this time expires; not in the past")),
  calling_window: Type.Optional(nullable(CallingWindow)),
  tenant_id: tenantId(),
};

export const updateCampaign = operation({
  id: "updateCampaign",
  method: "PATCH",
  path: "/v1/campaigns/:campaign_id",
  tag,
  summary: "Change the given fields of a campaign that has not begun or is paused; its name at any time",
  scope: "send",
  params,
  body: Type.Object({
    ...changes,
    media_urls: Type.Optional(nullable(mediaUrls("Pictures of the first texts that are still to leave"))),
    sms_agent_id: Type.Optional(
      id("SMS agent, in its newest version. What waits has its texts and days of follow-ups; what has left stays"),
    ),
  }),
  status: 200,
  response: Type.Object({ campaign: Campaign }),
});

const control = (verb: "pause" | "resume") =>
  operation({
    id: `${verb}Campaign`,
    method: "POST",
    path: `/v1/campaigns/:campaign_id/${verb}`,
    tag,
    summary: verb === "pause" ? "Pause: nothing leaves after the answer" : "Resume a paused campaign",
    scope: "send",
    params,
    status: 200,
    response: Type.Object({ campaign: Campaign }),
  });
export const pauseCampaign = control("pause");
export const resumeCampaign = control("resume");

export const deleteCampaign = operation({
  id: "deleteCampaign",
  method: "DELETE",
  path: "/v1/campaigns/:campaign_id",
  tag,
  summary: "Delete: nothing leaves after the answer; its records stay",
  scope: "send",
  params,
  status: 200,
  response: Type.Object({ campaign_id: Type.String(), status: Type.String() }),
});

const onlyLeftOut = (description: string) => Type.Optional(nullable(Type.Integer({ description })));

/** What recipients of both kinds have, and leads that were left out. */
export const recipientFields = {
  unique_id: nullable(Type.String({ description: "Of the contact; null for a lead that was left out" })),
  phone_number: nullable(Type.String({ description: "Of a lead that was left out perhaps no number, or null" })),
  status: Type.String({
    description: "Of the recipient; a field of the contact's own that is named so is in the contact alone",
  }),
  state: former("status", Type.String()),
  contact_state: nullable(
    Type.String({ description: "The contact's own `state`, as in NY, for which there is no room" }),
  ),
  reason: nullable(Type.String()),
  outcome: nullable(Type.String()),
  index: onlyLeftOut("With status invalid: its place in the request's array"),
  error: Type.Optional(Type.String({ description: "With status invalid: the reason in words" })),
  duplicate_of: onlyLeftOut("With status invalid: the index of the first lead with this number, which was taken"),
};

export const Lead = Type.Object(
  {
    ...recipientFields,
    thread_id: nullable(Type.String({ description: "null for a lead that was left out" })),
  },
  { title: "Lead", additionalProperties: true },
);

/** How many recipients are in a state for one reason. */
export const ReasonCount = named("ReasonCount", {
  status: Type.String({
    description: "Of the recipients: failed, skipped, held, expired ...; invalid: of leads that were left out",
  }),
  state: former("status", Type.String()),
  reason: Type.String(),
  recipients: Type.Integer(),
});

export const countCampaignReasons = operation({
  id: "countCampaignReasons",
  method: "GET",
  path: "/v1/campaigns/:campaign_id/reasons",
  tag,
  summary: "Why recipients failed, were left out or wait: how many by status and reason, the most first",
  scope: "read",
  replica: true,
  load: "list",
  params,
  status: 200,
  response: Type.Object({ campaign_id: Type.String(), reasons: Type.Array(ReasonCount, { maxItems: 100 }) }),
});

/** What a campaign's recipients are chosen by. */
export const recipientFilters = {
  status: Type.Optional(
    oneOf([...RECIPIENT_STATES, "invalid"], "invalid: the leads that were left out, which are no recipients"),
  ),
  reason: Type.Optional(Type.String({ maxLength: 100, description: "Reason code, as recipients have it" })),
  phone_number: Type.Optional(phone()),
};

export const listCampaignLeads = operation({
  id: "listCampaignLeads",
  method: "GET",
  path: "/v1/campaigns/:campaign_id/leads",
  tag,
  summary: "List a campaign's recipients with their status, newest first",
  scope: "read",
  replica: true,
  params,
  query: Type.Object({ ...recipientFilters, ...paging }),
  status: 200,
  response: page("leads", Lead),
});
