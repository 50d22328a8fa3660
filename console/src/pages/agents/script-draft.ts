import type { Answer, Args } from "#api/operations.ts";

export type ScriptQuestion = Answer<"GET /v1/agents/:agent_id/script">["script"]["questions"][number];
export type Written = NonNullable<Args<"PUT /v1/agents/:agent_id/script">["body"]>["questions"][number];

/** A question as its fields hold it: `again` is what a person wants to be asked when it brought no answer. */
export type Wording = { question: string; again: readonly string[] };

/** What somebody has changed and not saved, by field; null puts a question back to the agent's own words. */
export type ScriptDraft = { changed: Record<string, Wording | null> };

/** A question as it is saved: what it is asked by again is a person's only where somebody wrote it. */
export const savedWording = ({ field, question }: ScriptQuestion, written: readonly Written[]): Wording => ({
  question,
  again: written.find((one) => one.field === field)?.rephrased ?? [],
});

/** A draft with one question changed, or without the change where it is as it was. */
export function withWording({ changed }: ScriptDraft, field: string, saved: Wording, now: Wording | null): ScriptDraft {
  const { [field]: _, ...others } = changed;
  const isSame =
    now !== null && now.question === saved.question && said(now.again).join("\n") === said(saved.again).join("\n");
  return { changed: isSame ? others : { ...others, [field]: now } };
}

/** All questions that are in a person's words once the draft is saved; `written` are those that are already. */
export function writtenOf(
  questions: readonly ScriptQuestion[],
  written: readonly Written[],
  { changed }: ScriptDraft,
): Written[] {
  return questions.flatMap(({ field }) => {
    const now = changed[field];
    if (now === undefined) return written.filter((one) => one.field === field);
    return now === null ? [] : [{ field, question: now.question, rephrased: said(now.again) }];
  });
}

const said = (wordings: readonly string[]): string[] => wordings.filter((wording) => wording.trim() !== "");
