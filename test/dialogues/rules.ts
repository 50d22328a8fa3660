import type { Dialogue } from "./dialogue.ts";
import type { Played } from "./play.ts";

/** A rule that an answer broke, with its turn, counted from 1. */
export type BrokenRule = { turn: number; rule: string };

const MAX_TEXT = 300;
const MAX_SPOKEN_SENTENCES = 3;
/** Words of joy, which are wrong where the dialogue wants to hear that the agent is sorry. */
const JOY = /\b(?:great|perfect|got it|awesome)\b/i;
/** Who asks for the same words again gets them again, and breaks no rule by that. */
const SAY_AGAIN =
  /\b(?:repeat|say (?:that|it) again|come again|pardon|what did you say|what was that|(?:didn'?t|did not|couldn'?t|can'?t) (?:catch|hear|understand)|(?:didn'?t|did not) get (?:that|it)|sorry,? what|otra vez|repet|no (?:te )?(?:entend|escuch|o[ií]))|^\W*(?:what|huh|hello|sorry)\W*$/i;

/** The rules of every dialogue, from the end of data/dialogues/README.md. */
export function brokenRules(played: Played): BrokenRule[] {
  const { dialogue, answers } = played;
  const { agent, channel, turns } = dialogue;
  const broken: BrokenRule[] = [];
  const said = new Set(sentencesOf(agent.start).map(folded));
  const asked = new Map<string, number>([[askedFor(agent.start, dialogue), 1]]);
  for (const [index, { text, failure }] of answers.entries()) {
    const { say, expect } = turns[index]!;
    const add = (rule: string): void => void broken.push({ turn: index + 1, rule });
    if (failure !== undefined) add(`the model failed: ${failure}`);
    const sentences = sentencesOf(text);
    const isRepeated = SAY_AGAIN.test(say);
    for (const sentence of sentences.map(folded)) {
      // One word ("Goodbye.", "Yes.") is no sentence that anybody takes for a repetition.
      if (said.has(sentence) && sentence.includes(" ") && !isRepeated) add(`said twice: ${sentence}`);
      said.add(sentence);
    }
    const fields = askedFor(text, dialogue);
    if (fields !== "" && !isRepeated) {
      const times = (asked.get(fields) ?? 0) + 1;
      asked.set(fields, times);
      if (times > 2) add(`asked ${times} times: ${fields}`);
    }
    if (questionsOf(text).length > 1) add("more than one question");
    if (channel === "sms" && text.length > MAX_TEXT) add(`${text.length} characters`);
    if (channel === "voice" && sentences.length > MAX_SPOKEN_SENTENCES && !isRepeated)
      add(`${sentences.length} sentences`);
    for (const figure of strangeFigures(index, played)) add(`a figure that nobody named: ${figure}`);
    const isSad = expect.some((condition) => /(?:^|\|)says:sorry/.test(condition));
    if (isSad && JOY.test(text)) add("joy at bad news or anger");
  }
  return broken;
}

/** `3 p.m. on Friday` and `Dr. Smith` are within one sentence. */
export function sentencesOf(text: string): string[] {
  const parts = text.trim().split(/(?<=[.!?])(?<!\b(?:[ap]\.m|mr|mrs|ms|dr|st)\.)\s+/i);
  return parts.filter((part) => /[\p{L}\d]/u.test(part));
}

export const questionsOf = (text: string): string[] => sentencesOf(text).filter((part) => /\?["')\s]*$/.test(part));

const folded = (sentence: string): string =>
  sentence
    .toLowerCase()
    .replace(/[^\p{L}\d\s]/gu, "")
    .replace(/\s+/g, " ")
    .trim();

/**
 * The fields that a text's question may be about. "When would you like to sell?" fits two patterns: such a question is one of its own, so that
 * no field is counted for another's question.
 */
function askedFor(text: string, { agent }: Pick<Dialogue, "agent">): string {
  const question = questionsOf(text).at(-1);
  if (question === undefined) return "";
  const fits = Object.entries(agent.asks).filter(([, pattern]) => new RegExp(pattern, "i").test(question));
  return fits.map(([name]) => name).join("+");
}

const MONTH =
  "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)[a-z]*";
/** Dates and times are reckoned from what the contact said ("next Tuesday at three"), so their figures are new. */
const DATES = new RegExp(
  [
    String.raw`\b\d{4}-\d\d-\d\d\b`,
    String.raw`\b${MONTH}\.? \d{1,2}(?:st|nd|rd|th)?\b(?:,? \d{4}\b)?`,
    String.raw`\b\d{1,2}(?:st|nd|rd|th)?(?: de| of)? ${MONTH}\b(?:(?:,| de)? \d{4}\b)?`,
    String.raw`\b\d{1,2}(?:st|nd|rd|th)\b`,
    String.raw`\b\d{1,2}:\d\d\b`,
    String.raw`\b\d{1,2} ?(?:[ap]\.?m\b|o'clock)`,
    String.raw`\b\d{1,2}/\d{1,2}(?:/\d{2,4})?\b`,
  ].join("|"),
  "gi",
);

const runsOf = (text: string): string[] => text.replace(/(?<=\d),(?=\d)/g, "").match(/\d+/g) ?? [];
const digitsOf = (text: string): string => text.replace(/\D/g, "");

/** Figures of two digits or more in an answer that are neither the agent's nor the contact's. In doubt a figure is taken for one of theirs. */
function strangeFigures(index: number, { dialogue, answers }: Played): string[] {
  const { agent, turns } = dialogue;
  const written = new Set(runsOf(`${agent.instructions} ${agent.start}`));
  const said = turns.slice(0, index + 1).map(({ say }) => say);
  const understood = answers.slice(0, index + 1).flatMap(({ known }) => Object.values(known));
  // "20k" may be said back as 20,000, and a telephone number in other groups.
  const theirs = [...said, ...understood].map(digitsOf);
  const hasUnits = said.some((text) => /\d\s*(?:k|m|grand|hundred|thousand|million|mil)\b/i.test(text));
  return runsOf(answers[index]!.text.replace(DATES, " ")).filter((run) => {
    const core = hasUnits ? run.replace(/0+$/, "") : run;
    return run.length > 1 && !written.has(run) && !theirs.some((digits) => digits.includes(core));
  });
}
