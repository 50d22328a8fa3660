import { type FieldProblem, failure, refuseInvalid } from "#domain/values/errors.ts";
import { publicId, type Uuid } from "#domain/values/id.ts";
import { type Agent, type AgentInput, type AgentType, agentProblems, smsAgent, voiceAgent } from "./agent.ts";
import type { ExtractionField, ExtractionFieldInput } from "./extraction-field.ts";
import type { Script } from "./script.ts";
import { isKnownVoice } from "./voice.ts";

/** The fields of a new agent, already validated by the contract. */
export type NewAgent = AgentInput & { agent_name: string; prompt: string };

/** What a patch sends: a value sets, null puts back to the default. Its type and owners may only be repeated. */
export type AgentPatch = { [K in keyof AgentInput]?: AgentInput[K] | null } & {
  organization_id?: string;
  user_id?: string;
};

export type AgentRow = {
  id: Uuid;
  organization_id: Uuid;
  user_id: Uuid;
  type: AgentType;
  version: number;
  voice_agent_id: Uuid | null;
  voice_llm_id: Uuid | null;
  config: Agent;
  created_at: Date;
  updated_at: Date;
};

/**
 * An agent with every default, of checked types. 400 that names every wrong field, after `at` where the fields are within another;
 * `voice_configuration_failed` when no voice of that name can exist.
 */
export function checkedAgent(input: NewAgent, at = ""): Agent {
  refuse(agentProblems(input), at);
  if (input.agent_type !== "voice") return smsAgent(input);
  const voice_id = input.voice_id!;
  if (!isKnownVoice(voice_id)) throw failure("voice_configuration_failed", "There is no voice of this voice_id");
  return voiceAgent({ ...input, voice_id });
}

/** What an agent is after a patch, checked as a whole, with its written questions; `at` as of checkedAgent. */
export function patchedAgent(old: AgentRow, patch: AgentPatch, at = ""): Agent {
  const fixed = {
    agent_type: old.config.agent_type,
    organization_id: publicId("organization", old.organization_id),
    user_id: publicId("user", old.user_id),
  };
  refuse(
    (Object.keys(fixed) as (keyof typeof fixed)[])
      .filter((name) => patch[name] !== undefined && patch[name] !== fixed[name])
      .map((name) => ({ field: name, message: "cannot be changed" })),
    at,
  );
  const merged = { ...asGiven(old.config), ...patch };
  const input = Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
  const { questions } = old.config;
  return { ...checkedAgent(input as NewAgent, at), ...(questions ? { questions } : {}) };
}

/** An agent with what it asks and answers by where no model does. */
export type AgentScript = { agent: AgentRow; script: Script };

/** What an agent was at one of its versions. */
export type AgentVersion = { version: number; is_current: boolean; config: Agent; created_at: Date };

/** A version as the API returns it. */
export const versionRecord = ({ version, is_current, config, created_at }: AgentVersion): Record<string, unknown> => ({
  version,
  is_current,
  created_at: created_at.toISOString(),
  ...asGiven(config),
});

/** The number of a version in a path; undefined for what cannot be one. */
export const versionNumber = (text: string): number | undefined =>
  /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;

/** An agent as the API returns it. */
export function agentRecord(agent: AgentRow): Record<string, unknown> {
  return {
    agent_id: publicId("agent", agent.id),
    ...asGiven(agent.config),
    organization_id: publicId("organization", agent.organization_id),
    user_id: publicId("user", agent.user_id),
    ...voiceIds(agent),
    version: agent.version,
    created_at: agent.created_at.toISOString(),
    updated_at: agent.updated_at.toISOString(),
  };
}

/** What only a voice agent has, to be used by campaigns and numbers. */
export function voiceIds(agent: Pick<AgentRow, "voice_agent_id" | "voice_llm_id">): Record<string, string> {
  return {
    ...(agent.voice_agent_id ? { voice_agent_id: publicId("voiceAgent", agent.voice_agent_id) } : {}),
    ...(agent.voice_llm_id ? { voice_llm_id: publicId("voiceLlm", agent.voice_llm_id) } : {}),
  };
}

/** The stored fields in the form that callers send them in. */
function asGiven(config: Agent): NewAgent {
  return { ...config, extraction_fields: config.extraction_fields.map(fieldAsGiven) };
}

/** A field that has only a name is returned as a string. */
function fieldAsGiven({ name, description, type, choices, required }: ExtractionField): ExtractionFieldInput {
  if (type === "string" && !required && description === undefined) return name;
  return { name, ...(description ? { description } : {}), type, ...(type === "enum" ? { choices } : {}), required };
}

function refuse(problems: readonly FieldProblem[], at: string): void {
  refuseInvalid(problems.map(({ field, message }) => ({ field: at + field, message })));
}
