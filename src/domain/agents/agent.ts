import type { WorkingHours } from "#domain/compliance/working-hours.ts";
import { MAX_DRIPS } from "#domain/messaging/drip-step.ts";
import { templateProblem } from "#domain/messaging/template.ts";
import { normalizePhone } from "#domain/phones/phone.ts";
import type { FieldProblem } from "#domain/values/errors.ts";
import { allowedLinkProblem } from "#domain/values/link.ts";
import {
  type ExtractionField,
  type ExtractionFieldInput,
  extractionFieldProblems,
  normaliseExtractionFields,
} from "./extraction-field.ts";
import type { WrittenQuestion } from "./script.ts";

export type AgentType = "sms" | "voice";

/** A follow-up: `day` is counted from the starting message in the contact's own calendar, 0 being the same day. */
export type DripStep = { day: number; message: string };

/** What an agent of either kind is made of, as stored with its version and as a campaign keeps it. */
type AgentBase = {
  agent_name: string;
  starting_message?: string;
  prompt: string;
  extraction_fields: ExtractionField[];
  /** Set by an operation of its own, and kept over every other change. */
  questions?: WrittenQuestion[];
  model?: string;
  temperature?: number;
};

export type SmsAgent = AgentBase & {
  agent_type: "sms";
  drip_schedule: DripStep[];
  reply_delay_ms: number;
  max_replies_per_day: number;
  working_hours?: WorkingHours;
  allowed_links: string[];
};

export type VoiceAgent = AgentBase & {
  agent_type: "voice";
  voice_id: string;
  language: string;
  detect_voicemail: boolean;
  voicemail_message?: string;
  voice_speed: number;
  voice_temperature: number;
  ambient_sound?: string;
  ambient_sound_volume: number;
  interruption_sensitivity: number;
  responsiveness: number;
  max_call_duration_ms: number;
  end_call_after_silence_ms: number;
  ring_duration_ms: number;
  boosted_keywords: string[];
  record: boolean;
  recording_disclosure?: string;
  transfer_to?: string;
};

export type Agent = SmsAgent | VoiceAgent;

/**
 * The fields of a request, their types already checked. On create the required ones are there; a patch may have any, and
 * is checked together with what it patches.
 */
export type AgentInput = Partial<Omit<SmsAgent, "agent_type" | "extraction_fields" | "questions">> &
  Partial<Omit<VoiceAgent, "agent_type" | "extraction_fields" | "questions">> & {
    agent_type?: string;
    extraction_fields?: ExtractionFieldInput[];
  };

/** People send a thought in pieces; four seconds after the last one it is usually whole. */
export const DEFAULT_REPLY_DELAY_MS = 4_000;
/** No person answers twenty texts of one conversation in a day; two machines that answer each other do. */
export const DEFAULT_MAX_REPLIES_PER_DAY = 20;

export const AMBIENT_SOUNDS = [
  "coffee-shop",
  "convention-hall",
  "summer-outdoor",
  "mountain-outdoor",
  "static-noise",
  "call-center",
] as const;

const LIMITS = {
  agent_name: 200,
  /** A page of instructions is 3,000; past this nobody reads it and every turn pays for it. */
  prompt: 50_000,
  /** Ten segments of GSM-7 and a little for variables; the rendered text is checked again for each contact. */
  starting_message: 1_600,
  model: 200,
  voice_id: 200,
  voicemail_message: 1_600,
  recording_disclosure: 500,
} as const;

/** Inclusive bounds. */
const RANGES = {
  temperature: [0, 2],
  reply_delay_ms: [0, 300_000],
  max_replies_per_day: [1, 1_000],
  voice_speed: [0.5, 2],
  voice_temperature: [0, 2],
  interruption_sensitivity: [0, 1],
  responsiveness: [0, 1],
  ambient_sound_volume: [0, 2],
  max_call_duration_ms: [60_000, 7_200_000],
  end_call_after_silence_ms: [10_000, 7_200_000],
  ring_duration_ms: [5_000, 300_000],
} as const satisfies Partial<Record<keyof AgentInput, readonly [number, number]>>;

const INTEGERS = new Set<string>([
  "reply_delay_ms",
  "max_replies_per_day",
  "max_call_duration_ms",
  "end_call_after_silence_ms",
  "ring_duration_ms",
]);

/** Ten years: a reminder of a loan's end is the longest that anyone schedules. */
const MAX_DRIP_DAY = 3_650;
const MAX_LINKS = 100;
const MAX_KEYWORDS = 100;

/**
 * Everything wrong with an agent's fields beyond presence and type, which the contract checks: ranges, lengths,
 * templates, duplicates. Each message follows its field's name in a sentence. Empty when all is well.
 */
export function agentProblems(input: AgentInput): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const add = (field: string, message: string | undefined) => {
    if (message !== undefined) problems.push({ field, message });
  };
  if (input.agent_type !== undefined && input.agent_type !== "sms" && input.agent_type !== "voice") {
    add("agent_type", "must be sms or voice");
  }
  if (input.agent_type === "voice" && !input.voice_id?.trim()) add("voice_id", "is required for a voice agent");
  for (const [name, max] of Object.entries(LIMITS)) add(name, lengthProblem(input[name as keyof typeof LIMITS], max));
  for (const name of ["agent_name", "prompt"] as const) {
    if (input[name]?.trim() === "") add(name, "must not be blank");
  }
  for (const [name, [min, max]] of Object.entries(RANGES)) {
    add(name, rangeProblem(name, input[name as keyof typeof RANGES], min, max));
  }
  for (const name of ["starting_message", "voicemail_message"] as const) {
    if (input[name] !== undefined) add(name, templateProblem(input[name]));
  }
  if (input.extraction_fields) {
    problems.push(...extractionFieldProblems(input.extraction_fields, "extraction_fields"));
  }
  if (input.drip_schedule) problems.push(...dripProblems(input.drip_schedule));
  if (input.allowed_links) problems.push(...linkProblems(input.allowed_links));
  if (input.working_hours) problems.push(...workingHoursProblems(input.working_hours));
  if (input.language !== undefined) add("language", languageProblem(input.language));
  if (input.ambient_sound !== undefined && !AMBIENT_SOUNDS.some((sound) => sound === input.ambient_sound)) {
    add("ambient_sound", `must be one of ${AMBIENT_SOUNDS.join(", ")}`);
  }
  if (input.transfer_to !== undefined) add("transfer_to", transferProblem(input.transfer_to));
  const keywords = input.boosted_keywords ?? [];
  if (keywords.length > MAX_KEYWORDS || keywords.some((word) => word.trim() === "" || word.length > 64)) {
    add("boosted_keywords", `must be at most ${MAX_KEYWORDS} words of 1 to 64 characters`);
  }
  return problems;
}

const lengthProblem = (text: string | undefined, max: number): string | undefined =>
  text !== undefined && text.length > max ? `must have at most ${max} characters` : undefined;

/** A number that calls go on to: one that may be called, and as it is dialled. */
function transferProblem(number: string): string | undefined {
  const normal = normalizePhone(number);
  if ("problem" in normal) return normal.problem;
  return normal.phone === number ? undefined : "must be a phone number in E.164";
}

function rangeProblem(name: string, value: number | undefined, min: number, max: number): string | undefined {
  if (value === undefined) return undefined;
  if (INTEGERS.has(name) && !Number.isInteger(value)) return `must be a whole number from ${min} to ${max}`;
  return value >= min && value <= max ? undefined : `must be from ${min} to ${max}`;
}

function languageProblem(tag: string): string | undefined {
  const problem = "must be a language tag such as en-US";
  // getCanonicalLocales takes any well-formed tag, "bogus" too; a language that ICU cannot name does not exist.
  if (!/^[a-z]{2,3}(?:-|$)/i.test(tag) || tag.length > 35) return problem;
  try {
    const [canonical] = Intl.getCanonicalLocales(tag);
    const named = new Intl.DisplayNames("en", { type: "language", fallback: "none" }).of(canonical!.split("-")[0]!);
    return named === undefined ? problem : undefined;
  } catch {
    return problem;
  }
}

function dripProblems(drips: readonly DripStep[]): FieldProblem[] {
  if (drips.length > MAX_DRIPS) return [{ field: "drip_schedule", message: `must have at most ${MAX_DRIPS} messages` }];
  const problems: FieldProblem[] = [];
  const days = new Set<number>();
  for (const [index, { day, message }] of drips.entries()) {
    const at = `drip_schedule[${index}]`;
    if (!Number.isInteger(day) || day < 0 || day > MAX_DRIP_DAY) {
      problems.push({ field: `${at}.day`, message: `must be a whole number from 0 to ${MAX_DRIP_DAY}` });
    } else if (days.has(day)) {
      problems.push({ field: `${at}.day`, message: `must be unique, day ${day} is there twice` });
    }
    days.add(day);
    const wrong =
      message.trim() === ""
        ? "must not be blank"
        : (lengthProblem(message, LIMITS.starting_message) ?? templateProblem(message));
    if (wrong) problems.push({ field: `${at}.message`, message: wrong });
  }
  return problems;
}

function linkProblems(links: readonly string[]): FieldProblem[] {
  if (links.length > MAX_LINKS) return [{ field: "allowed_links", message: `must have at most ${MAX_LINKS} links` }];
  return links.flatMap((link, index) => {
    const message = lengthProblem(link, 2_000) ?? allowedLinkProblem(link);
    return message ? [{ field: `allowed_links[${index}]`, message }] : [];
  });
}

/** Shared with a campaign's calling window, which has the same shape. */
export function workingHoursProblems(hours: WorkingHours, at = "working_hours"): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const isTime = (time: string) => /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(time) || time === "24:00";
  for (const name of ["start", "end"] as const) {
    if (!isTime(hours[name])) problems.push({ field: `${at}.${name}`, message: "must be a time of day, HH:MM" });
  }
  if (problems.length === 0 && hours.end <= hours.start) {
    problems.push({ field: `${at}.end`, message: "must be later than start" });
  }
  const days = new Set(hours.days);
  if (
    days.size === 0 ||
    days.size < hours.days.length ||
    hours.days.some((day) => !Number.isInteger(day) || day < 1 || day > 7)
  ) {
    problems.push({ field: `${at}.days`, message: "must list weekdays from 1 (Monday) to 7, each once" });
  }
  return problems;
}

/** A checked SMS agent with every default filled in. Fields that belong to voice agents are left out. */
export function smsAgent(input: AgentInput & { agent_name: string; prompt: string }): SmsAgent {
  return {
    agent_type: "sms",
    ...base(input),
    drip_schedule: (input.drip_schedule ?? []).toSorted((a, b) => a.day - b.day),
    reply_delay_ms: input.reply_delay_ms ?? DEFAULT_REPLY_DELAY_MS,
    max_replies_per_day: input.max_replies_per_day ?? DEFAULT_MAX_REPLIES_PER_DAY,
    ...(input.working_hours ? { working_hours: input.working_hours } : {}),
    allowed_links: input.allowed_links ?? [],
  };
}

/** A checked voice agent with every default filled in. */
export function voiceAgent(input: AgentInput & { agent_name: string; prompt: string; voice_id: string }): VoiceAgent {
  return {
    agent_type: "voice",
    ...base(input),
    voice_id: input.voice_id,
    language: Intl.getCanonicalLocales(input.language ?? "en-US")[0]!,
    detect_voicemail: input.detect_voicemail ?? true,
    ...present("voicemail_message", input.voicemail_message),
    voice_speed: input.voice_speed ?? 1,
    voice_temperature: input.voice_temperature ?? 1,
    ...present("ambient_sound", input.ambient_sound),
    ambient_sound_volume: input.ambient_sound_volume ?? 1,
    interruption_sensitivity: input.interruption_sensitivity ?? 1,
    responsiveness: input.responsiveness ?? 1,
    max_call_duration_ms: input.max_call_duration_ms ?? 3_600_000,
    end_call_after_silence_ms: input.end_call_after_silence_ms ?? 600_000,
    ring_duration_ms: input.ring_duration_ms ?? 30_000,
    boosted_keywords: input.boosted_keywords ?? [],
    record: input.record ?? true,
    ...present("recording_disclosure", input.recording_disclosure),
    ...present("transfer_to", input.transfer_to),
  };
}

function base(input: AgentInput & { agent_name: string; prompt: string }): AgentBase {
  return {
    agent_name: input.agent_name,
    ...present("starting_message", input.starting_message),
    prompt: input.prompt,
    extraction_fields: normaliseExtractionFields(input.extraction_fields),
    ...present("model", input.model),
    ...(input.temperature === undefined ? {} : { temperature: input.temperature }),
  };
}

/** An optional text: absent and blank are the same. */
function present<Name extends string>(name: Name, text: string | undefined): { [N in Name]?: string } {
  return (text?.trim() ? { [name]: text } : {}) as { [N in Name]?: string };
}
