import assert from "node:assert/strict";
import { slotOf } from "#adapters/dialog-engine/slots.ts";
import { actsIn } from "#adapters/dialog-reading/acts.ts";
import { readValue } from "#adapters/dialog-reading/values.ts";
import { type ExtractionFieldInput, normaliseExtractionFields } from "#domain/agents/extraction-field.ts";

/** A Friday morning in Denver. */
const at = new Date("2026-11-20T15:00:00Z");

/** The value of a field in a text; its quote has to stand there. `direct`: the text answers the question for it. */
export function readField(field: ExtractionFieldInput, text: string, direct: boolean): string | undefined {
  const said = { text, at, zone: "America/Denver", ...actsIn(text) };
  const found = readValue(slotOf(normaliseExtractionFields([field])[0]!), said, direct);
  if (found) assert.ok(text.includes(found.quote), `"${found.quote}" is not in "${text}"`);
  return found?.value;
}
