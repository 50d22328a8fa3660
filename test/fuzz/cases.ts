import fc from "fast-check";
import { changed, MISSING, type Path, walk } from "#test/support/api/bad-values.ts";
import { type Described, fits } from "#test/support/api/openapi.ts";
import type { Sent } from "#test/support/api/world.ts";

/** An operation with requests that it takes: with what is required, and with everything. */
export type Target = { operation: Described; requests: readonly Sent[] };

/** Who asks: with the right key, with none, or with one that is made up. */
export type Auth = "key" | "none" | { key: string };

/** One request. `isValid` says whether its query and body are of the operation's schemas; undefined: it may be either. */
export type Case = {
  operation: string;
  method: string;
  params: Record<string, string>;
  query: Record<string, string>;
  /** As it is sent. */
  body: string | undefined;
  headers: Record<string, string>;
  auth: Auth;
  isValid: boolean | undefined;
  /** Its path names what is there. */
  isThere: boolean;
  /** Something of it is beyond what bodies are made for: it may be too large for its operation. */
  isLarge: boolean;
};

/** Texts in which programs have lost their way. */
const TRAPS = [
  "",
  " ",
  "\0",
  "\u202e",
  "\ufeff",
  "null",
  "undefined",
  "__proto__",
  "constructor",
  "{{first_name}}",
  "{{",
  "'; drop table tenants; --",
  "\\",
  "%00",
  "../..",
  "1e309",
  "-0",
  "+12125550101",
  "+1212555010",
  "911",
  "2026-02-30T00:00:00Z",
  "0000-01-01T00:00:00Z",
  "9999-12-31T23:59:59.999Z",
  "2026-03-08T02:30:00-05:00",
  "😀".repeat(50),
  "x".repeat(10_001),
];

const text = fc.oneof(
  fc.constantFrom(...TRAPS),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({ unit: "grapheme" }),
);
const number = fc.oneof(
  fc.integer(),
  fc.double(),
  fc.maxSafeInteger(),
  fc.constantFrom(0, -1, 1e15, 2 ** 53, 2 ** 31, 31_536_000_000, Number.MAX_VALUE, 5e-324),
);
const scalar = fc.oneof(text, number, fc.boolean(), fc.constant(null));
const anything: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: scalar },
  { weight: 1, arbitrary: fc.array(scalar, { maxLength: 5 }) },
  { weight: 1, arbitrary: fc.dictionary(text, scalar, { maxKeys: 5 }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
);

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** What parsers and those who walk their values have died of: long texts, long lists, and values inside values. */
const large: fc.Arbitrary<unknown> = fc.oneof(
  fc.integer({ min: 20_000, max: 1_200_000 }).map((length) => "x".repeat(length)),
  fc.integer({ min: 1_000, max: 50_000 }).map((length) => Array<number>(length).fill(1)),
  fc
    .integer({ min: 1_000, max: 20_000 })
    .map((n) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`k${i}`, i]))),
  fc.tuple(fc.integer({ min: 20, max: 2_000 }), fc.boolean()).map(([depth, isList]) => {
    let value: unknown = 1;
    for (let i = 0; i < depth; i++) value = isList ? [value] : { a: value };
    return value;
  }),
);

/** Any request to any of these. */
export const anyCase = (targets: readonly Target[]): fc.Arbitrary<Case> => fc.constantFrom(...targets).chain(caseFor);

function caseFor({ operation, requests }: Target): fc.Arbitrary<Case> {
  return fc.constantFrom(...requests).chain((sent) => {
    const places = operation.body ? [...walk(operation.body, sent.body, [])].map(({ path }) => path) : [];
    const fields = Object.keys(operation.query);
    return fc
      .record({
        edits: places.length > 0 ? fc.array(editOf(places), { maxLength: 2 }) : noEdits,
        more: fc.option(fc.tuple(text, anything), { freq: 5 }),
        large: rarely(40, fc.tuple(fc.constantFrom(null, ...places), large)),
        raw: fc.option(fc.oneof(text, fc.json()), { freq: 30 }),
        query:
          fields.length > 0 ? fc.array(fc.tuple(fc.constantFrom(...fields), queryText), { maxLength: 2 }) : noPairs,
        param: paramOf(operation),
        method: rarely(30, fc.constantFrom(...METHODS)),
        headers: rarely(10, fc.constantFrom<Record<string, string>>(...HEADERS)),
        auth,
      })
      .map((made) => build(operation, sent, made));
  });
}

type Edit = { path: Path; value: unknown };
type Made = {
  edits: Edit[];
  /** A field that the operation does not know, beside those that it does. */
  more: [string, unknown] | null;
  /** One of its values, or where there is none a field that it does not know, in place of what is there. */
  large: [Path | null, unknown] | undefined;
  /** In place of the whole body. */
  raw: string | null;
  query: [string, string][];
  param: [string, string] | undefined;
  method: string | undefined;
  headers: Record<string, string> | undefined;
  auth: Auth;
};

const editOf = (places: readonly Path[]): fc.Arbitrary<Edit> =>
  fc.record({
    path: fc.constantFrom(...places),
    value: fc.oneof({ weight: 9, arbitrary: anything }, { weight: 1, arbitrary: fc.constant(MISSING) }),
  });

const noEdits = fc.constant<Edit[]>([]);
const noPairs = fc.constant<[string, string][]>([]);
const queryText = fc.oneof(text, fc.integer().map(String), fc.constantFrom("true", "false", "1", "500", "501"));

/** One time in `freq`. */
const rarely = <T>(freq: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: freq - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

/** What is deleted or revoked would be gone for all later cases: a delete is asked for what is not there. */
function paramOf(operation: Described): fc.Arbitrary<[string, string] | undefined> {
  if (operation.pathParams.length === 0) return fc.constant(undefined);
  const one = fc.tuple(fc.constantFrom(...operation.pathParams), text);
  return operation.method === "DELETE" ? one : rarely(6, one);
}

const auth: fc.Arbitrary<Auth> = fc.oneof(
  { weight: 20, arbitrary: fc.constant<Auth>("key") },
  { weight: 1, arbitrary: fc.constant<Auth>("none") },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme-ascii", minLength: 1 }).map((key): Auth => ({ key })) },
);

/** Headers that change what a request is. None of them may be believed, or harm. */
const HEADERS: readonly Record<string, string>[] = [
  { "content-type": "text/plain" },
  { "content-type": "application/json; charset=latin1" },
  { "content-encoding": "gzip" },
  { "x-http-method-override": "DELETE" },
  { "x-forwarded-for": "10.0.0.1" },
  { "idempotency-key": "fuzz" },
  { "idempotency-key": "" },
  { accept: "text/html" },
  { "if-match": "*" },
];

function build(operation: Described, sent: Sent, made: Made): Case {
  let body = sent.body;
  for (const { path, value } of made.edits) if (reaches(body, path)) body = changed(body, path, value);
  if (made.more && body !== null && typeof body === "object" && !Array.isArray(body)) {
    body = Object.fromEntries([made.more, ...Object.entries(body)]);
  }
  if (made.large) {
    const [path, value] = made.large;
    if (path && reaches(body, path)) body = changed(body, path, value);
    else if (body !== null && typeof body === "object" && !Array.isArray(body)) body = { ...body, large: value };
  }
  const written = operation.body === undefined ? undefined : (made.raw ?? JSON.stringify(body));
  const query = { ...sent.query, ...Object.fromEntries(made.query) };
  const texts = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));
  return {
    operation: operation.id,
    // Where the path has it, another method is another operation's, and may delete.
    method: made.method ?? operation.method,
    params: { ...sent.params, ...(made.param ? { [made.param[0]]: made.param[1] } : {}) },
    query: texts,
    body: written,
    headers: made.headers ?? {},
    auth: made.auth,
    isValid:
      Object.entries(texts).every(([name, value]) => isQuery(operation, name, value)) && isBody(operation, written),
    isThere: made.param === undefined,
    isLarge: made.large !== undefined,
  };
}

/** An edit may lead to what another has taken away. */
function reaches(body: unknown, path: Path): boolean {
  let at = body;
  return path.every((part) => {
    if (at === null || typeof at !== "object" || !Object.hasOwn(at, part)) return false;
    at = (at as Record<string | number, unknown>)[part];
    return true;
  });
}

/** What PostgreSQL cannot store, or would reach for a prototype, is refused whatever the schema says. */
const REFUSED = /\\u0000|\\ud[89a-f]|"__proto__"\s*:/i;
/** Only with a prototype inside. */
const PERHAPS = /"constructor"\s*:/;

/** As src/domain/values/json-bounds.ts has it. */
const MAX_DEPTH = 64;

/** How deep brackets stand in brackets, outside of strings. */
function depthOf(written: string): number {
  let [depth, deepest] = [0, 0];
  for (const char of written.replace(/"(?:[^"\\]|\\.)*"/g, "")) {
    if (char === "[" || char === "{") deepest = Math.max(deepest, ++depth);
    else if (char === "]" || char === "}") depth--;
  }
  return deepest;
}

function isBody(operation: Described, written: string | undefined): boolean | undefined {
  if (operation.body === undefined) return true;
  if (written === undefined || REFUSED.test(written)) return false;
  if (PERHAPS.test(written)) return undefined;
  if (depthOf(written) > MAX_DEPTH) return false;
  try {
    return fits(operation.body, JSON.parse(written));
  } catch {
    return false;
  }
}

function isQuery(operation: Described, name: string, value: string): boolean {
  const schema = operation.query[name]?.schema;
  if (schema === undefined) return true;
  if (value.includes("\0")) return false;
  if (schema.type === "boolean") return value === "true" || value === "false";
  const written = { integer: /^-?\d{1,15}$/, number: /^-?\d{1,15}(\.\d{1,9})?$/ }[String(schema.type)];
  return fits(schema, written?.test(value) ? Number(value) : value);
}
