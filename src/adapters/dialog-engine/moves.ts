import { ONLY_ENGLISH } from "#adapters/dialog-words/language.ts";
import type { Conversation } from "#ports/language-model.ts";
import { callMe, notNow, person } from "./call-moves.ts";
import { factsOf } from "./facts.ts";
import { noted } from "./noted.ts";
import { answers, factFor, questions } from "./question-moves.ts";
import { asking, type Channel, type Move, onTo, question, texts } from "./say.ts";
import { matters, nextSlot, ONLY_OK, type State, type Together } from "./state.ts";
import { fresh, wasSaid } from "./wording.ts";

/** The next move, by rules, in the order in which a considerate person would react. */
export function moveOf(conversation: Conversation, state: State, channel: Channel): Move {
  if (state.optedOut) return { sentences: [], does: "opt_out" };
  const { said } = state;
  if (said === undefined) return { sentences: [], ...question(state) };
  const { acts } = said;
  // Nobody in grief gets a follow-up.
  if (acts.has("distress")) return { sentences: texts(state, "sympathy"), ends: "paused", needsPerson: true };
  const move =
    hostile(conversation, state, said, channel) ??
    foreign(state, said) ??
    aside(state, said, channel) ??
    somebodyElse(conversation, state, said, channel) ??
    otherPerson(state, said) ??
    person(state, said, channel) ??
    callMe(conversation, state, said, channel) ??
    notNow(state, said, channel) ??
    refused(conversation, state, said, channel) ??
    questions(conversation, state, said, channel) ??
    outsideHours(state) ??
    leave(state, said);
  return move ?? carryOn(conversation, state, said, channel);
}

function hostile(conversation: Conversation, state: State, said: Together, { spoken }: Channel): Move | undefined {
  if (!said.acts.has("hostile") || state.learned.some(({ slot }) => slot.kind !== "interest")) return undefined;
  const fact =
    said.acts.has("source") || said.acts.has("question") ? factFor(conversation, state, said.text) : undefined;
  return {
    sentences: [
      ...texts(state, "apology"),
      ...(fact === undefined ? [] : [fact]),
      ...texts(state, spoken ? "how_to_stop_calls" : "how_to_stop"),
    ].slice(0, 3),
  };
}

function foreign(state: State, { language, acts, folded }: Together): Move | undefined {
  if (language === "english" || language === "spanish" || state.learned.length > 0) return undefined;
  if (!wasSaid(state, ONLY_ENGLISH[language])) return { sentences: [ONLY_ENGLISH[language]] };
  return { sentences: acts.has("thanks") || folded === "" ? [] : texts(state, "person_takes_over") };
}

/** What asks for something of the call itself, and then goes on where it was. */
function aside(state: State, { acts, folded }: Together, channel: Channel): Move | undefined {
  const learned = state.learned.length > 0;
  if (acts.has("recorded"))
    return { sentences: texts(state, channel.recorded ? "recorded" : "not_recorded"), ...onTo(state) };
  if (learned) return undefined;
  if (acts.has("repeat")) return again(state, channel, /\b(?:mean|understand|confused|follow|get it)\b/.test(folded));
  if (acts.has("still_there") && channel.spoken) {
    return { sentences: channel.isFirst ? [channel.introduction] : texts(state, "here"), ...onTo(state) };
  }
  if (acts.has("hold") && !acts.has("question") && !acts.has("call") && !acts.has("interest") && !acts.has("yes"))
    return { sentences: texts(state, "take_your_time") };
  if (folded === "" && acts.size === 0) return { sentences: texts(state, "not_clear"), ...onTo(state) };
  if (acts.has("greets") && !acts.has("who") && !acts.has("goodbye")) {
    return {
      sentences: channel.isFirst && channel.spoken ? [channel.introduction] : texts(state, "hello"),
      ...onTo(state),
    };
  }
  return undefined;
}

/** The question again: in a call as it was said, in a text in other words. */
function again(state: State, { spoken, lastWords }: Channel, rephrase: boolean): Move {
  const { pending } = state;
  if (spoken && lastWords !== undefined && lastWords !== "" && typeof pending !== "object")
    return { sentences: [lastWords] };
  if (spoken && typeof pending === "object" && !rephrase) {
    const asked = pending.questions.find((wording) => lastWords?.includes(wording));
    if (asked !== undefined) return { sentences: [], question: asked };
  }
  return {
    sentences: texts(state, "not_clear")
      .map(() => fresh(state, "sure"))
      .filter((text) => text !== undefined),
    ...onTo(state),
  };
}

/** Nothing is asked of who is not the contact; people decide what becomes of it. */
function somebodyElse(
  conversation: Conversation,
  state: State,
  said: Together,
  { introduction }: Channel,
): Move | undefined {
  if (!state.somebodyElse) return undefined;
  const asks = said.acts.has("who") || said.acts.has("source");
  return {
    sentences: [...(asks ? answers(conversation, state, said, introduction) : []), ...texts(state, "not_them")].slice(
      -2,
    ),
    ends: "paused",
    needsPerson: true,
  };
}

function otherPerson(state: State, { acts, folded }: Together): Move | undefined {
  // Who does not know it and names who would is asked the next thing.
  if (acts.has("declines") && typeof state.pending === "object" && state.pending.kind !== "interest") return undefined;
  if (LET_ME_ASK.test(folded))
    return {
      sentences: texts(state, "take_your_time"),
      ...(/\b(?:first|about (?:it|this)|it over)\b/.test(folded) ? {} : onTo(state)),
    };
  return acts.has("other_person") && state.learned.length === 0
    ? { sentences: texts(state, "other_person") }
    : undefined;
}

const LET_ME_ASK =
  /\b(?:let me|ill|i will|i have to|id have to|i need to|gotta|i should) (?:ask|check with|talk to) my \w+\b(?! instead)/;

function refused(
  conversation: Conversation,
  state: State,
  said: Together,
  { spoken, introduction }: Channel,
): Move | undefined {
  const { acts } = said;
  const turnsDown = acts.has("refuse") || acts.has("no");
  if (state.interest !== "no" || !turnsDown) return undefined;
  const fact = acts.has("question") ? answers(conversation, state, said, introduction) : [];
  return {
    sentences: [...fact, ...texts(state, spoken ? "refused_call" : "refused")].slice(0, 2),
    ends: "not_interested",
  };
}

/** "Sunday at 3am", where nobody works then: when somebody does, and the question once more. */
function outsideHours(state: State): Move | undefined {
  const { outside } = state;
  if (outside === undefined) return undefined;
  const said = wasSaid(state, outside) ? texts(state, "passed_on") : [outside];
  const next = onTo(state);
  const over = next.question === undefined ? { ends: outcomeOf(state) } : {};
  return { sentences: [...noted(state).slice(0, 1), ...said], ...next, ...over };
}

/** Whoever takes leave, or comes back after one, is not asked what is still missing. */
function leave(state: State, { acts, folded }: Together): Move | undefined {
  const { learned, closed } = state;
  if (acts.has("goodbye") && learned.length === 0 && closed) return { sentences: [], ends: outcomeOf(state) };
  if (acts.has("goodbye") && learned.length === 0) {
    return { sentences: texts(state, acts.has("thanks") ? "welcome" : "farewell"), ends: outcomeOf(state) };
  }
  if (state.parked && !closed && learned.length === 0 && ONLY_OK.test(folded)) {
    return { sentences: acts.has("thanks") ? texts(state, "welcome") : [] };
  }
  if (!closed) {
    const only = acts.has("thanks") && learned.length === 0 && !acts.has("yes") && folded.split(" ").length <= 4;
    return only ? { sentences: texts(state, "welcome") } : undefined;
  }
  if (learned.length > 0) return undefined;
  if (
    acts.has("interest") ||
    (acts.has("yes") && state.interest === "yes" && nextSlot(state) !== undefined && !isOnlyOk(folded))
  )
    return undefined;
  if (acts.has("thanks")) return { sentences: texts(state, "welcome"), ends: outcomeOf(state) };
  if (isOnlyOk(folded) || folded === "") return { sentences: [], ends: outcomeOf(state) };
  return { sentences: texts(state, "added"), ends: outcomeOf(state) };
}

const isOnlyOk = (folded: string): boolean => ONLY_OK.test(folded);

/** What was understood, and the next question; the end when there is none. */
function carryOn(conversation: Conversation, state: State, said: Together, channel: Channel): Move {
  const { learned, slots, interest } = state;
  const { acts } = said;
  const next = onTo(state);
  if (next.question !== undefined) {
    if (learned.length > 0) return { sentences: noted(state).slice(0, 2), ...next };
    const isLeft = typeof state.pending === "object" && state.declined.has(state.pending.field.name);
    if (isLeft || acts.has("declines") || acts.has("no")) return { sentences: texts(state, "no_problem"), ...next };
    if (acts.has("yes") || acts.has("interest") || state.confirmed)
      return { sentences: texts(state, "thanks"), ...next };
    if (channel.spoken && channel.isFirst) return { sentences: [channel.introduction], ...next };
    if (acts.has("thanks")) return { sentences: texts(state, "sure"), ...next };
    if (isPassed(state)) return { sentences: texts(state, "added"), ...next };
    const missed = typeof state.pending === "object" || state.spoken.size > 4;
    return { sentences: texts(state, missed ? "not_clear" : "thanks"), ...next };
  }
  if (slots.length === 0) return openEnd(state, channel);
  if (interest === "no") return { sentences: texts(state, "added"), ends: "not_interested" };
  const acknowledged = learned.length > 0 ? noted(state).slice(0, 1) : [];
  const closing = fresh(state, "closing");
  if (closing === undefined)
    return { sentences: acknowledged.length > 0 ? acknowledged : texts(state, "added"), ends: outcomeOf(state) };
  const after = nextStep(conversation, state) ?? fresh(state, "in_touch");
  const sentences = [
    ...(channel.spoken ? [] : acknowledged.filter((text) => HAS_VALUE.test(text))),
    closing,
    ...(after === undefined ? [] : [after]),
  ];
  return { sentences, ends: outcomeOf(state) };
}

/** The contact's words are noted, and the agent asks for something else. */
const isPassed = (state: State): boolean =>
  typeof state.pending === "object" && state.putOff.has(state.pending.field.name) && nextSlot(state) !== state.pending;

function openEnd(state: State, channel: Channel): Move {
  if (state.interest === "yes" && channel.canSchedule) {
    const asked = asking(state, "ask_call");
    if (asked.question !== undefined) return { sentences: texts(state, "thanks"), ...asked };
  }
  const closing = fresh(state, "closing");
  return {
    sentences: closing === undefined ? texts(state, "added") : [closing, ...texts(state, "in_touch")],
    ends: state.interest === "yes" ? "interested" : "in_conversation",
  };
}

/** Bare thanks are in the closing itself. */
const HAS_VALUE = /, (?:noted|anotado)\.|\b(?:changed|instead|then|cambié|entonces)\b/;

/** What the instructions say will happen next, for the last text. */
const NEXT_STEP =
  /\b(?:calls (?:you|those|to)|then sends|sends? (?:you |the )|emails the|confirms the|writes to you|will have|gets back to you)\b/i;

function nextStep({ agent }: Conversation, state: State): string | undefined {
  const { stated } = factsOf(agent.instructions);
  return stated.find(({ text }) => NEXT_STEP.test(text) && text.length < 120 && !wasSaid(state, text))?.text;
}

function outcomeOf({ slots, known, interest, call: wished }: State): string {
  if (interest === "no") return "not_interested";
  if (wished?.time) return "call_scheduled";
  return slots.length > 0 && slots.every((slot) => known.has(slot.field.name) || !matters(slot, known))
    ? "qualified"
    : "in_conversation";
}
