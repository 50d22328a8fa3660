import type { JsonSchema } from "./openapi.ts";

/** One request's body with one thing wrong in it. */
export type Mutant = {
  /** Its number in the list of bad inputs: B051. */
  b: string;
  /** What was put there, in words. */
  what: string;
  /** Where, as errors name it: `contacts[0].phone_number`. */
  at: string;
  /** The body as it is sent, which need not be what JSON.stringify would write. */
  text: string;
};

export type Path = readonly (string | number)[];
type Value = { b: string; what: string; value: unknown };

/** Stands for a number that JSON.stringify cannot write. */
const HUGE = "@@1e309@@";

/** Takes a field away. */
export const MISSING = Symbol("missing");
const value = (b: string, what: string, content: unknown): Value => ({ b, what, value: content });

const OF_ANY: readonly Value[] = [value("B052", "null", null)];

const STRINGS: readonly Value[] = [
  value("B053", "an empty string", ""),
  value("B054", "spaces", "   "),
  value("B055", "a number for a string", 42),
  value("B055", "a boolean for a string", true),
  value("B055", "an object for a string", { a: 1 }),
  value("B055", "an array for a string", ["a"]),
  value("B060", "a string of 1 MB", "x".repeat(1024 * 1024)),
  value("B061", "half a surrogate pair", "a\ud800b"),
  value("B062", "a NUL", "a\0b"),
  value("B063", "a right-to-left override", "abc\u202edef"),
  value("B064", "zero-width characters", "a\u200b\u200d\ufeffb"),
  value("B065", "a flood of combining marks", `a${"\u0301".repeat(300)}`),
  value("B130", "SQL", "'; drop table tenants; --"),
  value("B200", "a script", "<script>alert(1)</script>\"'>"),
  value("B199", "a formula", '=HYPERLINK("http://x.example","y")'),
];

const NUMBERS: readonly Value[] = [
  value("B055", "a string for a number", "1"),
  value("B055", "a boolean for a number", true),
  value("B055", "an array for a number", [1]),
  value("B066", "-1", -1),
  value("B067", "0", 0),
  value("B068", "1e309", HUGE),
  value("B069", "2^53 + 1", 9007199254740993n.toString()),
  value("B069", "1e15", 1e15),
  value("B070", "NaN in words", "NaN"),
  value("B071", "0.1", 0.1),
];

const BOOLEANS: readonly Value[] = [
  value("B055", '"true" for a boolean', "true"),
  value("B055", "1 for a boolean", 1),
  value("B055", "an array for a boolean", []),
];

const ARRAYS: readonly Value[] = [
  value("B055", "an object for an array", {}),
  value("B055", "a string for an array", "a,b"),
  value("B055", "an array of null", [null]),
];

const OBJECTS: readonly Value[] = [
  value("B055", "an array for an object", []),
  value("B055", "a string for an object", "{}"),
  value("B055", "a number for an object", 1),
];

/** Every wrong thing that can be put into each place of a body that is right. */
export function mutantsOf(schema: JsonSchema, body: unknown): Mutant[] {
  return [...walk(schema, body, [])].flatMap(({ path, schema: at }) => {
    const values: Value[] = valuesFor(at);
    const required = requiredAt(schema, path);
    if (required) values.push(value("B051", "a required field missing", MISSING));
    return values.map((value) => ({
      b: value.b,
      what: value.what,
      at: nameOf(path),
      text: written(body, path, value.value),
    }));
  });
}

/** Every place of a schema that a body has something at. */
export function* walk(schema: JsonSchema, at: unknown, path: Path): Generator<{ path: Path; schema: JsonSchema }> {
  if (path.length > 0) yield { path, schema };
  for (const branch of [schema, ...(schema.anyOf ?? [])]) {
    if (branch.properties && at !== null && typeof at === "object" && !Array.isArray(at)) {
      for (const [name, property] of Object.entries(branch.properties)) {
        if (name in at) yield* walk(property, (at as Record<string, unknown>)[name], [...path, name]);
      }
      return;
    }
    if (branch.items && Array.isArray(at) && at.length > 0) {
      yield* walk(branch.items, at[0], [...path, 0]);
      return;
    }
  }
}

function valuesFor(schema: JsonSchema): Value[] {
  const all = [schema, ...(schema.anyOf ?? [])];
  const types = new Set(all.flatMap((branch) => branch.type ?? (branch.properties ? "object" : [])));
  const values: Value[] = [...OF_ANY];
  if (types.has("string")) values.push(...STRINGS, ...edges(all));
  if (types.has("integer") || types.has("number")) values.push(...NUMBERS, ...bounds(all));
  if (types.has("boolean")) values.push(...BOOLEANS);
  if (types.has("array")) values.push(...ARRAYS, ...many(all));
  if (types.has("object")) values.push(...OBJECTS);
  return values;
}

const edges = (all: JsonSchema[]): Value[] =>
  all.flatMap(({ maxLength }) =>
    maxLength ? [value("B059", "one character too many", "x".repeat(maxLength + 1))] : [],
  );

const bounds = (all: JsonSchema[]): Value[] =>
  all.flatMap(({ minimum, maximum }) => [
    ...(minimum === undefined ? [] : [value("B066", "less than the least", minimum - 1)]),
    ...(maximum === undefined ? [] : [value("B066", "more than the most", maximum + 1)]),
  ]);

const many = (all: JsonSchema[]): Value[] =>
  all.flatMap(({ items }) =>
    items ? [value("B124", "a thousand items of the wrong kind", Array(1000).fill([[]]))] : [],
  );

function requiredAt(schema: JsonSchema, path: Path): boolean {
  const name = path.at(-1);
  if (typeof name !== "string") return false;
  return schemaAt(schema, path.slice(0, -1))?.required?.includes(name) === true;
}

function schemaAt(schema: JsonSchema, path: Path): JsonSchema | undefined {
  const [first, ...rest] = path;
  const whole = [schema, ...(schema.anyOf ?? [])].find((branch) => branch.properties ?? branch.items);
  if (first === undefined) return whole;
  const next = typeof first === "number" ? whole?.items : whole?.properties?.[first];
  return next && schemaAt(next, rest);
}

/** A place as errors name it: `contacts[0].phone_number`. */
export const nameOf = (path: Path): string =>
  path.reduce<string>((at, part) => (typeof part === "number" ? `${at}[${part}]` : at ? `${at}.${part}` : part), "");

function written(body: unknown, path: Path, content: unknown): string {
  const text = JSON.stringify(changed(body, path, content));
  return text.replaceAll(`"${HUGE}"`, "1e309");
}

/** A copy of a body with one place changed; an item added where the path leads past an array's end. */
export function changed(at: unknown, path: Path, content: unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return content;
  if (Array.isArray(at)) return at.map((item, i) => (i === first ? changed(item, rest, content) : item));
  const entries = Object.entries(at as Record<string, unknown>).map(([name, old]) => [
    name,
    name === first ? changed(old, rest, content) : old,
  ]);
  return Object.fromEntries(entries.filter(([, kept]) => kept !== MISSING));
}

/** A body with the name of one field wrong by a letter. */
export type Misspelling = { at: string; meant: string; body: unknown };

/** Each name of a body misspelt, but for those in maps of free keys, where any name is as good as another. */
export function misspellingsOf(schema: JsonSchema, body: unknown): Misspelling[] {
  const places = new Map([
    ["", schema],
    ...[...walk(schema, body, [])].map((at) => [nameOf(at.path), at.schema] as const),
  ]);
  const isFree = (path: Path) =>
    path.some((_, i) => {
      const whole = places.get(nameOf(path.slice(0, i)))!;
      return [whole, ...(whole.anyOf ?? [])].some((branch) => branch.additionalProperties !== undefined);
    });
  return [...walk(schema, body, [])].flatMap(({ path }) => {
    const meant = path.at(-1)!;
    if (typeof meant === "number" || isFree(path)) return [];
    const at = [...path.slice(0, -1), `${meant}q`];
    return [{ at: nameOf(at), meant, body: renamed(body, path, at.at(-1) as string) }];
  });
}

function renamed(at: unknown, [first, ...rest]: Path, name: string): unknown {
  if (Array.isArray(at)) return at.map((item, i) => (i === first ? renamed(item, rest, name) : item));
  return Object.fromEntries(
    Object.entries(at as Record<string, unknown>).map(([old, content]) => {
      if (old !== first) return [old, content];
      return rest.length === 0 ? [name, content] : [old, renamed(content, rest, name)];
    }),
  );
}
