import { UNKNOWN_OUTCOME } from "#domain/agents/extraction.ts";
import { wordsOf } from "#domain/agents/field-kind.ts";
import { foldText } from "#domain/values/fold.ts";
import type { ExtractRequest } from "#ports/language-model.ts";
import { spokenDate } from "./reply.ts";
import { type Known, matters, type State } from "./state.ts";
import { stateOf } from "./walk.ts";

/** What a conversation came to, by the same rules that led it, in the shape that every model answers in. */
export function extractionOf(request: ExtractRequest): unknown {
  const state = stateOf(request, request.known ?? {});
  const own = new Set(request.fields.map((field) => field.name));
  const found = [...state.known].filter(([name, { messageId }]) => own.has(name) && messageId !== undefined);
  return {
    extracted_fields: Object.fromEntries(found.map(([name, { value }]) => [name, value])),
    evidence: Object.fromEntries(found.map(([name, { messageId, quote }]) => [name, { message_id: messageId, quote }])),
    lead_outcome: outcomeOf(state, request),
    objective_met: objectiveMet(state, request),
    sentiment: sentimentOf(state, request),
    summary: summaryOf(state, request, found),
  };
}

function outcomeOf(state: State, request: ExtractRequest): string {
  if (state.optedOut) return "opted_out";
  if (state.interest === "no") return "not_interested";
  if (state.call) return state.call.time ? "call_scheduled" : "call_requested";
  if (objectiveMet(state, request)) return "qualified";
  if (state.interest === "yes") return "interested";
  return request.history.some((message) => message.role === "contact") ? "in_conversation" : UNKNOWN_OUTCOME;
}

/** All required fields are known (all fields, when none is marked), and the contact is not against it. */
function objectiveMet({ known, interest, call, optedOut, slots }: State, { fields }: ExtractRequest): boolean {
  if (optedOut || interest === "no") return false;
  const required = fields.some((field) => field.required) ? fields.filter((field) => field.required) : fields;
  if (required.length === 0) return interest === "yes" || call !== undefined;
  const idle = new Set(slots.filter((slot) => !matters(slot, known)).map(({ field }) => field.name));
  return required.every((field) => known.has(field.name) || idle.has(field.name));
}

const PLEASED =
  /\b(?:great|perfect|awesome|wonderful|excellent|fantastic|love|lovely|sounds (?:good|great)|thank you|thanks|thank u|appreciate|gracias|merci|happy to|glad)\b/;
const DISPLEASED =
  /\b(?:fuck\w*|shit\w*|damn|hell|stupid|idiot|ridiculous|annoy\w*|angry|mad|upset|sick of|tired of|fed up|hate|terrible|awful|worst|scam\w*|spam\w*|harass\w*|sue|lawyer|report you|rude|waste of|leave me alone|shut up|unacceptable)\b/;

/** The contact's, by plain words: a polite no is neutral. */
function sentimentOf({ optedOut, interest, call, known }: State, { history }: ExtractRequest): string {
  const said = history.filter(({ role }) => role === "contact").map(({ text }) => foldText(text));
  if (said.every((text) => text === "")) return "Unknown";
  if (optedOut || said.some((text) => DISPLEASED.test(text))) return "Negative";
  if (interest === "no") return "Neutral";
  const pleased = said.some((text) => PLEASED.test(text));
  return pleased ||
    interest === "yes" ||
    call?.time !== undefined ||
    [...known.values()].some(({ messageId }) => messageId !== undefined)
    ? "Positive"
    : "Neutral";
}

/** The values of a field that is true or false. */
const YES_OR_NO: ReadonlyMap<string, string> = new Map([
  ["true", "yes"],
  ["false", "no"],
]);

/** Plain sentences of what is known, for someone who has not read it. */
function summaryOf(state: State, request: ExtractRequest, found: readonly (readonly [string, Known])[]): string {
  const sentences: string[] = [];
  if (state.optedOut) sentences.push("The contact asked to be left alone.");
  else if (state.interest === "no") sentences.push("The contact was not interested.");
  else if (state.interest === "yes") sentences.push("The contact was interested.");
  if (found.length > 0) {
    const given = found.map(([name, { value }]) => `${wordsOf(name)}: ${YES_OR_NO.get(value) ?? value}`);
    sentences.push(`The contact gave ${given.join("; ")}.`);
  }
  const missing = request.fields.filter(({ name }) => !state.known.has(name)).map(({ name }) => wordsOf(name));
  if (missing.length > 0) sentences.push(`Not found out: ${missing.join(", ")}.`);
  const at = state.call?.time?.at;
  if (at !== undefined) sentences.push(`The contact asked to be called on ${spokenDate(at, request.contactZone)}.`);
  return sentences.length > 0 ? sentences.join(" ") : "The contact said nothing that the agent wanted to know.";
}
