import type { FieldProblem } from "#domain/values/errors.ts";

export const FIELD_TYPES = ["string", "number", "boolean", "enum"] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

/** As a caller writes it: a name, or a name with what helps to ask for it and to read the answer. */
export type ExtractionFieldInput =
  | string
  | { name: string; description?: string; type?: FieldType; choices?: string[]; required?: boolean };

/** As an agent holds it. `choices` is empty unless the type is enum. */
export type ExtractionField = {
  name: string;
  description?: string;
  type: FieldType;
  choices: string[];
  required: boolean;
};

const NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;

/** Each field is a question to a person; nobody answers more, and each costs room in the model's prompt. */
const MAX_FIELDS = 50;
const MAX_DESCRIPTION = 500;
const MAX_CHOICES = 50;
const MAX_CHOICE_LENGTH = 100;

/** The fields with every default filled in, in the caller's order. */
export function normaliseExtractionFields(fields: readonly ExtractionFieldInput[] = []): ExtractionField[] {
  return fields.map((field) => {
    const given = typeof field === "string" ? { name: field } : field;
    const description = given.description?.trim();
    return {
      name: given.name,
      ...(description ? { description } : {}),
      type: given.type ?? (given.choices?.length ? "enum" : "string"),
      choices: given.choices ?? [],
      required: given.required ?? false,
    };
  });
}

/** Everything wrong with `extraction_fields`. */
export function extractionFieldProblems(fields: readonly ExtractionFieldInput[], at: string): FieldProblem[] {
  if (fields.length > MAX_FIELDS) return [{ field: at, message: `must have at most ${MAX_FIELDS} fields` }];
  const problems: FieldProblem[] = [];
  const seen = new Set<string>();
  for (const [index, field] of fields.entries()) {
    const given = typeof field === "string" ? { name: field } : field;
    const here = `${at}[${index}]`;
    const nameAt = typeof field === "string" ? here : `${here}.name`;
    if (!NAME.test(given.name)) {
      problems.push({ field: nameAt, message: "must start with a letter and have up to 64 letters, digits and _" });
    } else if (seen.has(given.name.toLowerCase())) {
      problems.push({ field: nameAt, message: `must be unique, "${given.name}" is there twice` });
    }
    seen.add(given.name.toLowerCase());
    if ((given.description?.length ?? 0) > MAX_DESCRIPTION) {
      problems.push({ field: `${here}.description`, message: `must have at most ${MAX_DESCRIPTION} characters` });
    }
    const choices = choicesProblem(given);
    if (choices) problems.push({ field: `${here}.choices`, message: choices });
  }
  return problems;
}

function choicesProblem({ type, choices }: Exclude<ExtractionFieldInput, string>): string | undefined {
  if (type === "enum" && !choices?.length) return "must list at least one choice for type enum";
  if (choices === undefined) return undefined;
  if (type !== undefined && type !== "enum") return "is only for type enum";
  if (choices.length > MAX_CHOICES) return `must have at most ${MAX_CHOICES} choices`;
  if (choices.some((choice) => choice.trim() === "" || choice.length > MAX_CHOICE_LENGTH)) {
    return `must each have 1 to ${MAX_CHOICE_LENGTH} characters`;
  }
  if (new Set(choices.map((choice) => choice.toLowerCase())).size < choices.length) return "must be unique";
  return undefined;
}
