import type { TObject } from "typebox";
import type { FieldProblem } from "#domain/values/errors.ts";

/**
 * Turns a query's strings into the types that its schema names. What does not read as one stays a string, so that
 * the schema names the field in its 400. A name given twice stays an array, which no schema of ours takes.
 */
export function parseQuery(schema: TObject, query: Record<string, unknown>): Record<string, unknown> {
  const parsed: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(query)) {
    const type = (schema.properties[name] as { type?: string } | undefined)?.type;
    parsed[name] = typeof value === "string" ? read(type, value) : value;
  }
  return parsed;
}

/** What is wrong with a query, where a name given twice is wrong as such, whatever its values. */
export const givenOnce = (query: unknown, problems: readonly FieldProblem[]): FieldProblem[] =>
  problems.map((problem) =>
    Array.isArray((query as Record<string, unknown>)[problem.field])
      ? { ...problem, message: "is given more than once" }
      : problem,
  );

function read(type: string | undefined, value: string): unknown {
  if (type === "integer" && /^-?\d{1,15}$/.test(value)) return Number(value);
  if (type === "number" && /^-?\d{1,15}(\.\d{1,9})?$/.test(value)) return Number(value);
  if (type === "boolean" && (value === "true" || value === "false")) return value === "true";
  return value;
}
