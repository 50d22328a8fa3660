import { Type } from "typebox";
import { ContactInput } from "#contract/contacts/contacts.ts";
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

const tag = "Calls";

const choice = <const T extends string>(...values: T[]) => Type.Union(values.map((value) => Type.Literal(value)));

const Fields = Type.Record(Type.String(), Type.Unknown(), { description: "By the agent's extraction_fields" });

/** A call as the listing of its campaign has it: to the letter of the interface, the contact's name, and what it came to. */
export const CampaignCall = named("CampaignCall", {
  call_id: Type.String(),
  to_number: Type.String(),
  from_number: Type.String(),
  call_successful: Type.Boolean(),
  in_voicemail: Type.Boolean(),
  call_status: Type.String({
    description: "registered (it waits, or its phone rings), ongoing, ended, not_connected or error",
  }),
  call_result: nullable(
    Type.String({
      description:
        "What it came to: talked, nothing_said (somebody answered and said nothing), voicemail, full_mailbox, ivr, call_screening, no_answer, busy, declined or failed; connected where what was said is erased. Null while it goes on, and where it was never dialled",
    }),
  ),
  user_sentiment: Type.String({ description: "Positive, Negative, Neutral or Unknown" }),
  call_duration_ms: Type.Integer({
    description: "From the answer to the end, without the ringing; 0 where nobody answered",
  }),
  start_timestamp: timestamp(),
  end_timestamp: nullable(timestamp()),
  transcript: Type.String(),
  extracted_fields: Fields,
  contact_name: nullable(Type.String({ description: "First and last name; null of a contact without" })),
});

const Cost = Type.Record(Type.String(), Type.String(), {
  description: "US dollars: `total`, and of it `carrier`, `transcription`, `voice`, `model`",
});

/** Further fields of every other answer about a call. */
const more = {
  direction: Type.String({ description: "outbound or inbound" }),
  purpose: Type.String({ description: "call, redial, callback, transfer or single" }),
  campaign_id: nullable(Type.String()),
  organization_id: Type.String(),
  user_id: nullable(Type.String()),
  agent_id: Type.String(),
  agent_version: Type.Integer(),
  lead_id: nullable(Type.String()),
  agent_name: nullable(Type.String({ description: "As it was called in the version that held the call" })),
  campaign_name: nullable(Type.String()),
  answered_by: nullable(Type.String({ description: "human, voicemail, full_mailbox, ivr, call_screening or unknown" })),
  disconnection_reason: nullable(Type.String()),
  scheduled_for: nullable(
    Type.String({ format: "date-time", description: "Of a single call that waits: when it is looked at next" }),
  ),
  waiting_because: nullable(
    Type.String({ description: "The rule that holds a single call, or why it was never dialled" }),
  ),
  summary: nullable(Type.String()),
  recording_url: nullable(Type.String({ description: "Opens without an API key, for some minutes" })),
  cost: nullable(Cost),
};

export const ListedCall = named("ListedCall", { ...CampaignCall.properties, ...more });

const Word = named("SpokenWord", {
  word: Type.String(),
  start: Type.Number({ description: "Seconds since the answer" }),
  end: Type.Number({ description: "Seconds since the answer" }),
});

const milliseconds = () => Type.Number({ description: "Milliseconds" });

const Stage = named("LatencyFigures", {
  p50: milliseconds(),
  p90: milliseconds(),
  p95: milliseconds(),
  p99: milliseconds(),
  min: milliseconds(),
  max: milliseconds(),
  num: Type.Integer({ description: "Answers measured" }),
  values: Type.Array(milliseconds()),
});

/** How long each answer took. */
export const Turns = Type.Array(
  Type.Object({
    at_ms: Type.Number({ description: "When the contact had stopped speaking, since the answer" }),
    endpointing_ms: Type.Optional(milliseconds()),
    asr_ms: Type.Optional(milliseconds()),
    llm_ms: Type.Optional(milliseconds()),
    tts_ms: Type.Optional(milliseconds()),
    e2e_ms: Type.Number(),
  }),
);

export const Call = named("Call", {
  ...ListedCall.properties,
  dialed_at: nullable(timestamp()),
  answered_at: nullable(timestamp()),
  stop_requested_at: nullable(timestamp()),
  voicemail_left: Type.Boolean(),
  carrier: Type.String(),
  carrier_code: nullable(Type.String({ description: "The carrier's own code, such as a SIP status" })),
  carrier_cause: nullable(
    Type.String({ description: "What the carrier's code means, in words, with what the carrier said besides" }),
  ),
  caller_attestation: nullable(
    Type.Object({
      level: nullable(Type.String({ description: "A, B or C; null where the carrier does not say" })),
      verdict: nullable(
        Type.String({
          description:
            "passed, failed or not_checked, as the carrier that brought the call says; null: the level is what the caller's carrier claims",
        }),
      ),
    }),
  ),
  recording_ms: nullable(Type.Integer()),
  recording_problem: nullable(
    Type.String({
      description:
        "missing, or length: more than 2 % longer or shorter than the call. Known half a minute after its end",
    }),
  ),
  speech_to_text: nullable(
    Type.String({
      description:
        "What transcribed the contact: a provider's name, offline, or handset: a simulated phone that reported its own words. Null of a call in words",
    }),
  ),
  codec: nullable(
    Type.String({
      description:
        "What carried the sound: pcmu, pcma, g722 or opus, the last one where it changed. Null of a simulated call, and of one that nobody answered",
    }),
  ),
  encrypted: nullable(
    Type.Boolean({ description: "Whether the sound was encrypted between us and the carrier, all of the time" }),
  ),
  transcript_object: Type.Array(
    Type.Object({
      role: choice("agent", "user"),
      content: Type.String(),
      words: Type.Array(Word),
      interrupted: Type.Boolean({ description: "The agent was interrupted: the words are what was played" }),
    }),
  ),
  latency: Type.Record(Type.String(), Stage, {
    description: "Milliseconds by stage: e2e, endpointing, asr, llm, tts",
  }),
  turns: Turns,
  evidence: Type.Record(Type.String(), Type.Unknown(), {
    description: "By field, what was said that it was taken from",
  }),
});

export const listCampaignCalls = operation({
  id: "listCampaignCalls",
  method: "GET",
  path: "/v1/voice/campaigns/:campaign_id/calls",
  tag,
  summary:
    "List a voice campaign's calls, newest first; filters come after the page is cut (in `GET /v1/voice/calls` before)",
  scope: "read",
  replica: true,
  params: Type.Object({ campaign_id: id("campaign") }),
  query: Type.Object({
    status: Type.Optional(choice("connected", "failed", "voicemail", "all")),
    sentiment: Type.Optional(choice("Positive", "Negative", "Neutral", "Unknown")),
    tenant_id: tenantId(),
    ...paging,
  }),
  status: 200,
  response: Type.Object({ campaign_id: Type.String(), ...page("calls", CampaignCall).properties }),
});

export const listCalls = operation({
  id: "listCalls",
  method: "GET",
  path: "/v1/voice/calls",
  tag,
  summary:
    "List an organization's calls of all kinds, single calls that wait or were never dialled too, newest first; every filter is applied before the page is cut",
  scope: "read",
  replica: true,
  query: Type.Object({
    organization_id: id("organization"),
    user_id: Type.Optional(id("user: their calls alone")),
    is_admin: Type.Optional(
      Type.Boolean({ description: "With a key of the scope `admin`: all calls, whatever `user_id` says" }),
    ),
    campaign_id: Type.Optional(id("campaign, of calls or of texts: its calls alone")),
    agent_id: Type.Optional(id("voice agent, by either of its ids: its calls alone")),
    phone_number: Type.Optional(
      Type.String({ minLength: 1, maxLength: 40, description: "The contact's: calls with it alone" }),
    ),
    phone_digits: Type.Optional(
      Type.String({
        pattern: "^[0-9]{2,15}$",
        description: "Digits that follow each other in the contact's number, such as its last four",
      }),
    ),
    own_number: Type.Optional(
      Type.String({ minLength: 1, maxLength: 40, description: "One of the organization's: calls from and to it" }),
    ),
    status: Type.Optional(choice("registered", "ongoing", "ended", "not_connected", "error")),
    outcome: Type.Optional(choice("connected", "voicemail", "failed")),
    sentiment: Type.Optional(choice("Positive", "Negative", "Neutral", "Unknown")),
    begin: Type.Optional(instant("Calls that began then or later")),
    end: Type.Optional(instant("Calls that began before")),
    tenant_id: tenantId(),
    ...paging,
  }),
  status: 200,
  response: page("calls", ListedCall),
});

const params = Type.Object({ call_id: id("call") });
const answer = Type.Object({ call: Call });

export const getCall = operation({
  id: "getCall",
  method: "GET",
  path: "/v1/voice/calls/:call_id",
  tag,
  summary: "Get a call with its words, latencies and costs",
  scope: "read",
  params,
  status: 200,
  response: answer,
});

export const getRecording = operation({
  id: "getRecording",
  method: "GET",
  path: "/v1/voice/calls/:call_id/recording",
  tag,
  summary: "The recording, contact left and agent right; whole, or a Range of it",
  scope: "read",
  params,
  query: Type.Object({
    token: Type.Optional(text(300, "Of a `recording_url`, in place of an API key")),
  }),
  audio: true,
  errors: ["link_invalid"],
  status: 200,
  response: Type.Object({}),
});

const loudness = (who: string) =>
  Type.Array(Type.Integer({ minimum: 0, maximum: 255 }), { description: `The ${who}'s loudest of each span` });

export const getWaveform = operation({
  id: "getWaveform",
  method: "GET",
  path: "/v1/voice/calls/:call_id/waveform",
  tag,
  summary: "How loud each side of the recording is over time, to be drawn",
  scope: "read",
  params,
  query: Type.Object({
    points: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 10_000, default: 1_000, description: "No more spans than this" }),
    ),
    tenant_id: tenantId(),
  }),
  errors: ["link_invalid"],
  status: 200,
  response: Type.Object({
    call_id: Type.String(),
    peak_ms: Type.Integer({ description: "How long a span is: 100 or a multiple" }),
    contact: loudness("contact"),
    agent: loudness("agent"),
  }),
});

// The number is the call's own.
const { phone_number: _, ...contactFields } = ContactInput.properties;

export const createCall = operation({
  id: "createCall",
  method: "POST",
  path: "/v1/voice/calls",
  tag,
  summary: "Call somebody, once the law and their wishes allow it",
  scope: "send",
  byAgents: true,
  body: Type.Object(
    {
      agent_id: Type.Optional(id("voice agent")),
      voice_agent_id: Type.Optional(id("voice agent, by its other id")),
      from_number: phone(),
      to_number: phone(),
      organization_id: Type.Optional(id("organization; the agent's by default")),
      user_id: Type.Optional(id("user; the agent's by default")),
      contact: Type.Optional(
        Type.Object(contactFields, {
          additionalProperties: true,
          description: "Fields of who is called, of any name: {{variables}} too",
        }),
      ),
      objective: Type.Optional(freeText(2_000)),
      tenant_id: tenantId(),
    },
    { anyOf: [{ required: ["agent_id"] }, { required: ["voice_agent_id"] }] },
  ),
  errors: ["voice_not_enabled"],
  status: 201,
  response: answer,
});

export const stopCall = operation({
  id: "stopCall",
  method: "POST",
  path: "/v1/voice/calls/:call_id/stop",
  tag,
  summary: "Hang up, or do not dial at all; a call that is over stays as it is",
  scope: "send",
  byAgents: true,
  params,
  status: 200,
  response: answer,
});

export const injectIntoCall = operation({
  id: "injectIntoCall",
  method: "POST",
  path: "/v1/voice/calls/:call_id/inject",
  tag,
  summary: "Give the agent something to take in while it speaks with the contact",
  scope: "send",
  byAgents: true,
  params,
  body: Type.Object({ text: text(2_000), tenant_id: tenantId() }),
  status: 202,
  response: Type.Object({ call_id: Type.String(), message: Type.String() }),
});
