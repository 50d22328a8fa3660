import Schema from "typebox/schema";
import type { Answer, Parley } from "./parley.ts";

/** JSON Schema, as far as the contract uses it. */
export type JsonSchema = {
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  const?: unknown;
  enum?: unknown[];
  default?: unknown;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  description?: string;
  patternProperties?: Record<string, JsonSchema>;
};

/** One operation, as /openapi.json describes it. */
export type Described = {
  id: string;
  method: string;
  /** With `{name}` for parameters. */
  path: string;
  pathParams: string[];
  query: Record<string, { schema: JsonSchema; required: boolean }>;
  /** The names of headers of its own, in lower case. */
  headers: string[];
  /** Of a JSON body; undefined where there is none, or another kind. */
  body: JsonSchema | undefined;
  /** False where its body is of another kind: a form, a file. */
  takesJson: boolean;
  /** The success's status, 101 of a WebSocket, with the schema of its body; of a file its type alone is described. */
  success: { status: number; schema: JsonSchema; type: string };
  /** The schema of every error. */
  error: JsonSchema;
  /** The codes of its errors, by status. */
  errors: ReadonlyMap<number, readonly string[]>;
  testKeysOnly: boolean;
  /** Tried in numbers/carriers.test.ts: the keys of most tests are test keys. */
  liveKeysOnly: boolean;
  /** The token of a link opens it where no key is sent. */
  byLink: boolean;
  scope: string;
  /** Who may call it: whoever has an API key or is signed in, only the latter, or anyone. */
  caller: "key" | "person" | "anyone";
};

type Parameter = { name: string; in: string; required?: boolean; schema: JsonSchema };
type Media = { content?: Record<string, { schema: JsonSchema; examples?: Record<string, unknown> }> };
type Written = {
  operationId: string;
  description: string;
  parameters?: Parameter[];
  requestBody?: Media & { required?: boolean };
  security?: Record<string, string[]>[];
  responses: Record<string, Media>;
};

/** Every operation that an API key opens, by a running service's own description. */
export async function readOperations(api: Pick<Parley, "get">): Promise<Described[]> {
  return (await readAllOperations(api)).filter((operation) => operation.caller === "key" && !operation.liveKeysOnly);
}

/** Those of the console's sessions too. */
export async function readAllOperations(api: Pick<Parley, "get">): Promise<Described[]> {
  const { body: document } = await api.get("/openapi.json", { key: null });
  const whole = resolved(document, document) as { paths: Record<string, Record<string, Written>> };
  return Object.entries(whole.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => described(method.toUpperCase(), path, operation)),
  );
}

const JSON_TYPE = "application/json";

function described(method: string, path: string, operation: Written): Described {
  const parameters = operation.parameters ?? [];
  const [status, success] = Object.entries(operation.responses).find(([code]) => /^(101|2\d\d)$/.test(code))!;
  const errors = Object.entries(operation.responses).filter(([code]) => Number(code) >= 400);
  return {
    id: operation.operationId,
    method,
    path,
    pathParams: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!),
    query: Object.fromEntries(
      parameters
        .filter((parameter) => parameter.in === "query")
        .map(({ name, schema, required }) => [name, { schema, required: required === true }]),
    ),
    headers: parameters.filter((each) => each.in === "header").map(({ name }) => name.toLowerCase()),
    body: operation.requestBody?.content?.[JSON_TYPE]?.schema,
    takesJson: operation.requestBody === undefined || operation.requestBody.content?.[JSON_TYPE] !== undefined,
    success: successOf(Number(status), success),
    error: errors[0]![1].content![JSON_TYPE]!.schema,
    errors: new Map(
      errors.map(([code, { content }]) => [Number(code), Object.keys(content![JSON_TYPE]!.examples ?? {})]),
    ),
    testKeysOnly: operation.description.includes("test keys only"),
    liveKeysOnly: operation.description.includes("live keys only"),
    byLink: (operation.security ?? []).some((way) => "link" in way),
    scope: /Scope: `(\w+)`/.exec(operation.description)?.[1] ?? "",
    caller: callerOf(operation.security),
  };
}

function callerOf(security: Written["security"]): Described["caller"] {
  if (security === undefined || security.some((way) => "apiKey" in way)) return "key";
  return security.length > 0 ? "person" : "anyone";
}

function successOf(status: number, { content = {} }: Media): Described["success"] {
  const [type, media] = Object.entries(content)[0] ?? [JSON_TYPE, undefined];
  return { status, schema: media?.schema ?? {}, type };
}

/** The document with every reference replaced by what it names. */
function resolved(at: unknown, document: unknown): unknown {
  if (Array.isArray(at)) return at.map((item) => resolved(item, document));
  if (at === null || typeof at !== "object") return at;
  const { $ref, ...rest } = at as { $ref?: string };
  if (typeof $ref !== "string") {
    return Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, resolved(value, document)]));
  }
  const target = $ref
    .split("/")
    .slice(1)
    .reduce<unknown>((part, name) => (part as Record<string, unknown>)[name.replaceAll("~1", "/")], document);
  return resolved(target, document);
}

const compiled = new WeakMap<JsonSchema, ReturnType<typeof Schema.Compile>>();

/** Whether a value is of a schema. */
export function fits(schema: JsonSchema, value: unknown): boolean {
  const known = compiled.get(schema) ?? Schema.Compile(schema as never);
  compiled.set(schema, known);
  return known.Check(value);
}

const closed = new WeakMap<JsonSchema, JsonSchema>();

/** The schema without room for what it does not name: an answer's field that is not described does not fit. */
function withoutMore(schema: JsonSchema): JsonSchema {
  const known = closed.get(schema);
  if (known) return known;
  const { properties, items, anyOf } = schema;
  const tight: JsonSchema = {
    ...schema,
    ...(properties
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, property]) => [name, withoutMore(property)]),
          ),
          additionalProperties: schema.additionalProperties ?? false,
        }
      : {}),
    ...(items ? { items: withoutMore(items) } : {}),
    ...(anyOf ? { anyOf: anyOf.map(withoutMore) } : {}),
  };
  closed.set(schema, tight);
  return tight;
}

/** What is wrong with an answer by the operation's own description: its status, its type, its body. Undefined when all is well. */
export function nonconformance(operation: Described, answer: Answer): string | undefined {
  const { status, headers, body } = answer;
  const isError = status >= 400 && status < 600;
  const wanted = isError ? JSON_TYPE : operation.success.type;
  const type = headers.get("content-type") ?? "";
  // Sound and archives have no charset.
  const isText = !wanted.startsWith("audio/") && wanted !== "application/zip";
  const isWanted = isText ? type.startsWith(`${wanted}; charset=utf-8`) : type === wanted;
  if (!isWanted) return `content type ${type}`;
  if (isError) {
    const isDescribed = operation.errors.get(status)?.includes(body.code);
    return isDescribed ? misfit(withoutMore(operation.error), body) : `status ${status} ${body.code} is not described`;
  }
  if (status !== operation.success.status) return `status ${status}, described is ${operation.success.status}`;
  return misfit(withoutMore(operation.success.schema), body);
}

function misfit(schema: JsonSchema, body: unknown): string | undefined {
  if (fits(schema, body)) return undefined;
  const [, errors] = compiled.get(schema)!.Errors(body);
  const described = errors
    .slice(0, 5)
    .map((error) => `${error.instancePath} ${error.message} ${JSON.stringify(error.params)}`);
  return `body is not as described: ${described.join("; ")}`;
}

/** A path with its parameters filled in, and a query. */
export function urlOf(path: string, params: Record<string, string>, query: Record<string, unknown> = {}): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? "nonsense"));
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  return pairs.length > 0 ? `${filled}?${pairs.join("&")}` : filled;
}
