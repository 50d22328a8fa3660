import { foldText } from "#domain/values/fold.ts";
import { stripInvisible } from "#domain/values/invisible.ts";
import type { ExtractionField } from "./extraction-field.ts";
import { isPlausible } from "./plausible.ts";

/** Where a value was said: a message of the contact, and its words. */
export type Evidence = { message_id: string; quote: string };

/** What a conversation came to, as the interface shows it; times are ISO 8601 UTC with milliseconds. */
export type SmsExtraction = {
  extracted_fields: Record<string, string>;
  lead_outcome: string;
  objective_met: boolean;
  do_not_message: boolean;
  call_transferred: boolean;
  call_scheduled: boolean;
  call_scheduled_time: string | null;
  /** By field name; a field without one was inferred. */
  evidence: Record<string, Evidence>;
};

/**
 * What the program itself knows happened. A model's word never overrules it, and an opt-out or a transfer
 * exists only here or by the opt-out rules: a text cannot talk a model into one. A call is scheduled when the program has planned it.
 */
export type ExtractionFacts = {
  doNotMessage: boolean;
  callTransferred: boolean;
  callScheduledAt?: Date;
};

/** The texts that evidence is checked against. */
export type ExtractionMessage = { id: string; role: "contact" | "agent" | "human"; text: string };

const MAX_VALUE_LENGTH = 1_000;
const MAX_QUOTE_LENGTH = 500;
const MAX_OUTCOME_LENGTH = 64;

/** The label of a conversation nobody could judge. */
export const UNKNOWN_OUTCOME = "unknown";

/**
 * Makes a sound extraction of whatever a model said: any value at all is taken, nothing is thrown. Kept are the agent's own
 * fields, of the right type, within their lengths; evidence must really occur in that message of the contact, or it
 * is dropped (the value stays, unproven). `notes` says what was dropped and why.
 */
export function checkExtraction(
  raw: unknown,
  fields: readonly ExtractionField[],
  messages: readonly ExtractionMessage[],
  facts: ExtractionFacts,
): { extraction: SmsExtraction; notes: string[] } {
  const notes: string[] = [];
  const answer = isRecord(raw) ? raw : {};
  if (!isRecord(raw)) notes.push("the answer is not an object");

  const said = isRecord(own(answer, "extracted_fields")) ? (answer.extracted_fields as Record<string, unknown>) : {};
  const proof = isRecord(own(answer, "evidence")) ? (answer.evidence as Record<string, unknown>) : {};
  const values: [string, string][] = [];
  const evidence: [string, Evidence][] = [];
  for (const field of fields) {
    const given = own(said, field.name);
    if (given === undefined || given === null || given === "") continue;
    const value = fieldValue(given, field);
    if (value === undefined) {
      notes.push(`${field.name}: not a ${field.type}`);
      continue;
    }
    if (!isPlausible(value, field)) {
      notes.push(`${field.name}: not a plausible value`);
      continue;
    }
    values.push([field.name, value]);
    const found = checkEvidence(own(proof, field.name), messages);
    if (found) evidence.push([field.name, found]);
    else notes.push(`${field.name}: no evidence`);
  }
  const unknown = Object.keys(said).length - fields.filter((field) => Object.hasOwn(said, field.name)).length;
  if (unknown > 0) notes.push(`${unknown} fields that the agent does not have`);

  const outcome = outcomeLabel(own(answer, "lead_outcome"));
  return {
    extraction: {
      extracted_fields: Object.fromEntries(values),
      // A call that a contact wants and nobody has planned is requested, whatever the model says.
      lead_outcome: outcome === "call_scheduled" && !facts.callScheduledAt ? "call_requested" : outcome,
      objective_met: own(answer, "objective_met") === true,
      do_not_message: facts.doNotMessage,
      call_transferred: facts.callTransferred,
      call_scheduled: facts.callScheduledAt !== undefined,
      call_scheduled_time: facts.callScheduledAt?.toISOString() ?? null,
      evidence: Object.fromEntries(evidence),
    },
    notes,
  };
}

/** A value as the string map holds it, or undefined when it is not of the field's type. */
export function fieldValue(given: unknown, field: Pick<ExtractionField, "type" | "choices">): string | undefined {
  if (typeof given !== "string" && typeof given !== "number" && typeof given !== "boolean") return undefined;
  if (typeof given === "string" && given.length > MAX_VALUE_LENGTH) return undefined;
  const text = stripInvisible(String(given)).replace(/\s+/g, " ").trim();
  if (text === "") return undefined;
  if (field.type === "number") {
    const plain = text.replace(/^[$€£]|[,\s]/g, "");
    return /^-?\d+(?:\.\d+)?$/.test(plain) && Number.isFinite(Number(plain)) ? plain : undefined;
  }
  if (field.type === "boolean") {
    if (/^(?:true|yes|y)$/i.test(text)) return "true";
    return /^(?:false|no|n)$/i.test(text) ? "false" : undefined;
  }
  if (field.type === "enum") return field.choices.find((choice) => foldText(choice) === foldText(text));
  return text;
}

function checkEvidence(given: unknown, messages: readonly ExtractionMessage[]): Evidence | undefined {
  if (!isRecord(given)) return undefined;
  const { message_id: id, quote } = given;
  if (typeof id !== "string" || typeof quote !== "string" || quote.length > MAX_QUOTE_LENGTH) return undefined;
  const words = spaced(quote);
  const message = messages.find((candidate) => candidate.id === id && candidate.role === "contact");
  if (words === "" || message === undefined || !spaced(message.text).includes(words)) return undefined;
  return { message_id: id, quote: stripInvisible(quote).trim() };
}

const spaced = (text: string): string => stripInvisible(text).replace(/\s+/g, " ").trim().toLowerCase();

/** An ISO 8601 time that names its zone or offset, or undefined: a model's local time could be anyone's. */
export function parseZonedTime(given: unknown): Date | undefined {
  if (typeof given !== "string") return undefined;
  const parts = /^(\d{4})-(\d\d)-(\d\d)[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)$/i.exec(given.trim());
  if (parts === null) return undefined;
  // Date rolls 30 February over to March.
  const [year, month, day] = parts.slice(1).map(Number) as [number, number, number];
  if (new Date(Date.UTC(year, month - 1, day)).getUTCDate() !== day) return undefined;
  const at = new Date(given.trim().replace(" ", "T"));
  return Number.isNaN(at.getTime()) ? undefined : at;
}

/** A free label, made short and of one shape: `Very Interested!` is `very_interested`. */
export function outcomeLabel(given: unknown): string {
  if (typeof given !== "string" || given.length > 1_000) return UNKNOWN_OUTCOME;
  const label = foldText(given).replaceAll(" ", "_").slice(0, MAX_OUTCOME_LENGTH);
  return label === "" ? UNKNOWN_OUTCOME : label;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const own = (from: Record<string, unknown>, name: string): unknown =>
  Object.hasOwn(from, name) ? from[name] : undefined;
