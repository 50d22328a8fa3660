import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";

/** A wrong field, as the caller wrote its path: `contacts[3].phone_number`. */
export type Problem = { field: string; message: string };

type SchemaError = { keyword: string; instancePath: string; schemaPath: string; params: Record<string, unknown> };

/** Past this many the list helps nobody. */
const MAX_PROBLEMS = 100;

/** Compiles a schema once. The check answers with every wrong field, or nothing. Types are strict: no coercion. */
export function validator(schema: TSchema, whole: string): (value: unknown) => Problem[] {
  const compiled = Compile(schema);
  return (value) => (compiled.Check(value) ? [] : problemsOf(compiled.Errors(value) as SchemaError[], whole));
}

function problemsOf(errors: SchemaError[], whole: string): Problem[] {
  // A union reports each branch and then itself; the branches are told in the union's own sentence.
  const unions = errors.filter((error) => error.keyword === "anyOf");
  const inUnion = (error: SchemaError) => unions.some((union) => error.schemaPath.startsWith(`${union.schemaPath}/anyOf/`));
  const problems = new Map<string, string>();
  for (const error of errors) {
    if (inUnion(error)) continue;
    const at = fieldAt(error.instancePath);
    if (error.keyword === "required") {
      for (const name of error.params.requiredProperties as string[]) add(at ? `${at}.${name}` : name, "is required");
    } else if (error.keyword === "anyOf") {
      add(at, unionMessage(errors.filter((branch) => branch.schemaPath.startsWith(`${error.schemaPath}/anyOf/`))));
    } else add(at, message(error));
  }
  return [...problems].slice(0, MAX_PROBLEMS).map(([field, text]) => ({ field, message: text }));

  function add(field: string, text: string): void {
    if (!problems.has(field || whole)) problems.set(field || whole, text);
  }
}

function fieldAt(pointer: string): string {
  return pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path ? `${path}.${part}` : part), "");
}

function unionMessage(branches: SchemaError[]): string {
  const values = branches.filter((b) => b.keyword === "const").map((b) => JSON.stringify(b.params.allowedValue));
  if (values.length > 1) return `must be one of ${values.join(", ")}`;
  const real = branches.find((b) => !(b.keyword === "type" && b.params.type === "null"));
  return real ? message(real) : "has a wrong value";
}

function message({ keyword, params }: SchemaError): string {
  const limit = params.limit as number;
  switch (keyword) {
    case "type":
      return `must be ${article(String(params.type))}`;
    case "minLength":
    case "pattern":
      return keyword === "minLength" && limit > 1 ? `must have at least ${limit} characters` : formMessage(String(params.pattern ?? ""));
    case "maxLength":
      return `must have at most ${limit} characters`;
    case "minItems":
      return `must have at least ${limit} item${limit === 1 ? "" : "s"}`;
    case "maxItems":
      return `must have at most ${limit} items`;
    case "minimum":
    case "maximum":
    case "exclusiveMinimum":
    case "exclusiveMaximum":
      return `must be ${params.comparison} ${limit}`;
    case "const":
      return `must be ${JSON.stringify(params.allowedValue)}`;
    case "enum":
      return `must be one of ${(params.allowedValues as unknown[]).map((v) => JSON.stringify(v)).join(", ")}`;
    case "boolean":
    case "additionalProperties":
      return "is not a known field";
    default:
      return "has a wrong value";
  }
}

function formMessage(pattern: string): string {
  return pattern === "" || pattern === "\\S" ? "must not be empty" : pattern.includes("@") ? "must be an e-mail address" : "has a wrong form";
}

function article(type: string): string {
  return type === "null" ? type : /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}
