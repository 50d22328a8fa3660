import type { Operation } from "#contract/values/operation.ts";

const WAV = { "audio/wav": { schema: { type: "string", format: "binary" } } };

/** Around the own fields of every success. */
const COMMON = { success: { type: "boolean" }, powered_by: { type: "string" } };

/** Sound that a link's token opens without a key. */
export const opensByLink = (it: Operation): boolean => it.audio === true && "token" in (it.query?.properties ?? {});

/** An operation as the OpenAPI document describes it, in the form of a Fastify schema. */
export function describe(it: Operation): Record<string, unknown> {
  return {
    operationId: it.id,
    tags: [it.tag],
    summary: it.summary,
    description: descriptionOf(it),
    ...(it.params ? { params: it.params } : {}),
    ...(it.query ? { querystring: it.query } : {}),
    ...(it.body ? { body: it.body } : {}),
    ...(it.upload ? { consumes: ["multipart/form-data"] } : {}),
    ...(opensByLink(it) ? { security: [{ apiKey: [] }, { session: [] }, { link: [] }] } : {}),
    ...(it.caller ? { security: it.caller === "anyone" ? [] : [{ session: [] }] } : {}),
    response: { ...successOf(it), "4xx": { $ref: "Error#" }, "5xx": { $ref: "Error#" } },
  };
}

function descriptionOf(it: Operation): string {
  if (it.caller === "anyone") return "Needs neither an API key nor a session.";
  if (it.caller === "person") return "For somebody who is signed in to the console.";
  return `Scope: \`${it.scope}\`${it.testKeysOnly ? "; test keys only" : ""}.`;
}

/** What it answers with when all goes well, by status. */
function successOf(it: Operation): Record<number, object> {
  if (it.socket) {
    const description = `Switching to a WebSocket, whose messages docs/${it.socket.page} describes`;
    // The type says that there is no body.
    return { [it.status]: { type: "null", description } };
  }
  if (it.audio) {
    return {
      [it.status]: { description: "A sound file", content: WAV },
      206: { description: "The part that Range asks for", content: WAV },
    };
  }
  if (it.stream) return { [it.status]: { description: "Server-sent events", content: textOf("text/event-stream") } };
  if (it.csv) return { [it.status]: { description: "A file", content: textOf("text/csv") } };
  return {
    [it.status]: {
      ...it.response,
      description: "Success",
      properties: { ...COMMON, ...it.response.properties },
      required: ["success", "powered_by", ...(it.response.required ?? [])],
    },
  };
}

const textOf = (type: string) => ({ [type]: { schema: { type: "string" } } });
