import type { Agent } from "./draft.ts";

/** What the builder calls the fields of an agent. */
const NAMES: Readonly<Record<string, string>> = {
  agent_name: "Name",
  prompt: "Instructions",
  starting_message: "First text or words",
  extraction_fields: "What it finds out",
  questions: "Questions",
  model: "Model",
  temperature: "Temperature",
  drip_schedule: "Follow-ups",
  reply_delay_ms: "Waits before it answers",
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
  ring_duration_ms: "Lets it ring",
  end_call_after_silence_ms: "Hangs up after silence of",
  max_call_duration_ms: "Longest call",
};

export type Changed = { name: string; label: string; before: string; after: string };

/** The fields that differ between two versions, as texts to compare. */
export function changedFields(before: Partial<Agent>, after: Partial<Agent>): Changed[] {
  return Object.entries(NAMES).flatMap(([name, label]) => {
    const [was, is] = [before, after].map((agent) => asText((agent as Record<string, unknown>)[name], name));
    return was === is ? [] : [{ name, label, before: was!, after: is! }];
  });
}

function asText(value: unknown, name: string): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "boolean") return value ? "Yes" : "No";
  if (name.endsWith("_ms")) return `${Number(value) / 1000} seconds`;
  const write = (WRITTEN[name] ?? String) as (part: unknown) => string;
  return Array.isArray(value) ? value.map((part) => write(part)).join("\n") : write(value);
}

type Field = NonNullable<Agent["extraction_fields"]>[number];
type Drip = NonNullable<Agent["drip_schedule"]>[number];
type Question = NonNullable<Agent["questions"]>[number];
type Hours = NonNullable<Agent["working_hours"]>;

const KINDS: Readonly<Record<string, string>> = { number: "number", boolean: "yes or no", enum: "one of a list" };
const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/** What is made of several parts, in words. */
const WRITTEN: Readonly<Record<string, (value: never) => string>> = {
  extraction_fields: (field: Field) => {
    if (typeof field === "string") return field;
    const { name, type = "string", required = false, choices = [], description = "" } = field;
    const about = [KINDS[type], required ? "required" : undefined].filter((part) => part !== undefined);
    const of = choices.length > 0 ? `: ${choices.join(", ")}` : "";
    return `${name}${about.length > 0 ? ` (${about.join(", ")}${of})` : ""}${description ? ` – ${description}` : ""}`;
  },
  drip_schedule: ({ day, message }: Drip) => `Day ${day}: ${message}`,
  questions: ({ field, question, rephrased }: Question) => `${field}: ${[question, ...rephrased].join(" / ")}`,
  working_hours: ({ start, end, days }: Hours) => `${start} to ${end}, ${days.map((day) => DAYS[day - 1]).join(", ")}`,
};
