import { Type } from "typebox";
import { operation } from "#contract/values/operation.ts";
import { id, named, nullable, page, paging, tenantId, timestamp } from "#contract/values/shapes.ts";

const tag = "Analytics";
const params = Type.Object({ campaign_id: id("campaign") });
const query = Type.Object({ tenant_id: tenantId() });

const rate = (of: string) => Type.Number({ description: `0 to 1, of ${of}; 0 where there are none` });
const dollars = () => Type.String({ description: "US dollars" });

const callCounts = {
  calls: Type.Integer({ description: "That are over" }),
  connected: Type.Integer(),
  voicemail: Type.Integer(),
  failed: Type.Integer(),
};

export const CallAnalytics = named("CallAnalytics", {
  ...callCounts,
  ongoing: Type.Integer({ description: "Calls that are dialled or spoken now: not among the others" }),
  successful: Type.Integer(),
  answer_rate: rate("the calls that are over: a person was spoken with"),
  voicemail_rate: rate("the calls that are over"),
  fail_rate: rate("the calls that are over"),
  success_rate: rate("the connected calls"),
  duration_ms: Type.Object(
    {
      avg: Type.Integer({ description: "Of connected calls, as the two beside it" }),
      p50: Type.Integer(),
      p95: Type.Integer(),
      total: Type.Integer({ description: "Of all calls that are over: those that a voicemail took, too" }),
    },
    { description: "From the answer to the end, in milliseconds; ringing is in none of them" },
  ),
  sentiment: Type.Object({
    Positive: Type.Integer(),
    Negative: Type.Integer(),
    Neutral: Type.Integer(),
    Unknown: Type.Integer(),
  }),
  disconnection_reasons: Type.Record(Type.String(), Type.Integer()),
  cost: dollars(),
  by_hour: Type.Array(
    Type.Object({ hour: timestamp(), ...callCounts, duration_ms: Type.Integer(), successful: Type.Integer() }),
    { description: "By the UTC hour in which calls began, oldest first; hours without a call are left out" },
  ),
});

export const getVoiceCampaignAnalytics = operation({
  id: "getVoiceCampaignAnalytics",
  method: "GET",
  path: "/v1/voice/campaigns/:campaign_id/analytics",
  tag,
  summary: "What a voice campaign's calls came to",
  scope: "read",
  replica: true,
  load: "list",
  params,
  query,
  status: 200,
  response: Type.Object({ campaign_id: Type.String(), analytics: CallAnalytics }),
});

export const FailedNumber = named("FailedNumber", {
  phone_number: Type.String(),
  lead_id: Type.String(),
  contact_name: nullable(Type.String({ description: "First and last name; null of a contact without" })),
  reason: Type.String({
    description: "no_answer, busy, declined or failed; or why it was not called: the rule, expired, opted_out ...",
  }),
  disconnection_reason: nullable(Type.String({ description: "Of the last call" })),
  attempts: Type.Integer(),
  last_attempt_at: nullable(timestamp()),
  next_attempt_at: nullable(timestamp()),
});

export const listFailedNumbers = operation({
  id: "listFailedNumbers",
  method: "GET",
  path: "/v1/voice/campaigns/:campaign_id/failed-numbers",
  tag,
  summary: "List a voice campaign's recipients that were not reached, newest first",
  scope: "read",
  replica: true,
  params,
  query: Type.Object({ tenant_id: tenantId(), ...paging }),
  status: 200,
  response: Type.Object({ campaign_id: Type.String(), ...page("failed_numbers", FailedNumber).properties }),
});

const textCounts = {
  sent: Type.Integer({ description: "Texts that left" }),
  delivered: Type.Integer(),
  failed: Type.Integer(),
  received: Type.Integer({ description: "Texts of the contacts" }),
};

export const TextAnalytics = named("TextAnalytics", {
  recipients: Type.Record(Type.String(), Type.Integer(), { description: "By status" }),
  contacted: Type.Integer({ description: "Recipients to whom a text has left" }),
  replied: Type.Integer({ description: "Of those, who wrote back" }),
  opted_out: Type.Integer({ description: "Of those, who have unsubscribed" }),
  ...textCounts,
  segments: Type.Integer(),
  delivery_rate: rate("the texts that left"),
  fail_rate: rate("the texts that left"),
  reply_rate: rate("the contacted"),
  opt_out_rate: rate("the contacted"),
  cost: Type.String({ description: "US dollars: `text_cost` and `call_cost` together" }),
  text_cost: dollars(),
  call_cost: Type.String({ description: "US dollars, of the analysed calls that contacts asked for" }),
  by_hour: Type.Array(Type.Object({ hour: timestamp(), ...textCounts }), {
    description: "By the UTC hour in which texts left or came, oldest first; hours without one are left out",
  }),
});

export const getCampaignAnalytics = operation({
  id: "getCampaignAnalytics",
  method: "GET",
  path: "/v1/campaigns/:campaign_id/analytics",
  tag,
  summary: "What an SMS campaign's texts came to",
  scope: "read",
  replica: true,
  load: "list",
  params,
  query,
  status: 200,
  response: Type.Object({ campaign_id: Type.String(), analytics: TextAnalytics }),
});
