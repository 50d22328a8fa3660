import type { Slot } from "#adapters/dialog-reading/slot.ts";
import { stemsOf } from "#adapters/dialog-reading/stems.ts";
import type { ExtractionField } from "#domain/agents/extraction-field.ts";
import { kindOf, wordsOf } from "#domain/agents/field-kind.ts";
import { questionsOf } from "./questions.ts";
import { questionsInSpanish } from "./questions-spanish.ts";

export function slotOf(field: ExtractionField): Slot {
  const words = wordsOf(field.name);
  const kind = kindOf(field);
  const questions = questionsOf(field, kind, words);
  return {
    field,
    kind,
    questions,
    spanish: questionsInSpanish(kind, `${words} ${field.description ?? ""}`.toLowerCase(), questions[0]!),
    words: words.split(" ").filter((word) => word.length > 2),
    stems: stemsOf(`${words} ${field.description ?? ""}`),
  };
}
