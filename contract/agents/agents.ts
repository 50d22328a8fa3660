import { type TSchema, Type } from "typebox";
import { operation } from "#contract/values/operation.ts";
import {
  freeText,
  id,
  named,
  nullable,
  page,
  paging,
  phone,
  tenantId,
  text,
  timestamp,
} from "#contract/values/shapes.ts";
import { WrittenQuestion } from "./script.ts";

const tag = "Agents";

export const AgentType = Type.Union([Type.Literal("sms"), Type.Literal("voice")]);

export const ExtractionField = Type.Union([
  Type.String({ minLength: 1 }),
  Type.Object({
    name: Type.String({ minLength: 1 }),
    description: Type.Optional(freeText(500)),
    type: Type.Optional(
      Type.Union([Type.Literal("string"), Type.Literal("number"), Type.Literal("boolean"), Type.Literal("enum")]),
    ),
    choices: Type.Optional(Type.Array(Type.String())),
    required: Type.Optional(Type.Boolean()),
  }),
]);

const VARIABLES =
  "may have {{field}} variables, and {{field|fallback}} for contacts without the field. A fallback is one line of up to 100 " +
  "characters without braces or |, trimmed; an empty one renders nothing";

const DripStep = named("DripStep", {
  day: Type.Integer({ minimum: 0, maximum: 3650, description: "Days after the starting message" }),
  message: text(1600, `Text of the drip; ${VARIABLES}`),
});

export const WorkingHours = Type.Object(
  {
    start: Type.String({ description: "HH:MM in the contact's own zone" }),
    end: Type.String({ description: "HH:MM, later than start" }),
    days: Type.Array(Type.Integer({ minimum: 1, maximum: 7 }), { description: "Weekdays, 1 is Monday" }),
  },
  {
    title: "WorkingHours",
    description: "When the agent answers; a text that comes at another time is answered when they begin",
  },
);

const AmbientSound = Type.Union([
  Type.Literal("coffee-shop"),
  Type.Literal("convention-hall"),
  Type.Literal("summer-outdoor"),
  Type.Literal("mountain-outdoor"),
  Type.Literal("static-noise"),
  Type.Literal("call-center"),
]);

const number = (minimum: number, maximum: number) => Type.Number({ minimum, maximum });
const whole = (minimum: number, maximum: number) => Type.Integer({ minimum, maximum });

/** What an agent may have beside its name and prompt. Templates, duplicates and the like are checked behind this. */
const settings = {
  starting_message: freeText(1600, `First text or greeting; ${VARIABLES}`),
  extraction_fields: Type.Array(ExtractionField),
  model: freeText(200),
  temperature: number(0, 2),
  drip_schedule: Type.Array(DripStep),
  reply_delay_ms: whole(0, 300_000),
  max_replies_per_day: whole(1, 1000),
  working_hours: WorkingHours,
  allowed_links: Type.Array(Type.String(), { description: "Hosts or addresses that a text may link to" }),
  voice_id: freeText(200, "Required for a voice agent"),
  language: freeText(35, "Language tag, such as en-US"),
  detect_voicemail: Type.Boolean(),
  voicemail_message: freeText(1600, `What is left on a voicemail; ${VARIABLES}`),
  voice_speed: number(0.5, 2),
  voice_temperature: number(0, 2),
  ambient_sound: AmbientSound,
  ambient_sound_volume: number(0, 2),
  interruption_sensitivity: number(0, 1),
  responsiveness: number(0, 1),
  max_call_duration_ms: whole(60_000, 7_200_000),
  end_call_after_silence_ms: whole(10_000, 7_200_000),
  ring_duration_ms: whole(5_000, 300_000),
  boosted_keywords: Type.Array(Type.String()),
  record: Type.Boolean(),
  recording_disclosure: freeText(500),
  transfer_to: phone(),
};

type Settings = typeof settings;
const each = <T>(turn: (schema: TSchema) => TSchema) =>
  Object.fromEntries(Object.entries(settings).map(([name, schema]) => [name, turn(schema)])) as T;

type Optional = { [K in keyof Settings]: ReturnType<typeof Type.Optional<Settings[K]>> };
type Clearable = { [K in keyof Settings]: ReturnType<typeof Type.Optional<ReturnType<typeof nullable<Settings[K]>>>> };

const questions = Type.Optional(
  Type.Array(WrittenQuestion, {
    description: "Questions in a person's words, as set by PUT /v1/agents/:agent_id/script",
  }),
);

/** The fields of an agent, as returned. An extraction field that has only a name is returned as a string. */
export const Agent = named("Agent", {
  agent_id: Type.String(),
  agent_type: AgentType,
  agent_name: Type.String(),
  prompt: Type.String(),
  organization_id: Type.String(),
  user_id: Type.String(),
  voice_agent_id: Type.Optional(Type.String()),
  voice_llm_id: Type.Optional(Type.String()),
  version: Type.Integer({ description: "Goes up with each change; a running campaign keeps the one it started with" }),
  created_at: timestamp(),
  updated_at: timestamp(),
  questions,
  ...each<Optional>((schema) => Type.Optional(schema)),
});

/** What may be changed of an agent; null puts a setting back to its default. */
export const agentChanges = {
  agent_name: Type.Optional(text(200)),
  prompt: Type.Optional(text(50_000)),
  agent_type: Type.Optional(AgentType),
  ...each<Clearable>((schema) => Type.Optional(nullable(schema))),
};

/** What an agent was at one version: its own fields, as returned for the agent. */
export const AgentVersion = named("AgentVersion", {
  version: Type.Integer(),
  is_current: Type.Boolean({ description: "What a campaign that begins now takes" }),
  created_at: timestamp(),
  agent_type: AgentType,
  agent_name: Type.String(),
  prompt: Type.String(),
  questions,
  ...each<Optional>((schema) => Type.Optional(schema)),
});

export const createAgent = operation({
  id: "createAgent",
  method: "POST",
  path: "/v1/agents",
  tag,
  summary: "Create an agent",
  scope: "write",
  body: Type.Object(
    {
      agent_type: AgentType,
      agent_name: text(200),
      prompt: text(50_000),
      organization_id: id("organization"),
      user_id: id("user"),
      tenant_id: tenantId(),
      ...each<Optional>((schema) => Type.Optional(schema)),
    },
    { anyOf: [{ properties: { agent_type: { not: { const: "voice" } } } }, { required: ["voice_id"] }] },
  ),
  errors: ["voice_configuration_failed"],
  status: 201,
  response: Type.Object({
    agent_id: Type.String(),
    agent_type: AgentType,
    agent_name: Type.String(),
    voice_agent_id: Type.Optional(Type.String()),
    voice_llm_id: Type.Optional(Type.String()),
  }),
});

export const listAgents = operation({
  id: "listAgents",
  method: "GET",
  path: "/v1/agents",
  tag,
  summary: "List the agents of an organization, newest first",
  scope: "read",
  replica: true,
  query: Type.Object({
    organization_id: id("organization"),
    agent_type: Type.Optional(AgentType),
    tenant_id: tenantId(),
    ...paging,
  }),
  status: 200,
  response: page("agents", Agent),
});

export const getAgent = operation({
  id: "getAgent",
  method: "GET",
  path: "/v1/agents/:agent_id",
  tag,
  summary: "Get an agent",
  scope: "read",
  params: Type.Object({ agent_id: id("agent") }),
  status: 200,
  response: Type.Object({ agent: Agent }),
});

export const updateAgent = operation({
  id: "updateAgent",
  method: "PATCH",
  path: "/v1/agents/:agent_id",
  tag,
  summary: "Change what is sent of an agent, as a new version; null puts a setting back to its default",
  scope: "write",
  params: Type.Object({ agent_id: id("agent") }),
  body: Type.Object({
    organization_id: Type.Optional(id("organization")),
    user_id: Type.Optional(id("user")),
    tenant_id: tenantId(),
    ...agentChanges,
  }),
  errors: ["voice_configuration_failed"],
  status: 200,
  response: Type.Object({ agent: Agent }),
});

export const deleteAgent = operation({
  id: "deleteAgent",
  method: "DELETE",
  path: "/v1/agents/:agent_id",
  tag,
  summary: "Delete an agent that no active campaign uses",
  scope: "write",
  params: Type.Object({ agent_id: id("agent") }),
  status: 200,
  response: Type.Object({ agent_id: Type.String() }),
});

export const listAgentVersions = operation({
  id: "listAgentVersions",
  method: "GET",
  path: "/v1/agents/:agent_id/versions",
  tag,
  summary: "List what an agent was, version by version, newest first",
  scope: "read",
  replica: true,
  params: Type.Object({ agent_id: id("agent") }),
  query: Type.Object(paging),
  status: 200,
  response: page("versions", AgentVersion),
});

export const restoreAgentVersion = operation({
  id: "restoreAgentVersion",
  method: "POST",
  path: "/v1/agents/:agent_id/versions/:version/restore",
  tag,
  summary: "Make an agent what it was at a version, as a new version",
  scope: "write",
  params: Type.Object({
    agent_id: id("agent"),
    version: Type.String({ minLength: 1, maxLength: 20, description: "Number of the version" }),
  }),
  errors: ["voice_configuration_failed"],
  status: 200,
  response: Type.Object({ agent: Agent }),
});
