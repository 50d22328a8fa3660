import { readFileSync } from "node:fs";

type Json = { [name: string]: unknown };

/** A request that an operation takes, and what a service answered to it: its parts that are not there are left out. */
export type Example = { params?: Json; query?: Json; body?: unknown; answer?: unknown };

const FILE = new URL("../../../data/api-examples.json", import.meta.url);

let read: Record<string, Example> | undefined;

/** The examples by operation, as test/acceptance/system/openapi-examples.test.ts has made and tries them. */
export function examples(): Record<string, Example> {
  read ??= JSON.parse(readFileSync(FILE, "utf8")) as Record<string, Example>;
  return read;
}

/** An operation of the document with its example: of its parameters, its body and its success. */
export function withExample(written: Json, status: number): Json {
  const example = examples()[String(written.operationId)];
  if (!example) return written;
  const { requestBody, responses, parameters } = written as {
    requestBody?: Json;
    responses: Json;
    parameters?: Json[];
  };
  const given = { ...example.query, ...example.params };
  return {
    ...written,
    ...(parameters ? { parameters: parameters.map((each) => exampled(each, given[String(each.name)])) } : {}),
    ...(requestBody ? { requestBody: withContent(requestBody, example.body) } : {}),
    responses: { ...responses, [status]: withContent(responses[status] as Json, example.answer) },
  };
}

const exampled = (part: Json, example: unknown): Json => (example === undefined ? part : { ...part, example });

function withContent(part: Json, example: unknown): Json {
  const content = part.content as Json | undefined;
  const json = content?.["application/json"] as Json | undefined;
  return json ? { ...part, content: { ...content, "application/json": exampled(json, example) } } : part;
}
