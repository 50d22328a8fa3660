import { UNKNOWN_OUTCOME } from "#domain/agents/extraction.ts";
import { foldText } from "#domain/values/fold.ts";
import type { ExtractRequest } from "#ports/language-model.ts";
import { type Known, type Progress, progressOf } from "./progress.ts";
import { wordsOf } from "./question.ts";
import { spokenDate } from "./reply.ts";

/** What a conversation came to, by the same rules that led it, in the shape that every model answers in. */
export function offlineExtraction(request: ExtractRequest): unknown {
  const progress = progressOf(request, request.known ?? {});
  const own = new Set(request.fields.map((field) => field.name));
  const found = [...progress.known].filter(([name, { messageId }]) => own.has(name) && messageId !== undefined);
  return {
    extracted_fields: Object.fromEntries(found.map(([name, { value }]) => [name, value])),
    evidence: Object.fromEntries(found.map(([name, { messageId, quote }]) => [name, { message_id: messageId, quote }])),
    lead_outcome: outcomeOf(progress, request),
    objective_met: objectiveMet(progress, request),
    call_scheduled_time: progress.call?.time?.at.toISOString() ?? null,
    sentiment: sentimentOf(progress, request),
    summary: summaryOf(progress, request, found),
  };
}

function outcomeOf(progress: Progress, request: ExtractRequest): string {
  if (progress.optedOut) return "opted_out";
  if (progress.interest === "no") return "not_interested";
  if (progress.call) return progress.call.time ? "call_scheduled" : "call_requested";
  if (objectiveMet(progress, request)) return "qualified";
  if (progress.interest === "yes") return "interested";
  return request.history.some((message) => message.role === "contact") ? "in_conversation" : UNKNOWN_OUTCOME;
}

/** All required fields are known (all fields, when none is marked), and the contact is not against it. */
function objectiveMet({ known, interest, call, optedOut }: Progress, { fields }: ExtractRequest): boolean {
  if (optedOut || interest === "no") return false;
  const required = fields.some((field) => field.required) ? fields.filter((field) => field.required) : fields;
  if (required.length === 0) return interest === "yes" || call !== undefined;
  return required.every((field) => known.has(field.name));
}

const PLEASED =
  /\b(?:great|perfect|awesome|wonderful|excellent|fantastic|love|lovely|sounds (?:good|great)|thank you|thanks|thank u|appreciate|gracias|merci|happy to|glad)\b/;
const DISPLEASED =
  /\b(?:fuck\w*|shit\w*|damn|hell|stupid|idiot|ridiculous|annoy\w*|angry|mad|upset|sick of|tired of|fed up|hate|terrible|awful|worst|scam\w*|spam\w*|harass\w*|sue|lawyer|report you|rude|waste of|leave me alone|shut up|unacceptable)\b/;

/** The contact's, by plain words: a polite no is neutral. */
function sentimentOf({ optedOut, interest, call, learned }: Progress, { history }: ExtractRequest): string {
  const said = history.filter(({ role }) => role === "contact").map(({ text }) => foldText(text));
  if (said.every((text) => text === "")) return "Unknown";
  if (optedOut || said.some((text) => DISPLEASED.test(text))) return "Negative";
  if (interest === "no") return "Neutral";
  const pleased = said.some((text) => PLEASED.test(text));
  return pleased || interest === "yes" || call?.time !== undefined || learned.size > 0 ? "Positive" : "Neutral";
}

/** Plain sentences of what is known, for someone who has not read it. */
function summaryOf(progress: Progress, request: ExtractRequest, found: readonly (readonly [string, Known])[]): string {
  const sentences: string[] = [];
  if (progress.optedOut) sentences.push("The contact asked to be left alone.");
  else if (progress.interest === "no") sentences.push("The contact was not interested.");
  else if (progress.interest === "yes") sentences.push("The contact was interested.");
  if (found.length > 0) {
    const given = found.map(([name, { value }]) => `${wordsOf(name)}: ${value}`);
    sentences.push(`The contact gave ${given.join("; ")}.`);
  }
  const missing = request.fields.filter(({ name }) => !progress.known.has(name)).map(({ name }) => wordsOf(name));
  if (missing.length > 0) sentences.push(`Not found out: ${missing.join(", ")}.`);
  const at = progress.call?.time?.at;
  if (at !== undefined) sentences.push(`The contact asked to be called on ${spokenDate(at, request.contactZone)}.`);
  return sentences.length > 0 ? sentences.join(" ") : "The contact said nothing that the agent wanted to know.";
}
