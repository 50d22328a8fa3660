import { Type } from "typebox";
import { operation } from "#contract/values/operation.ts";
import { id, named, nullable, timestamp } from "#contract/values/shapes.ts";
import { BULK_BODY_LIMIT, createCampaign, leftOut } from "./campaigns.ts";
import { createVoiceCampaign } from "./voice-campaigns.ts";

const tag = "SMS campaigns";
const counts = (description: string) => Type.Record(Type.String(), Type.Integer(), { description });

const hours = (begin: string) =>
  Type.Object({
    open_now: Type.Integer({ description: begin }),
    held: Type.Array(Type.Object({ rule: Type.String(), opens_at: nullable(timestamp()), recipients: Type.Integer() })),
  });
const zones = Type.Array(
  Type.Object({
    time_zones: Type.Array(Type.String(), { description: "Where they may be; the hours must hold in each" }),
    recipients: Type.Integer(),
    open_now: Type.Integer(),
    opens_at: nullable(timestamp()),
  }),
);

export const Preflight = named("Preflight", {
  recipients: Type.Object({ total: Type.Integer(), will_be_texted: Type.Integer(), skipped: Type.Integer() }),
  skips: counts(
    "Recipients that no text would go to, by reason: invalid_number, duplicate, or the rule that forbids it",
  ),
  missing_variables: counts("Recipients that lack a field which a template asks for without a fallback, by field"),
  texts: Type.Object({ starting_messages: Type.Integer(), drips: Type.Integer() }),
  segments: Type.Object({ starting_messages: Type.Integer(), drips: Type.Integer(), total: Type.Integer() }),
  cost: Type.Object({
    amount: Type.String({ description: "In `currency`, of all segments" }),
    currency: Type.String({ description: "ISO 4217, such as USD" }),
    price_per_segment: Type.String({ description: "In `currency`" }),
    price_per_picture_text: nullable(
      Type.String({
        description: "In `currency`: of each first text, which takes pictures along; null where none does",
      }),
    ),
  }),
  hours: hours("Recipients who may be texted at the campaign's begin"),
  zones,
  lines: Type.Object(
    { known: Type.Integer(), landlines: Type.Integer() },
    {
      description:
        "Of those who will be texted: whose line was looked up, and who has a landline, which takes no texts",
    },
  ),
  sender: Type.Object({
    svc_sms_number: Type.String(),
    rate_per_second: nullable(Type.Number({ description: "null: no limit" })),
    ten_dlc_campaign_id: nullable(Type.String()),
    brand_id: nullable(Type.String()),
    segments_left_today: nullable(Type.Integer({ description: "For outreach, until midnight Pacific" })),
    segments_per_day: nullable(Type.Integer()),
    first_hour_texts: nullable(
      Type.Integer({
        description:
          "Campaign texts in its first hour with a real carrier, a tenth of them at once; null: no such hour",
      }),
    ),
  }),
  forecast: Type.Object({
    starts_at: timestamp(),
    starting_messages_finish_at: nullable(timestamp()),
    finish_at: nullable(
      Type.String({ format: "date-time", description: "With the last drip; null: never, or nobody" }),
    ),
    limited_by: nullable(
      Type.String({
        description:
          "What takes longest: calling_hours, rate, spend_limit, first_hour (of a number that is new with a real carrier), or a budget's rule",
      }),
    ),
  }),
  warnings: Type.Array(Type.String()),
  samples: Type.Array(
    Type.Object({
      phone_number: Type.String(),
      text: Type.String(),
      segments: Type.Integer(),
      opens_at: nullable(timestamp()),
    }),
    { description: "At most 20, evenly spread" },
  ),
});

export const preflightNewCampaign = operation({
  id: "preflightNewCampaign",
  method: "POST",
  path: "/v1/campaigns/preflight",
  tag,
  summary: "What creating a campaign with this body would do; sends and stores nothing",
  scope: "read",
  bulk: true,
  bodyLimit: BULK_BODY_LIMIT,
  body: createCampaign.body!,
  errors: ["sms_not_enabled", "voice_not_enabled"],
  status: 200,
  response: Type.Object({ preflight: Preflight, left_out: leftOut }),
});

export const preflightCampaign = operation({
  id: "preflightCampaign",
  method: "POST",
  path: "/v1/campaigns/:campaign_id/preflight",
  tag,
  summary: "What is still ahead of a campaign's waiting recipients; sends and changes nothing",
  scope: "read",
  params: Type.Object({ campaign_id: id("campaign") }),
  load: "bulk",
  errors: ["sms_not_enabled", "voice_not_enabled"],
  status: 200,
  response: Type.Object({ preflight: Preflight }),
});

export const CallPreflight = named("CallPreflight", {
  recipients: Type.Object({ total: Type.Integer(), will_be_called: Type.Integer(), skipped: Type.Integer() }),
  skips: counts("Recipients that nobody would call, by reason: invalid_number, duplicate, or the rule that forbids it"),
  hours: hours("Recipients who may be called at the campaign's begin"),
  zones,
  pace: Type.Object({
    numbers: Type.Array(Type.String(), { description: "Called from in rotation, but for those that rest" }),
    resting: Type.Array(Type.Object({ phone_number: Type.String(), resting_until: timestamp() }), {
      description: "Those of them that rest when it begins: no campaign calls from them until then",
    }),
    calls_per_second: Type.Number(),
    max_concurrent_calls: Type.Integer(),
  }),
  forecast: Type.Object({
    starts_at: timestamp(),
    first_calls_finish_at: nullable(
      Type.String({
        format: "date-time",
        description:
          "When the last is dialled for the first time, by hours, pace and numbers that rest; null: never, or nobody",
      }),
    ),
    limited_by: nullable(Type.String({ description: "What takes longest: calling_hours or rate" })),
  }),
  voice_consent: Type.Object({
    missing: Type.Integer({ description: "Of those who will be called: no written consent to calls is on record" }),
    law: Type.String({ description: "By which an AI voice needs one to sell something" }),
  }),
  warnings: Type.Array(
    Type.String({
      description:
        "nobody_to_call, ai_voice_consent, organization_not_named, numbers_resting (some), all_numbers_resting (it begins once the first is awake), held_without_end or ends_before_it_is_done",
    }),
  ),
});

export const preflightNewVoiceCampaign = operation({
  id: "preflightNewVoiceCampaign",
  method: "POST",
  path: "/v1/voice/campaigns/preflight",
  tag: "Voice campaigns",
  summary: "What creating a voice campaign with this body would do; calls nobody and stores nothing",
  scope: "read",
  bulk: true,
  bodyLimit: BULK_BODY_LIMIT,
  body: createVoiceCampaign.body!,
  errors: ["voice_not_enabled"],
  status: 200,
  response: Type.Object({ preflight: CallPreflight, left_out: leftOut }),
});
