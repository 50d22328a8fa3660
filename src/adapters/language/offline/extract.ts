import { UNKNOWN_OUTCOME } from "#domain/extraction.ts";
import type { ExtractRequest } from "#ports/language-model.ts";
import { type Progress, progressOf } from "./progress.ts";

/** What a conversation came to, by the same rules that led it, in the shape that every model answers in. */
export function offlineExtraction(request: ExtractRequest): unknown {
  const progress = progressOf(request, {});
  const own = new Set(request.fields.map((field) => field.name));
  const found = [...progress.known].filter(([name]) => own.has(name));
  return {
    extracted_fields: Object.fromEntries(found.map(([name, { value }]) => [name, value])),
    evidence: Object.fromEntries(found.map(([name, { messageId, quote }]) => [name, { message_id: messageId, quote }])),
    lead_outcome: outcomeOf(progress, request),
    objective_met: objectiveMet(progress, request),
    call_scheduled_time: progress.call?.time?.at.toISOString() ?? null,
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
