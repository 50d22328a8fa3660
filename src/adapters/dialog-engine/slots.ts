import type { Slot } from "#adapters/dialog-reading/slot.ts";
import { stemsOf } from "#adapters/dialog-words/stems.ts";
import { type ExtractionField, normaliseExtractionFields } from "#domain/agents/extraction-field.ts";
import { kindOf, wordsOf } from "#domain/agents/field-kind.ts";
import type { WrittenQuestion } from "#domain/agents/script.ts";
import type { Conversation } from "#ports/language-model.ts";
import { againOf, questionsOf } from "./questions.ts";
import { questionsInSpanish } from "./questions-spanish.ts";

/** Instructions name what matters near their beginning. */
const MAX_READ = 5_000;
/** A contact who was promised nothing answers three questions; more belong in `extraction_fields`. */
const MAX_INFERRED = 3;

const ASKS =
  /\b(?:ask (?:for|about|them for|them about|(?:the )?(?:lead|contact|customer|user|prospect)s? (?:for|about)|(?:for )?their)|collect|find out|gather|capture|obtain)\s*:?\s+([^.;:!?"“”]{3,200})/gi;
const OWNER =
  /^(?:(?:and|or|the|their|his|her|your|a|an|any|some|each|about|what|out|preferred) |(?:lead|contact|customer|client|user|prospect)(?:'s|’s|s)? )+/i;
const BOOKING =
  /\b(?:book|schedule|set up|arrange)\w*\b[^.]{0,40}?\b(?:appointment|meeting|visit|tour|demo|viewing|call|consultation)\b/i;

const IF_SO = /^(?:so|yes|they (?:do|have|are|did|want)|there (?:is|are)|that is)\b(?! \w+ \w+ \w)/i;
const isYesNo = (kind: string): boolean => kind === "yes_no" || kind === "interest";

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

/** `how much they can pay a month if it is a plan`: the earlier field, and its value, that a field depends on. */
export function conditionOf(slot: Slot, earlier: readonly Slot[], instructions: string): Slot["only"] {
  const clauses = `${instructions.slice(0, MAX_READ)}. ${slot.field.description ?? ""}`.split(/[,;.\n]/);
  for (const clause of clauses) {
    const at = clause.search(/ if /i);
    if (at < 0) continue;
    const about = stemsOf(clause.slice(0, at));
    const shared = [...slot.stems].filter((word) => about.has(word)).length;
    if (shared < 2 || shared * 2 < slot.stems.size) continue;
    const condition = clause.slice(at + 4).trim();
    const named = stemsOf(condition);
    for (const { field, kind, stems } of earlier) {
      const value = field.choices.find((choice) => {
        const others = stemsOf(field.choices.filter((other) => other !== choice).join(" "));
        return [...stemsOf(choice)].some((word) => named.has(word) && !others.has(word));
      });
      if (value !== undefined) return { field: field.name, value };
      if (isYesNo(kind) && [...named].some((word) => stems.has(word) && word.length > 3))
        return { field: field.name, value: field.type === "boolean" ? "true" : "yes" };
    }
    const last = earlier.at(-1);
    if (last !== undefined && isYesNo(last.kind) && IF_SO.test(condition))
      return { field: last.field.name, value: last.field.type === "boolean" ? "true" : "yes" };
  }
  return undefined;
}

/**
 * What the agent is to find out: its extraction fields, or when it has none what its instructions plainly ask
 * for ("collect their budget and city"), or a time when it is to book something.
 */
export function fieldsToAsk({ fields, agent }: Pick<Conversation, "fields" | "agent">): readonly ExtractionField[] {
  if (fields.length > 0) return fields;
  const text = `${agent.goal ?? ""}. ${agent.instructions}`.slice(0, MAX_READ);
  const names: string[] = [];
  for (const [, list] of text.matchAll(ASKS)) {
    for (const item of list!.split(/,|\band\b|\bor\b|\n|[-•*]\s/)) {
      const words = item.trim().replace(OWNER, "").trim();
      if (
        /^[a-z]+(?: [a-z]+){0,2}$/i.test(words) &&
        !/\b(?:if|whether|that|not|to|them|you|is|are|be|it)\b/i.test(words)
      ) {
        names.push(words.toLowerCase().replaceAll(" ", "_"));
      }
    }
  }
  const unique = [...new Set(names)].slice(0, MAX_INFERRED);
  if (unique.length === 0 && BOOKING.test(text)) unique.push("preferred_time");
  return normaliseExtractionFields(unique);
}
