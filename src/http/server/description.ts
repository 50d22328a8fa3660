import type { TObject, TSchema } from "typebox";
import { aliasesOf } from "#contract/values/names.ts";
import type { Operation } from "#contract/values/operation.ts";

const BINARY = { schema: { type: "string", format: "binary" } };
const WAV = { "audio/wav": BINARY };
const ANY = { "*/*": BINARY };

/** Around the own fields of every success. */
const COMMON = {
  success: { type: "boolean" },
  powered_by: { type: "string" },
  warnings: {
    type: "array",
    items: { type: "string" },
    description:
      "A sentence for each field or parameter that is not known and was ignored, and for what will not work as the request says; absent where there are none",
  },
};

/** A file that a link's token opens without a key. */
export const opensByLink = (operation: Operation): boolean =>
  (operation.audio === true || operation.media === true) && "token" in (operation.query?.properties ?? {});

/** An operation as the OpenAPI document describes it, in the form of a Fastify schema. */
export function describe(operation: Operation): Record<string, unknown> {
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: descriptionOf(operation),
    ...(operation.params ? { params: operation.params } : {}),
    ...(operation.query ? { querystring: withAliases(operation, operation.query) } : {}),
    ...(operation.body ? { body: withAliases(operation, operation.body) } : {}),
    ...(operation.upload ? { consumes: ["multipart/form-data"] } : {}),
    ...(opensByLink(operation) ? { security: [{ apiKey: [] }, { session: [] }, { link: [] }] } : {}),
    ...(operation.caller ? { security: operation.caller === "anyone" ? [] : [{ session: [] }] } : {}),
    // Its errors are added to the whole document: openapi.ts.
    response: successOf(operation),
  };
}

/** A request's part whose fields say by which other names they are taken. */
function withAliases<T extends TSchema>(operation: Operation, schema: T): T {
  const { properties } = schema as unknown as TObject;
  if (properties === undefined) return schema;
  const byName = Map.groupBy(aliasesOf(operation, schema as unknown as TObject).aliases, ([, name]) => name);
  if (byName.size === 0) return schema;
  const described = Object.entries(properties).map(([name, field]) => {
    const aliases = byName.get(name)?.map(([alias]) => `\`${alias}\``);
    if (aliases === undefined) return [name, field];
    const { description } = field as { description?: string };
    return [
      name,
      { ...field, description: `${description ? `${description}. ` : ""}Also taken as ${aliases.join(", ")}` },
    ];
  });
  return { ...schema, properties: Object.fromEntries(described) } as T;
}

function descriptionOf(operation: Operation): string {
  if (operation.caller === "anyone") return "Needs neither an API key nor a session.";
  if (operation.caller === "person") return "For somebody who is signed in to the console.";
  return `Scope: \`${operation.scope}\`${operation.testKeysOnly ? "; test keys only" : ""}${operation.liveKeysOnly ? "; live keys only" : ""}.`;
}

/** What it answers with when all goes well, by status. */
function successOf(operation: Operation): Record<number, object> {
  if (operation.socket) {
    const description = `Switching to a WebSocket, whose messages docs/${operation.socket.page} describes`;
    // The type says that there is no body.
    return { [operation.status]: { type: "null", description } };
  }
  if (operation.audio) {
    return {
      [operation.status]: { description: "A sound file", content: WAV },
      206: { description: "The part that Range asks for", content: WAV },
    };
  }
  if (operation.media) {
    return {
      [operation.status]: { description: "The file, of its own type", content: ANY },
      206: { description: "The part that Range asks for", content: ANY },
    };
  }
  if (operation.stream)
    return { [operation.status]: { description: "Server-sent events", content: textOf("text/event-stream") } };
  if (operation.csv) return { [operation.status]: { description: "A file", content: textOf("text/csv") } };
  if (operation.archive) {
    const schema = { type: "string", format: "binary" };
    return { [operation.status]: { description: "An archive", content: { "application/zip": { schema } } } };
  }
  return {
    [operation.status]: {
      ...operation.response,
      description: "Success",
      properties: { ...COMMON, ...operation.response.properties },
      required: ["success", "powered_by", ...(operation.response.required ?? [])],
    },
  };
}

const textOf = (type: string) => ({ [type]: { schema: { type: "string" } } });
