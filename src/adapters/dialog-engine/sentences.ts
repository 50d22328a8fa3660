import { foldText } from "#domain/values/fold.ts";

/** A sentence of instructions as it may be said, and all the words by which a question finds it. */
export type Stated = { text: string; about: string };

/** What somebody writes before a dot that ends no sentence. */
const SHORT = /(?:^|[\s(])(?:mr|mrs|ms|dr|st|mt|ft|inc|vs|no|approx|e\.g|i\.e|[ap]\.m|\p{L})$/iu;

/** By the marks alone: many people write instructions without a capital. */
export function sentencesIn(line: string): string[] {
  const found: string[] = [];
  let from = 0;
  for (const { 0: mark, index } of line.matchAll(/(?<![.!?])[.!?]{1,5}(?=\s|$)/g)) {
    if (mark === "." && SHORT.test(line.slice(Math.max(from, index - 8), index))) continue;
    found.push(line.slice(from, index + mark.length).trim());
    from = index + mark.length;
  }
  found.push(line.slice(from).trim());
  return found.filter((text) => text !== "");
}

const QUESTION = /^(?:q|question|customer|caller)\s?\d{0,2}\s?[:.)]\s*/i;
const ANSWER = /^(?:a|answer|you|agent)\s?\d{0,2}\s?[:.)]\s*/i;
const ANSWER_WITHIN = /\?\s+(?:a|answer)\s?[:.)]\s*/i;
const BULLET = /^[\s\-*•#\d.)]*(?=\p{L})/u;
/** What stands before a colon and names what comes behind it. */
const LABEL = /^(\p{L}[\p{L} '/-]{1,40}):\s+(?=\S)/u;
/** A heading that says nothing of its own. */
const PLAIN_LABEL =
  /^(?:the )?(?:facts?|info(?:rmation)?|details?|notes?|knowledge|faq|about(?: us)?|background|good to know|context|what to know|company|business)$/i;
/** Behind these stands what to do. */
const TASK_LABEL =
  /^(?:your |the |my )?(?:goals?|tasks?|jobs?|objectives?|steps?|to ?do|ask|get|collect|find out|questions?|qualify|tone|style|role|persona|mission|process|flow|script|rules?|guidelines?|limits?|don'?ts?|never|instructions?)(?: .*)?$/i;

/** The sentences of instructions, with questions and their answers as one, and what a label says of the words behind it. */
export function statedIn(instructions: string): Stated[] {
  const found: Stated[] = [];
  let question: string | undefined;
  for (const raw of instructions.split(/\n+/)) {
    const line = raw.replace(BULLET, "").trim();
    if (line === "") continue;
    const within = ANSWER_WITHIN.exec(line);
    if (within !== null) {
      const asked = line.slice(0, within.index + 1).replace(QUESTION, "");
      found.push(answering(asked, line.slice(within.index + within[0].length)));
      question = undefined;
      continue;
    }
    if (line.endsWith("?") && sentencesIn(line).length === 1) {
      question = line.replace(QUESTION, "");
      continue;
    }
    if (question !== undefined) {
      found.push(answering(question, line.replace(ANSWER, "")));
      question = undefined;
      continue;
    }
    for (const sentence of sentencesIn(line)) found.push(...labelled(sentence.replace(BULLET, "").trim()));
  }
  return found;
}

const answering = (question: string, answer: string): Stated => ({
  text: capitalized(answer.trim()),
  about: `${question} ${answer}`,
});

function labelled(sentence: string): Stated[] {
  const label = LABEL.exec(sentence)?.[1];
  if (label === undefined) return [{ text: capitalized(sentence), about: sentence }];
  const rest = sentence.slice(sentence.indexOf(":") + 1).trim();
  if (PLAIN_LABEL.test(label)) return labelled(rest);
  if (TASK_LABEL.test(foldText(label))) return [{ text: sentence, about: sentence }];
  return [{ text: capitalized(rest), about: `${label} ${rest}` }];
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
