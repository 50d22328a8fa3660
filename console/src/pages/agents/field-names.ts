import type { Agent } from "./draft.ts";

/** What the builder calls the fields of an agent. */
const NAMES: Readonly<Record<string, string>> = {
  agent_name: "Name",
  prompt: "Instructions",
  starting_message: "First text or words",
  extraction_fields: "What it finds out",
  model: "Model",
  temperature: "Temperature",
  drip_schedule: "Follow-ups",
  reply_delay_ms: "Waits before it answers (ms)",
  max_replies_per_day: "Answers at most, each day",
  working_hours: "Working hours",
  allowed_links: "Links that it may send",
  voice_id: "Voice",
  language: "Language",
  voice_speed: "Speed",
  voice_temperature: "Liveliness",
  ambient_sound: "Sound behind the voice",
  ambient_sound_volume: "Loudness of that sound",
  interruption_sensitivity: "Interruption sensitivity",
  responsiveness: "Answers quickly",
  boosted_keywords: "Words to listen for",
  transfer_to: "Transfer calls to",
  detect_voicemail: "Notices voicemail",
  voicemail_message: "What it leaves on a voicemail",
  record: "Records its calls",
  recording_disclosure: "Says of the recording",
  ring_duration_ms: "Lets it ring (ms)",
  end_call_after_silence_ms: "Hangs up after silence of (ms)",
  max_call_duration_ms: "Longest call (ms)",
};

export type Changed = { name: string; label: string; before: string; after: string };

/** The fields that differ between two versions, as texts to compare. */
export function changedFields(before: Partial<Agent>, after: Partial<Agent>): Changed[] {
  return Object.entries(NAMES).flatMap(([name, label]) => {
    const [was, is] = [before, after].map((agent) => asText((agent as Record<string, unknown>)[name]));
    return was === is ? [] : [{ name, label, before: was!, after: is! }];
  });
}

function asText(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "boolean") return value ? "Yes" : "No";
  if (Array.isArray(value))
    return value.map((item) => (typeof item === "object" ? inWords(item as object) : String(item))).join("\n");
  return typeof value === "object" ? inWords(value) : String(value);
}

const inWords = (fields: object): string =>
  Object.entries(fields)
    .filter(([, value]) => value !== "" && value !== false && !(Array.isArray(value) && value.length === 0))
    .map(([name, value]) => `${name}: ${value}`)
    .join(", ");
