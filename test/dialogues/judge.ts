import { alternatives, type Dialogue, partsOf, patternIn } from "./dialogue.ts";
import { type Answer, type Played, ZONE } from "./play.ts";
import { brokenRules, questionsOf } from "./rules.ts";

/** What is wrong with a field at the end, with the value that was extracted. */
export type FieldFault = { name: string; kind: "wrong" | "missing"; value?: string };

export type Judgement = {
  played: Played;
  /** For each turn, the conditions that do not hold; a turn without one is a right move. */
  failed: string[][];
  faults: FieldFault[];
  /** How many fields have to be known at the end. */
  expected: number;
  broken: { turn: number; rule: string }[];
};

export function judge(played: Played): Judgement {
  const { dialogue, answers, fields } = played;
  const failed = answers.map((answer, index) =>
    dialogue.turns[index]!.expect.filter((condition) => !holds(condition, answer, dialogue)),
  );
  return {
    played,
    failed,
    faults: fieldFaults(dialogue, fields),
    expected: Object.keys(dialogue.fields).length,
    broken: brokenRules(played),
  };
}

/** Whether a condition of `expect` holds; of `a|b`, whether one of them does. A model that failed did nothing right. */
export function holds(condition: string, answer: Answer, dialogue: Pick<Dialogue, "agent">): boolean {
  if (answer.failure !== undefined) return false;
  return alternatives(condition).some((one) => holdsAlone(one, answer, dialogue));
}

function holdsAlone(condition: string, { text, tools }: Answer, { agent }: Pick<Dialogue, "agent">): boolean {
  const { kind, rest } = partsOf(condition)!;
  const questions = questionsOf(text);
  switch (kind) {
    case "ask":
      return questions.length === 1 && (rest === "" || asksFor(agent.asks[rest]!, questions[0]!, text));
    case "no-question":
      return text !== "" && questions.length === 0;
    case "silent":
      return text === "";
    case "says":
      return new RegExp(rest, "i").test(text);
    case "not":
      return !new RegExp(rest, "i").test(text);
    case "tool":
      return tools.some(({ name }) => name === rest);
    case "time":
      return tools.some(({ name, at }) => name === "schedule" && at !== undefined && localTime(at) === rest);
    default:
      return false;
  }
}

/** The patterns are English: of a Spanish answer it can only be said that it asks. */
function asksFor(pattern: string, question: string, text: string): boolean {
  return new RegExp(pattern, "i").test(question) || /[¿áéíóúñ¡]/i.test(text);
}

const LOCAL = new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "short", timeZone: ZONE });

/** `2026-11-24T15:00` in the contact's zone. */
const localTime = (at: Date): string => LOCAL.format(at).replace(" ", "T");

/** All that is wrong at the end: a value that does not match, or that neither had to nor might be known, and what is not known. */
export function fieldFaults(
  { fields: expected, may }: Pick<Dialogue, "fields" | "may">,
  extracted: Readonly<Record<string, string>>,
): FieldFault[] {
  const missing = Object.keys(expected).filter((name) => !Object.hasOwn(extracted, name));
  const wrong = Object.entries(extracted).filter(([name, value]) => {
    const given = Object.hasOwn(expected, name) ? expected[name]! : (may[name] ?? []);
    const right = [given].flat();
    return !right.some((one) => matches(one, value));
  });
  return [
    ...wrong.map(([name, value]): FieldFault => ({ name, kind: "wrong", value })),
    ...missing.map((name): FieldFault => ({ name, kind: "missing" })),
  ];
}

function matches(right: string, value: string): boolean {
  const pattern = patternIn(right);
  if (pattern !== undefined) return new RegExp(pattern, "i").test(value);
  return right.trim().toLowerCase() === value.trim().toLowerCase();
}
