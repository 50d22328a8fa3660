import { Type } from "typebox";
import { ContactInput, MAX_LEADS } from "#contract/contacts/contacts.ts";
import { former } from "#contract/values/names.ts";
import { operation } from "#contract/values/operation.ts";
import {
  freeText,
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
import {
  BULK_BODY_LIMIT,
  CallingWindow,
  campaignId,
  changes,
  leftOut,
  newLeads,
  params,
  ReasonCount,
  recipientFields,
  recipientFilters,
  storedLeads,
} from "./campaigns.ts";

const tag = "Voice campaigns";
/** Numbers that a campaign calls from in rotation: past some hundred, each would be used too seldom to be known. */
const MAX_NUMBERS = 100;

const RedialConfig = named("RedialConfig", {
  max_attempts: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 10, default: 3, description: "Calls to one contact, the first included" }),
  ),
  retry_delay_minutes: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_080, default: 60 })),
  retry_on: Type.Optional(
    Type.Array(
      Type.Union([Type.Literal("no_answer"), Type.Literal("busy"), Type.Literal("failed"), Type.Literal("voicemail")]),
      { maxItems: 4, description: "Default: no_answer, busy and failed" },
    ),
  ),
});

export const VoiceCampaign = named("VoiceCampaign", {
  id: former("campaign_id", Type.String()),
  campaign_id: Type.String(),
  name: former("campaign_name", nullable(Type.String())),
  campaign_name: nullable(Type.String()),
  organization_id: Type.String(),
  user_id: Type.String(),
  voice_agent_id: Type.String(),
  agent_version: Type.Integer(),
  agent_outbound_number: Type.String(),
  agent_outbound_numbers: Type.Array(Type.String(), {
    description: "All that it calls from: one that does not rest, of the contact's area code, the least used",
  }),
  max_concurrent_calls: Type.Integer(),
  calls_per_second: Type.Number(),
  objective: nullable(Type.String()),
  calling_window: nullable(CallingWindow),
  status: Type.String({ description: "scheduled, running, paused or completed" }),
  contacts_count: Type.Integer(),
  counts: Type.Record(Type.String(), Type.Integer(), {
    description: "Calls by outcome: connected, voicemail, no_answer, busy, declined, failed",
  }),
  recipients: Type.Record(Type.String(), Type.Integer(), { description: "By status" }),
  leads: former("recipients", Type.Record(Type.String(), Type.Integer())),
  pending_calls: Type.Integer({ description: "Calls that are planned or going on" }),
  calls_in_progress: Type.Integer(),
  redial_enabled: Type.Boolean(),
  redial_config: nullable(RedialConfig),
  waiting_because: nullable(
    Type.String({
      description:
        "paused, not_begun, sending_stopped, spend_limit, calling_hours, provider_failing, numbers_resting, abandonment, or another reason that holds most recipients, such as call_in_progress; " +
        "carrier_key_refused where it was paused for that, until it is resumed",
    }),
  ),
  campaign_begin_time: timestamp(),
  campaign_end_time: timestamp(),
  created_at: timestamp(),
  completed_at: nullable(timestamp()),
});

export const createVoiceCampaign = operation({
  id: "createVoiceCampaign",
  method: "POST",
  path: "/v1/voice/campaigns",
  tag,
  summary: "Create a voice campaign and start calling",
  scope: "send",
  bulk: true,
  bodyLimit: BULK_BODY_LIMIT,
  body: Type.Object({
    leads: newLeads,
    ...storedLeads,
    voice_agent_id: id("voice agent"),
    agent_outbound_number: phone(),
    agent_outbound_numbers: Type.Optional(
      Type.Array(phone(), { maxItems: MAX_NUMBERS, description: "More numbers to call from, in rotation" }),
    ),
    campaign_id: Type.Optional(campaignId()),
    campaign_name: Type.Optional(text(200)),
    organization_id: Type.Optional(id("organization; the agent's by default")),
    user_id: Type.Optional(id("user; the agent's by default")),
    objective: Type.Optional(freeText(2_000)),
    campaign_begin_time: Type.Optional(instant("When calling begins; default and past: now")),
    campaign_end_time: Type.Optional(instant("Who waits at this time expires; default: 7 days after the begin")),
    calling_window: Type.Optional(CallingWindow),
    redial_enabled: Type.Optional(Type.Boolean({ default: false })),
    redial_config: Type.Optional(RedialConfig),
    max_concurrent_calls: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, default: 100 })),
    calls_per_second: Type.Optional(Type.Number({ minimum: 0.01, maximum: 1_000, default: 10 })),
    tenant_id: tenantId(),
  }),
  errors: ["voice_not_enabled"],
  status: 202,
  response: Type.Object({
    campaign_id: Type.String(),
    contacts_count: Type.Integer(),
    invalid_leads_count: Type.Integer(),
    without_voice_consent_count: nullable(
      Type.Integer({
        description: "Contacts without a written consent to calls on record, which an AI voice needs to sell something",
      }),
    ),
    campaign_begin_time: timestamp(),
    campaign_end_time: timestamp(),
    message: Type.String({
      description:
        "How many will be called, and how many will not by which rule (do_not_call, never_open ...); of over 5,000 contacts a preflight says it",
    }),
    left_out: leftOut,
  }),
});

export const addVoiceLeads = operation({
  id: "addVoiceCampaignLeads",
  method: "POST",
  path: "/v1/voice/campaigns/:campaign_id/leads",
  tag,
  summary: "Add leads to a voice campaign, or bring back those that expired",
  scope: "send",
  bulk: true,
  bodyLimit: BULK_BODY_LIMIT,
  params,
  body: Type.Object({
    leads: Type.Array(ContactInput, { maxItems: MAX_LEADS }),
    ...storedLeads,
    campaign_end_time: Type.Optional(instant("A later end, for leads that the old one has cut off")),
    tenant_id: tenantId(),
  }),
  status: 202,
  response: Type.Object({
    message: Type.String(),
    campaign_id: Type.String(),
    details: Type.Object({
      leads_added: Type.Integer(),
      leads_requeued: Type.Integer({ description: "Had expired, and are to be called after all" }),
      leads_skipped: Type.Integer({ description: "Those in left_out, and those that the campaign has already" }),
    }),
    left_out: leftOut,
  }),
});

export const listVoiceCampaigns = operation({
  id: "listVoiceCampaigns",
  method: "GET",
  path: "/v1/voice/campaigns",
  tag,
  summary: "List an organization's voice campaigns, newest first",
  scope: "read",
  replica: true,
  query: Type.Object({
    organization_id: id("organization"),
    status: Type.Optional(
      Type.Union([
        Type.Literal("scheduled"),
        Type.Literal("running"),
        Type.Literal("paused"),
        Type.Literal("completed"),
      ]),
    ),
    tenant_id: tenantId(),
    ...paging,
  }),
  status: 200,
  response: page("campaigns", VoiceCampaign),
});

export const getVoiceCampaign = operation({
  id: "getVoiceCampaign",
  method: "GET",
  path: "/v1/voice/campaigns/:campaign_id",
  tag,
  summary: "Get a voice campaign with its counts",
  scope: "read",
  params,
  status: 200,
  response: Type.Object({ campaign: VoiceCampaign }),
});

export const updateVoiceCampaign = operation({
  id: "updateVoiceCampaign",
  method: "PATCH",
  path: "/v1/voice/campaigns/:campaign_id",
  tag,
  summary: "Change the given fields of a voice campaign that has not begun or is paused; its name at any time",
  scope: "send",
  params,
  body: Type.Object({
    ...changes,
    voice_agent_id: Type.Optional(id("voice agent, in its newest version, for all calls that wait")),
    agent_outbound_number: Type.Optional(phone()),
    agent_outbound_numbers: Type.Optional(
      Type.Array(phone(), { maxItems: MAX_NUMBERS, description: "In place of those beside the default number" }),
    ),
    redial_enabled: Type.Optional(Type.Boolean({ description: "false: redials that wait are withdrawn" })),
    redial_config: Type.Optional(RedialConfig),
    max_concurrent_calls: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
    calls_per_second: Type.Optional(Type.Number({ minimum: 0.01, maximum: 1_000 })),
  }),
  status: 200,
  response: Type.Object({ campaign: VoiceCampaign }),
});

const control = (verb: "pause" | "resume") =>
  operation({
    id: `${verb}VoiceCampaign`,
    method: "POST",
    path: `/v1/voice/campaigns/:campaign_id/${verb}`,
    tag,
    summary: verb === "pause" ? "Pause: nobody is dialled after the answer" : "Resume a paused voice campaign",
    scope: "send",
    params,
    status: 200,
    response: Type.Object({ campaign: VoiceCampaign }),
  });
export const pauseVoiceCampaign = control("pause");
export const resumeVoiceCampaign = control("resume");

export const deleteVoiceCampaign = operation({
  id: "deleteVoiceCampaign",
  method: "DELETE",
  path: "/v1/voice/campaigns/:campaign_id",
  tag,
  summary: "Delete: nobody is dialled after the answer, calls in progress finish, records stay",
  scope: "send",
  params,
  status: 200,
  response: Type.Object({ campaign_id: Type.String(), calls_cancelled: Type.Integer() }),
});

export const stopVoiceCampaignCalls = operation({
  id: "stopVoiceCampaignCalls",
  method: "POST",
  path: "/v1/voice/campaigns/:campaign_id/stop-calls",
  tag,
  summary: "Stop all: pause, and hang up every call of the campaign that goes on",
  scope: "send",
  params,
  status: 200,
  response: Type.Object({ campaign: VoiceCampaign, calls_stopped: Type.Integer() }),
});

export const countVoiceCampaignReasons = operation({
  id: "countVoiceCampaignReasons",
  method: "GET",
  path: "/v1/voice/campaigns/:campaign_id/reasons",
  tag,
  summary: "Why recipients were not reached, were left out or wait: how many by status and reason, the most first",
  scope: "read",
  replica: true,
  load: "list",
  params,
  status: 200,
  response: Type.Object({ campaign_id: Type.String(), reasons: Type.Array(ReasonCount, { maxItems: 100 }) }),
});

export const resolveUnknownCall = operation({
  id: "resolveUnknownCall",
  method: "POST",
  path: "/v1/voice/campaigns/:campaign_id/leads/:lead_id/resolve",
  tag,
  summary: "Decide about an `unknown` lead: call it again, so that its phone may ring twice, or give it up",
  scope: "send",
  params: Type.Object({ campaign_id: id("campaign"), lead_id: id("contact") }),
  body: Type.Object({
    action: Type.Union([Type.Literal("redial"), Type.Literal("give_up")]),
    tenant_id: tenantId(),
  }),
  status: 202,
  response: Type.Object({ campaign_id: Type.String(), lead_id: Type.String(), action: Type.String() }),
});

const Lead = Type.Object(
  {
    ...recipientFields,
    status: Type.String({ description: "Of the recipient; sending while a call to it goes on" }),
    outcome: nullable(Type.String({ description: "How the last call ended" })),
    call_scheduled_time: nullable(timestamp()),
  },
  { title: "VoiceLead", additionalProperties: true },
);

export const listVoiceCampaignLeads = operation({
  id: "listVoiceCampaignLeads",
  method: "GET",
  path: "/v1/voice/campaigns/:campaign_id/leads",
  tag,
  summary: "List a voice campaign's recipients with their states, newest first",
  scope: "read",
  replica: true,
  params,
  query: Type.Object({ ...recipientFilters, ...paging }),
  status: 200,
  response: page("leads", Lead),
});
