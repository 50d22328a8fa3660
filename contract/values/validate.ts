import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { Settings } from "typebox/system";
import { formOf } from "./forms.ts";
import { unknownNames } from "./unknown-names.ts";

/** A wrong field, as the caller wrote its path: `contacts[3].phone_number`. */
export type Problem = { field: string; message: string };

type SchemaError = { keyword: string; instancePath: string; schemaPath: string; params: Record<string, unknown> };

/** A name that is too long is reported by its beginning. */
const MAX_SHOWN = 100;

/** Past this many the list helps nobody. */
const MAX_PROBLEMS = 100;

// TypeBox stops at eight errors of its own; each branch of a union is one of them, so more are collected than reported.
Settings.Set({ maxErrors: 10 * MAX_PROBLEMS });

/**
 * Compiles a schema once. The check answers with every wrong field, misspelt ones first, or nothing. Types are strict: no coercion. Other fields
 * that the schema does not have are no problem: clients of the interface send more than it shows, or what they have read in an `answer`.
 */
export function validator(schema: TSchema, whole: string, answer?: TSchema): (value: unknown) => Problem[] {
  const compiled = Compile(schema);
  const unknownIn = unknownNames(schema, answer);
  const what = whole === "querystring" ? "parameter" : "field";
  return (value) => {
    const misspelt = unknownIn(value).flatMap(({ field, meant }) =>
      meant === undefined ? [] : [{ field, message: `is not a known ${what}, did you mean ${meant}?` }],
    );
    const wrong = compiled.Check(value) ? [] : problemsOf(compiled.Errors(value) as SchemaError[], whole);
    return [...misspelt, ...wrong].slice(0, MAX_PROBLEMS);
  };
}

function problemsOf(errors: SchemaError[], whole: string): Problem[] {
  const problems = new Map<string, string>();
  addProblems(errors, (field, text) => {
    if (!problems.has(field || whole)) problems.set(field || whole, text);
  });
  return [...problems].slice(0, MAX_PROBLEMS).map(([field, text]) => ({ field, message: text }));
}

type AddProblem = (field: string, message: string) => void;

/** A union reports the errors of each branch and then itself; only the relevant ones are reported. */
function addProblems(errors: SchemaError[], add: AddProblem): void {
  const unions = errors.filter((error) => error.keyword === "anyOf");
  const outer = unions.filter((union) => !unions.some((other) => other !== union && isUnder(union, other)));
  for (const error of errors) {
    if (outer.includes(error)) addUnion(error, errors, add);
    else if (!outer.some((union) => isUnder(error, union))) addOne(error, errors, add);
  }
}

function isUnder(error: SchemaError, union: SchemaError): boolean {
  return error.schemaPath.startsWith(`${union.schemaPath}/anyOf/`) && isWithin(error.instancePath, union.instancePath);
}

const isWithin = (path: string, whole: string) => path === whole || path.startsWith(`${whole}/`);

/** Errors of a union: those of the branch that matches the value's type; without one, the allowed types. */
function addUnion(union: SchemaError, all: SchemaError[], add: AddProblem): void {
  const branches = new Map<string, SchemaError[]>();
  for (const error of all) {
    if (!isUnder(error, union)) continue;
    const branch = error.schemaPath.slice(union.schemaPath.length).split("/")[2]!;
    branches.set(branch, [...(branches.get(branch) ?? []), error]);
  }
  // A value of another type is not of a branch's kind; a branch that begins with "not" is the if of a then.
  const ofKind = [...branches.values()].filter(
    (branch) =>
      !branch.some(
        (error) => error.keyword === "not" || (error.keyword === "type" && error.instancePath === union.instancePath),
      ),
  );
  // One of several fields has to be there, and none is.
  const missing = ofKind.map((branch) =>
    branch.flatMap(({ keyword, params }) => (keyword === "required" ? (params.requiredProperties as string[]) : [])),
  );
  const [first, ...others] = missing.flat();
  if (ofKind.length === 1) addProblems(ofKind[0]!, add);
  else if (first !== undefined && ofKind.every((branch, i) => branch.length === 1 && missing[i]!.length === 1)) {
    const at = fieldAt(union.instancePath);
    add(at ? `${at}.${first}` : first, `or ${others.join(" or ")} is required`);
  } else add(fieldAt(union.instancePath), unionMessage([...branches.values()].flat()));
}

function addOne(error: SchemaError, all: SchemaError[], add: AddProblem): void {
  const at = fieldAt(error.instancePath);
  // An error in a property name is reported for the field that has it, below.
  if (error.schemaPath.endsWith("/propertyNames")) return;
  if (error.keyword === "propertyNames") {
    for (const name of error.params.propertyNames as string[]) {
      add(`${at ? `${at}.` : ""}${name.slice(0, MAX_SHOWN) || '""'}`, "has a name that is empty or too long");
    }
    return;
  }
  if (error.keyword === "required") {
    for (const name of error.params.requiredProperties as string[]) add(at ? `${at}.${name}` : name, "is required");
    return;
  }
  // Where other fields are allowed but must have a form, their errors are reported separately.
  const isReported = all.some((other) => other !== error && other.instancePath.startsWith(`${error.instancePath}/`));
  if (error.keyword !== "additionalProperties" || !isReported) add(at, message(error));
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
  const types = branches.filter((b) => b.keyword === "type").flatMap((b) => b.params.type as string | string[]);
  if (types.length === branches.length) return `must be ${either(types)}`;
  const real = branches.find((b) => !(b.keyword === "type" && b.params.type === "null"));
  return real ? message(real) : "has a wrong value";
}

function message({ keyword, params }: SchemaError): string {
  const limit = params.limit as number;
  switch (keyword) {
    case "type":
      return `must be ${either([params.type as string | string[]].flat())}`;
    case "minLength":
    case "pattern":
      return keyword === "minLength" && limit > 1
        ? `must have at least ${limit} characters`
        : (formOf(String(params.pattern ?? "")) ?? `must match ${params.pattern}`);
    case "maxLength":
      return `must have at most ${limit} characters`;
    case "minItems":
      return `must have at least ${limit} item${limit === 1 ? "" : "s"}`;
    case "maxItems":
      return `must have at most ${limit} items`;
    case "maxProperties":
      return `must have at most ${limit} fields`;
    case "uniqueItems":
      return "must have each item once";
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

/** "a string, number or boolean". That it may be null besides is not what the caller did wrong. */
function either(types: readonly string[]): string {
  const shown = types.filter((type) => type !== "null" || types.length === 1);
  const text = [shown.slice(0, -1).join(", "), shown.at(-1)].filter(Boolean).join(" or ");
  return text === "null" ? text : /^[aeiou]/.test(text) ? `an ${text}` : `a ${text}`;
}
