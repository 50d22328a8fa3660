import { type FieldProblem, refuseInvalid } from "#domain/values/errors.ts";
import { foldText } from "#domain/values/fold.ts";
import { findLinks } from "#domain/values/link.ts";
import type { FieldKind } from "./field-kind.ts";

/** How a person wants a field to be asked for: first, and when it has to be asked again. */
export type WrittenQuestion = { field: string; question: string; rephrased: string[] };

/** A question that the agent without a model asks, as it was read or as a person wrote it. */
export type ScriptQuestion = WrittenQuestion & {
  kind: FieldKind;
  required: boolean;
  choices: string[];
  /** For a contact who writes Spanish; nobody can edit them. */
  spanish: string[];
  /** The starting message asks for it. */
  isFirst: boolean;
};

/** What the agent without a model makes of an agent. */
export type Script = {
  /** In the order in which they are asked. */
  questions: ScriptQuestion[];
  /** Sentences of the instructions that state something: said to who asks for it. */
  facts: string[];
  /** Sentences of the instructions that forbid: what they are about is left to a person. */
  offLimits: string[];
};

/** Every wording that a person wrote for an agent. */
export const wordingsOf = ({ questions = [] }: { questions?: readonly WrittenQuestion[] }): string[] =>
  questions.flatMap(({ question, rephrased }) => [question, ...rephrased]);

/** Refuses by 400 what cannot be asked, and a question that another field has, too. `script` is the agent's with `written` in it. */
export function refuseWrongQuestions(written: readonly WrittenQuestion[], script: Script): void {
  const problems: FieldProblem[] = [];
  const asked = new Set<string>();
  for (const [index, { field, question, rephrased }] of written.entries()) {
    const at = `questions[${index}]`;
    const own = script.questions.find((one) => one.field === field);
    if (own === undefined) problems.push({ field: `${at}.field`, message: "must be a field that the agent asks for" });
    else if (asked.has(field)) problems.push({ field: `${at}.field`, message: "must be there only once" });
    asked.add(field);
    const others = script.questions.filter((one) => one !== own).flatMap((one) => [one.question, ...one.rephrased]);
    const said = new Set(others.map(foldText));
    for (const [place, wording] of [question, ...rephrased].entries()) {
      const folded = foldText(wording);
      const message =
        wordingProblem(wording) ?? (said.has(folded) ? "must differ from every other question" : undefined);
      const name = place === 0 ? "question" : `rephrased[${place - 1}]`;
      if (message !== undefined) problems.push({ field: `${at}.${name}`, message });
      said.add(folded);
    }
  }
  refuseInvalid(problems);
}

/** A contact may be asked it as it stands: no template fills it in, and no output gate holds it back. */
function wordingProblem(wording: string): string | undefined {
  if (/[{}<>]/.test(wording)) return "must have no braces and no angle brackets: it is said as it stands";
  if (findLinks(wording).length > 0) return "must have no link, e-mail address or phone number";
  const said = wording.trim();
  const isOne = said.endsWith("?") && said.indexOf("?") === said.length - 1 && /[\p{L}\p{N}]/u.test(said);
  return isOne ? undefined : "must be one question that ends in ?";
}
