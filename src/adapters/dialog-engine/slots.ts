import type { Slot } from "#adapters/dialog-reading/slot.ts";
import { stemsOf } from "#adapters/dialog-words/stems.ts";
import type { ExtractionField } from "#domain/agents/extraction-field.ts";
import { kindOf, wordsOf } from "#domain/agents/field-kind.ts";
import type { WrittenQuestion } from "#domain/agents/script.ts";
import type { Conversation } from "#ports/language-model.ts";
import { conditionOf, fieldsToAsk } from "./goal.ts";
import { againOf, questionsOf } from "./questions.ts";
import { questionsInSpanish } from "./questions-spanish.ts";

/** The slots of an agent's fields, asked for in a person's words where somebody wrote some. */
export function slotsOf(conversation: Pick<Conversation, "fields" | "agent">): Slot[] {
  const { questions = [] } = conversation.agent;
  const slots = fieldsToAsk(conversation).map((field) =>
    slotOf(
      field,
      questions.find((written) => written.field === field.name),
    ),
  );
  const { instructions } = conversation.agent;
  return slots.map((slot, at) => {
    const only = conditionOf(slot, slots.slice(0, at), instructions);
    return only === undefined ? slot : { ...slot, only };
  });
}

export function slotOf(field: ExtractionField, written?: WrittenQuestion): Slot {
  const words = wordsOf(field.name);
  const kind = kindOf(field);
  const read = questionsOf(field, kind, words);
  return {
    field,
    kind,
    questions: written ? againOf(written.question, written.rephrased) : read,
    spanish: questionsInSpanish(kind, `${words} ${field.description ?? ""}`.toLowerCase(), read[0]!),
    words: words.split(" ").filter((word) => word.length > 2),
    stems: stemsOf(`${words} ${field.description ?? ""}`),
  };
}
