import type { Answer, Args } from "#api/operations.ts";

export type Agent = Answer<"GET /v1/agents/:agent_id">["agent"];
export type Changes = NonNullable<Args<"PATCH /v1/agents/:agent_id">["body"]>;
export type Errors = Readonly<Record<string, string>>;

export type FieldDraft = {
  name: string;
  description: string;
  type: "string" | "number" | "boolean" | "enum";
  choices: string[];
  required: boolean;
};

/** A number as its field holds it: empty for the default. */
export type Amount = number | "";

/** An agent as the form holds it: every field there, empty where it is not set. */
export type Draft = {
  agent_type: "sms" | "voice";
  agent_name: string;
  prompt: string;
  starting_message: string;
  extraction_fields: FieldDraft[];
  model: string;
  temperature: Amount;
  drip_schedule: { day: Amount; message: string }[];
  reply_delay_seconds: Amount;
  max_replies_per_day: Amount;
  working_hours: { start: string; end: string; days: number[] } | null;
  allowed_links: string[];
  voice_id: string;
  language: string;
  voice_speed: Amount;
  voice_temperature: Amount;
  detect_voicemail: boolean;
  voicemail_message: string;
  ambient_sound: string;
  ambient_sound_volume: Amount;
  interruption_sensitivity: Amount;
  responsiveness: Amount;
  max_call_duration_minutes: Amount;
  end_call_after_silence_seconds: Amount;
  ring_duration_seconds: Amount;
  boosted_keywords: string[];
  record: boolean;
  recording_disclosure: string;
  transfer_to: string;
};

export const NEW_AGENT: Draft = {
  agent_type: "sms",
  agent_name: "",
  prompt: "",
  starting_message: "",
  extraction_fields: [],
  model: "",
  temperature: "",
  drip_schedule: [],
  reply_delay_seconds: 4,
  max_replies_per_day: 20,
  working_hours: null,
  allowed_links: [],
  voice_id: "",
  language: "en-US",
  voice_speed: 1,
  voice_temperature: 1,
  detect_voicemail: true,
  voicemail_message: "",
  ambient_sound: "",
  ambient_sound_volume: 1,
  interruption_sensitivity: 1,
  responsiveness: 1,
  max_call_duration_minutes: 60,
  end_call_after_silence_seconds: 600,
  ring_duration_seconds: 30,
  boosted_keywords: [],
  record: true,
  recording_disclosure: "",
  transfer_to: "",
};

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const inUnits = (ms: number | undefined, unit: number): Amount => (ms === undefined ? "" : ms / unit);
const inMs = (amount: Amount, unit: number): number | null => (amount === "" ? null : Math.round(amount * unit));

/** The form of an agent as it is, or was at a version. */
export function draftOf(agent: Partial<Agent> & Pick<Agent, "agent_type" | "agent_name" | "prompt">): Draft {
  return {
    agent_type: agent.agent_type,
    agent_name: agent.agent_name,
    prompt: agent.prompt,
    starting_message: agent.starting_message ?? "",
    extraction_fields: (agent.extraction_fields ?? []).map(fieldDraft),
    model: agent.model ?? "",
    temperature: agent.temperature ?? "",
    drip_schedule: agent.drip_schedule ?? [],
    reply_delay_seconds: inUnits(agent.reply_delay_ms, SECOND_MS),
    max_replies_per_day: agent.max_replies_per_day ?? "",
    working_hours: agent.working_hours ?? null,
    allowed_links: agent.allowed_links ?? [],
    voice_id: agent.voice_id ?? "",
    language: agent.language ?? "",
    voice_speed: agent.voice_speed ?? "",
    voice_temperature: agent.voice_temperature ?? "",
    detect_voicemail: agent.detect_voicemail ?? true,
    voicemail_message: agent.voicemail_message ?? "",
    ambient_sound: agent.ambient_sound ?? "",
    ambient_sound_volume: agent.ambient_sound_volume ?? "",
    interruption_sensitivity: agent.interruption_sensitivity ?? "",
    responsiveness: agent.responsiveness ?? "",
    max_call_duration_minutes: inUnits(agent.max_call_duration_ms, MINUTE_MS),
    end_call_after_silence_seconds: inUnits(agent.end_call_after_silence_ms, SECOND_MS),
    ring_duration_seconds: inUnits(agent.ring_duration_ms, SECOND_MS),
    boosted_keywords: agent.boosted_keywords ?? [],
    record: agent.record ?? true,
    recording_disclosure: agent.recording_disclosure ?? "",
    transfer_to: agent.transfer_to ?? "",
  };
}

function fieldDraft(field: NonNullable<Agent["extraction_fields"]>[number]): FieldDraft {
  const given = typeof field === "string" ? { name: field } : field;
  return {
    name: given.name,
    description: given.description ?? "",
    type: given.type ?? "string",
    choices: given.choices ?? [],
    required: given.required ?? false,
  };
}

const blank = (text: string): string | null => (text.trim() === "" ? null : text);
const set = (amount: Amount): number | null => (amount === "" ? null : amount);

/** The API's fields of a form; null for what is left to its default. */
export function fieldsOf(draft: Draft): Changes {
  const common = {
    agent_type: draft.agent_type,
    agent_name: draft.agent_name,
    prompt: draft.prompt,
    starting_message: blank(draft.starting_message),
    extraction_fields: draft.extraction_fields.map(({ name, description, type, choices, required }) => ({
      name,
      ...(description.trim() === "" ? {} : { description }),
      type,
      ...(type === "enum" ? { choices } : {}),
      required,
    })),
    model: blank(draft.model),
    temperature: set(draft.temperature),
  };
  return draft.agent_type === "sms" ? { ...common, ...textFields(draft) } : { ...common, ...callFields(draft) };
}

function textFields(draft: Draft): Changes {
  return {
    // A day that is left empty is for the API to name.
    drip_schedule: draft.drip_schedule.map(({ day, message }) => ({ day: day === "" ? -1 : day, message })),
    reply_delay_ms: inMs(draft.reply_delay_seconds, SECOND_MS),
    max_replies_per_day: set(draft.max_replies_per_day),
    working_hours: draft.working_hours,
    allowed_links: draft.allowed_links,
  };
}

function callFields(draft: Draft): Changes {
  return {
    voice_id: draft.voice_id,
    language: blank(draft.language),
    voice_speed: set(draft.voice_speed),
    voice_temperature: set(draft.voice_temperature),
    detect_voicemail: draft.detect_voicemail,
    voicemail_message: blank(draft.voicemail_message),
    ambient_sound: (blank(draft.ambient_sound) ?? null) as Changes["ambient_sound"],
    ambient_sound_volume: set(draft.ambient_sound_volume),
    interruption_sensitivity: set(draft.interruption_sensitivity),
    responsiveness: set(draft.responsiveness),
    max_call_duration_ms: inMs(draft.max_call_duration_minutes, MINUTE_MS),
    end_call_after_silence_ms: inMs(draft.end_call_after_silence_seconds, SECOND_MS),
    ring_duration_ms: inMs(draft.ring_duration_seconds, SECOND_MS),
    boosted_keywords: draft.boosted_keywords,
    record: draft.record,
    recording_disclosure: blank(draft.recording_disclosure),
    transfer_to: blank(draft.transfer_to),
  };
}

/** What the API calls by another name, or in another unit, than the form. */
const FORM_NAMES: Readonly<Record<string, string>> = {
  reply_delay_ms: "reply_delay_seconds",
  max_call_duration_ms: "max_call_duration_minutes",
  end_call_after_silence_ms: "end_call_after_silence_seconds",
  ring_duration_ms: "ring_duration_seconds",
};
export const formName = (name: string): string => FORM_NAMES[name] ?? name;

/** The fields of `now` that are not as they were. */
export function changesOf(before: Draft, now: Draft): Changes {
  const was = fieldsOf(before) as Record<string, unknown>;
  const is = Object.entries(fieldsOf(now));
  return Object.fromEntries(is.filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(was[name])));
}

/** The fields of a new agent: without those that are left to their defaults. */
export function wholeOf(draft: Draft): Changes {
  return Object.fromEntries(Object.entries(fieldsOf(draft)).filter(([, value]) => value !== null));
}
