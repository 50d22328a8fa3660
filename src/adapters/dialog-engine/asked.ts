import type { Slot } from "#adapters/dialog-reading/slot.ts";
import { conceptsOf } from "#adapters/dialog-words/concepts.ts";
import { stemsOf } from "#adapters/dialog-words/stems.ts";
import { foldText } from "#domain/values/fold.ts";
import type { State } from "./state.ts";
import { ASKS_FOR_A_TIME, endsIn } from "./wording.ts";

export const sentencesOf = (text: string): string[] =>
  (text.match(/[^.!?]+(?:[.!?]+(?=\s|$)|$|[.!?]+)/g) ?? [])
    .map((sentence) => foldText(sentence))
    .filter((sentence) => sentence !== "");

export function noteAgent(state: State, text: string, isFirst: boolean): void {
  for (const sentence of sentencesOf(text)) state.spoken.add(sentence);
  state.closed = endsIn(text);
  state.confirmed = false;
  state.parked = !text.includes("?") && !isFirst;
  if (text.includes("?")) state.pending = questionIn(text, state, isFirst);
  else if (isFirst) state.pending = "opening";
  else if (text.includes(ASKS_FOR_A_TIME)) state.pending = "later";
  else if (state.call !== undefined && state.call.time === undefined) state.pending = "call_time";
  else if (CALLS_SHORTLY.test(text)) state.pending = "call_time";
  else if (typeof state.pending === "string") state.pending = undefined;
  if (typeof state.pending === "object" && !state.parked) {
    const { name } = state.pending.field;
    state.asks.set(name, (state.asks.get(name) ?? 0) + 1);
  }
}

/** The field that an agent's text asks for: by our own wording, or any other question by what it has in common with the field. */
function questionIn(text: string, state: State, isFirst: boolean): State["pending"] {
  const { slots, asks } = state;
  const own = ownQuestionIn(text, state);
  if (own) return own;
  if (ASKS_FOR_A_CALL.test(text)) return "call_time";
  if (ASKS_WHEN.test(text)) return "later";
  const question =
    text
      .slice(0, text.lastIndexOf("?"))
      .split(/[.!?\n]/)
      .at(-1) ?? "";
  const stems = stemsOf(question);
  let best: Slot | undefined;
  let most = 0;
  for (const slot of slots) {
    const own = slot.kind === "choice" ? [...slot.stems, ...stemsOf(slot.field.choices.join(" "))] : [...slot.stems];
    const shared = new Set(own.filter((word) => stems.has(word))).size;
    if (shared > most) {
      best = slot;
      most = shared;
    }
  }
  // "How old are you?" asks for an age: another word for the same thing, where no field has the very word.
  const concepts = best === undefined ? conceptsOf(question) : undefined;
  const alike = slots.filter(({ words }) =>
    [...conceptsOf(words.join(" ")).keys()].some((concept) => concepts?.has(concept)),
  );
  if (alike.length === 1) best = alike[0];
  if (best === undefined && isFirst && slots[0]?.kind === "yes_no" && YES_NO_QUESTION.test(question)) return slots[0];
  return best ?? (isFirst || asks.size === 0 ? "opening" : undefined);
}

/** By the longest wording of ours: a person may have written one that is the end of another. */
function ownQuestionIn(text: string, { slots, known }: State): Slot | undefined {
  let own: Slot | undefined;
  let length = 0;
  for (const slot of slots) {
    for (const wording of [...slot.questions, ...slot.spanish]) {
      if (wording.length < length || !text.includes(wording)) continue;
      // Two fields may be asked for in the same words: the one that is known was meant before.
      if (wording.length === length && own !== undefined && (!known.has(own.field.name) || known.has(slot.field.name)))
        continue;
      own = slot;
      length = wording.length;
    }
  }
  return own;
}

const YES_NO_QUESTION = /^\s*(?:can|could|will|would|do|does|did|are|is|have|has|shall|may)\b/i;
const ASKS_FOR_A_CALL = /What day and time would be good for a call\?|When should we call you\?|¿Cuándo le llamamos\?/;
const ASKS_WHEN = /When would be a better time\?|When should I get back to you\?|¿Cuándo sería mejor\?/;
const CALLS_SHORTLY = /get a call from us shortly|le llamaremos en un momento/;
