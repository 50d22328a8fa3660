import { errorSchema } from "#contract/values/error.ts";
import type { Operation } from "#contract/values/operation.ts";
import { ERRORS, type ErrorCode } from "#domain/values/errors.ts";
import { errorsOf } from "./described-errors.ts";
import { withExample } from "./examples.ts";
import { withClocks, withUnits } from "./units.ts";

type Json = { [name: string]: unknown };

const JSON_TYPE = "application/json";
const ref = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });

const IDEMPOTENCY_KEY = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "1 to 255 printable characters of the caller's choice. For 24 hours a repeat with the same key, path and body gets the first answer and does " +
    "nothing new (`Idempotent-Replayed: true`); with another body it is a 422, while the first still runs a 409",
  schema: { type: "string", minLength: 1, maxLength: 255 },
};

const REQUEST_ID = { description: "Of this answer; quote it when you ask for help", schema: { type: "string" } };
const RETRY_AFTER = { description: "Seconds until a repeat makes sense", schema: { type: "integer" } };

/** Takes an Idempotency-Key: every POST by key or session that answers with JSON. */
export const takesIdempotencyKey = ({ method, caller }: Operation): boolean =>
  method === "POST" && caller === undefined;

/**
 * The document as Fastify makes it, with what an integrator's tools want besides: every object that has a title, each request and each
 * answer once, under its name; the Idempotency-Key where it is taken; the errors of each operation, by status and code.
 */
export function completed(document: Json, operations: readonly Operation[]): Json {
  const byId = new Map(operations.map((operation) => [operation.id, operation]));
  const own = document.components as Json;
  const schemas: Json = {};
  const responses: Json = {};
  const nameParts = (written: Json) => {
    const operation = byId.get(String(written.operationId))!;
    const name = operation.id.charAt(0).toUpperCase() + operation.id.slice(1);
    const body = (written.requestBody as { content?: Json } | undefined)?.content?.[JSON_TYPE] as Json | undefined;
    if (body) body.schema = { ...(body.schema as Json), title: `${name}Request` };
    const succeeded = (written.responses as Json)[operation.status] as { content?: Json };
    const success = succeeded.content?.[JSON_TYPE] as Json | undefined;
    if (success) success.schema = { ...(success.schema as Json), title: `${name}Response` };
    const parameters = takesIdempotencyKey(operation) ? [ref("parameters", "IdempotencyKey")] : [];
    return {
      ...written,
      ...(written.parameters || parameters.length > 0
        ? { parameters: [...((written.parameters as unknown[] | undefined) ?? []), ...parameters] }
        : {}),
      responses: {
        ...(withClocks(operation, withoutErrors(written.responses as Json)) as Json),
        ...errorAnswers(operation, responses),
      },
    };
  };
  const statusOf = ({ operationId }: Json) => byId.get(String(operationId))!.status;
  const paths = mapped(document.paths as Json, (methods) => mapped(methods as Json, (each) => nameParts(each as Json)));
  return {
    ...document,
    // Last: an example is no part of a schema.
    paths: mapped(hoisted(withUnits(paths), schemas) as Json, (methods) =>
      mapped(methods as Json, (written) => withExample(written as Json, statusOf(written as Json))),
    ),
    components: {
      ...own,
      schemas: sorted({ ...schemas, Error: errorSchema }),
      parameters: { IdempotencyKey: IDEMPOTENCY_KEY },
      responses: sorted(responses),
      examples: mapped(ERRORS, (_, code) => ({ summary: code, value: errorExample(code as ErrorCode) })),
    },
  };
}

const mapped = (object: object, change: (value: unknown, name: string) => unknown): Json =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value, name)]));

const sorted = (object: Json): Json =>
  Object.fromEntries(Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1)));

const withoutErrors = (responses: Json): Json =>
  Object.fromEntries(Object.entries(responses).filter(([status]) => !/^[45]/.test(status)));

/** An answer for each status, named by its codes where it is among the components. */
function errorAnswers(operation: Operation, responses: Json): Json {
  const byStatus = Map.groupBy(errorsOf(operation), (code) => ERRORS[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => {
      const name = codes.join(".");
      responses[name] ??= {
        description: codes.map((code) => `\`${code}\`: ${ERRORS[code].meaning}`).join("\n\n"),
        headers: {
          "X-Request-Id": REQUEST_ID,
          ...(status === 429 || status === 503 ? { "Retry-After": RETRY_AFTER } : {}),
        },
        content: {
          [JSON_TYPE]: {
            schema: ref("schemas", "Error"),
            examples: Object.fromEntries(codes.map((code) => [code, ref("examples", code)])),
          },
        },
      };
      return [status, ref("responses", name)];
    }),
  );
}

/** The body of an error, as one operation or another answers it. */
function errorExample(code: ErrorCode): Json {
  const details = code === "invalid_request" ? { details: [{ field: "name", message: "is required" }] } : {};
  return {
    success: false,
    error: code === "invalid_request" ? "name is required" : (SENTENCES[code] ?? ERRORS[code].meaning),
    code,
    ...details,
    request_id: "019a8f6e-3f2b-7c41-9d0e-5b6a7c8d9e0f",
    powered_by: "Parley",
  };
}

/** Sentences that the interface fixes. */
const SENTENCES: Partial<Record<ErrorCode, string>> = {
  unauthorized: "Invalid API key",
  not_found: "Contact not found",
};

/** Replaces each object that has a title by a reference to it, among `schemas`. Two that differ may not have one name. */
function hoisted(at: unknown, schemas: Json): unknown {
  if (Array.isArray(at)) return at.map((item) => hoisted(item, schemas));
  if (at === null || typeof at !== "object") return at;
  const inside = mapped(at, (value) => hoisted(value, schemas));
  const { title, ...schema } = inside;
  if (typeof title !== "string" || !isSchema(inside)) return inside;
  const written = asClientsCan(schema);
  const known = schemas[title];
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(written)) throw new Error(`two schemas ${title}`);
  schemas[title] = written;
  return ref("schemas", title);
}

/**
 * TypeScript has no type for optional fields of one kind beside any others of another kind, so that a generated client with both does not
 * compile. What the others may be stands in `patternProperties`, which validators read and generators leave out.
 */
function asClientsCan(schema: Json): Json {
  const { properties, additionalProperties } = schema;
  if (!isSchemaObject(properties) || !isSchemaObject(additionalProperties)) return schema;
  const others = `^(?!(?:${Object.keys(properties).join("|")})$)`;
  return { ...schema, additionalProperties: true, patternProperties: { [others]: additionalProperties } };
}

const isSchemaObject = (value: unknown): value is Json => typeof value === "object" && value !== null;

/** A property may be called `title` too; the title of a schema is next to its type. */
const isSchema = ({ type, anyOf }: Json): boolean => typeof type === "string" || Array.isArray(anyOf);
