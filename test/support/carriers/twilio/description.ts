import Schema from "typebox/schema";
import { readText } from "#test/support/source/source.ts";

type Json = Record<string, unknown>;
type Operation = {
  parameters?: { name: string; in: string; required?: boolean; schema: Json }[];
  requestBody?: { content: Record<string, { schema: Json }> };
  responses: Record<string, { content?: Record<string, { schema: Json }> }>;
};

const description = JSON.parse(readText("data/specs/twilio.json")) as {
  paths: Record<string, Record<string, Operation> & { servers: { url: string }[] }>;
  components: { schemas: Record<string, Json> };
};

/** An operation of Twilio's, with the values in its path. */
export type Described = { operation: Operation; path: string; values: Record<string, string> };

export function describedAt(host: string, method: string, path: string): Described | undefined {
  for (const [template, item] of Object.entries(description.paths)) {
    const operation = item[method.toLowerCase()];
    if (!operation || !item.servers[0]!.url.endsWith(host)) continue;
    const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
    const pattern = template.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "([^/]+)");
    const values = new RegExp(`^${pattern}$`).exec(path)?.slice(1);
    if (values)
      return { operation, path: template, values: Object.fromEntries(names.map((name, i) => [name, values[i]!])) };
  }
  return undefined;
}

/** What of a request is not as Twilio describes it. */
export function requestProblems({ operation, values }: Described, query: URLSearchParams, body: string): string[] {
  const parameters = operation.parameters ?? [];
  const problems: string[] = [];
  for (const { name, in: place, required, schema } of parameters) {
    const value = place === "path" ? values[name] : (query.get(name) ?? undefined);
    if (value === undefined && required) problems.push(`${name} is missing`);
    if (value !== undefined) problems.push(...wrong(schema, typed(schema, value)).map((what) => `${name}: ${what}`));
  }
  const known = new Set(parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name));
  for (const name of query.keys()) if (!known.has(name)) problems.push(`${name} is no parameter`);
  const form = operation.requestBody?.content["application/x-www-form-urlencoded"]?.schema;
  if (form) problems.push(...wrong(form, formOf(form, new URLSearchParams(body)), { closed: true }));
  else if (body) problems.push("a body where none is described");
  return problems;
}

/** What of an answer is not as Twilio describes it. Errors are described nowhere. */
export function answerProblems({ operation }: Described, status: number, body: unknown): string[] {
  if (status >= 400) return [];
  const answer = operation.responses[String(status)];
  if (!answer) return [`${status} is no answer of this operation`];
  const schema = answer.content?.["application/json"]?.schema;
  return schema ? wrong(schema, body) : [];
}

/** A form's texts as the types that the description gives them. */
function formOf(schema: Json, form: URLSearchParams): Json {
  const properties = (schema.properties ?? {}) as Record<string, Json>;
  return Object.fromEntries(
    // An empty text takes away what is set, which the description does not say.
    [...new Set(form.keys())]
      .filter((name) => form.get(name) !== "" || !(name in properties))
      .map((name) => {
        const type = resolved(properties[name] ?? {});
        return [name, type.type === "array" ? form.getAll(name) : typed(type, form.get(name)!)];
      }),
  );
}

function typed(schema: Json, value: string): unknown {
  const { type } = resolved(schema);
  if (type === "integer" || type === "number") return Number(value);
  return type === "boolean" ? value === "true" : value;
}

const resolved = (schema: Json): Json =>
  typeof schema.$ref === "string" ? description.components.schemas[schema.$ref.split("/").at(-1)!]! : schema;

const compiled = new Map<Json, ReturnType<typeof Schema.Compile>>();

function wrong(schema: Json, value: unknown, options: { closed?: boolean } = {}): string[] {
  const check = compiled.get(schema) ?? Schema.Compile(jsonSchema(schema, options.closed) as never);
  compiled.set(schema, check);
  const [isRight, errors] = check.Errors(value);
  return isRight ? [] : errors.map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** OpenAPI 3.0 as JSON Schema: what may be null says so in its type, references are filled in, and Twilio's own formats are not known. */
function jsonSchema(schema: Json, closed = false): Json {
  const { nullable, format, ...rest } = resolved(schema);
  const out: Json = {};
  for (const [key, value] of Object.entries(rest)) {
    if (key === "properties")
      out[key] = Object.fromEntries(
        Object.entries(value as Record<string, Json>).map(([name, one]) => [name, jsonSchema(one)]),
      );
    else if (key === "items") out[key] = jsonSchema(value as Json);
    // One of several shapes that have no required field fits them all.
    else if (key === "oneOf" || key === "anyOf") out.anyOf = (value as Json[]).map((one) => jsonSchema(one));
    else out[key] = value;
  }
  if (closed) out.additionalProperties = false;
  // Twilio answers with an empty text where it has no address, and says that it is an address.
  return nullable ? { anyOf: [{ type: "null" }, { const: "" }, out] } : out;
}
