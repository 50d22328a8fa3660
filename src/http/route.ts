import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Static, TObject, TSchema } from "typebox";
import { loadOf, type Operation } from "#contract/operation.ts";
import { validator } from "#contract/validate.ts";
import { AppError, failure, invalid, missingScope, unauthorized } from "#domain/errors.ts";
import { refuseUnstorable } from "#domain/json.ts";
import { refuseOtherTenant } from "#domain/tenant.ts";
import { authenticate } from "#operations/authenticate.ts";
import type { Caller, Context } from "#operations/context.ts";
import { callerOfToken } from "#operations/read-recording.ts";
import { finishRequest, startRequest } from "#operations/repeat-request.ts";
import type { Admission } from "./admission.ts";
import { type Audio, sendAudio } from "./audio.ts";
import { bodyHash } from "./body.ts";
import type { Health } from "./health.ts";
import { parseQuery } from "./query.ts";
import type { FailureLimiter, RateLimiter } from "./rate-limit.ts";
import { sendTable, type Table } from "./table.ts";
import { dropUpload, fileOf, receiveUpload, releaseUpload, type SentFile } from "./upload.ts";

/** What routes are added to. */
export type Edge = {
  app: FastifyInstance;
  ctx: Context;
  /** For what carriers send in: with connections to the database of its own, which nothing else can use up. */
  inbound: Context;
  health: Health;
  poweredBy: string;
  /** How the world reaches this service; undefined: as the request did. */
  baseUrl: string | undefined;
  admission: Admission;
  limiter: RateLimiter;
  failures: FailureLimiter;
  operations: Operation[];
  bulk: BulkRunner;
  /** The largest file that is taken. */
  maxUploadBytes: number;
};

/**
 * Runs an operation that takes the bytes of a body of up to 100,000 leads, in a thread when they are many, so that
 * parsing them holds up nobody else; a stored campaign's preflight always, since its leads are no part of the body. `params` are the path's; answers with the operation's own response fields, or,
 * from the thread, with the whole response body as bytes of JSON.
 */
export type BulkRunner = (
  name:
    | "create-contact-list"
    | "create-campaign"
    | "add-leads"
    | "create-voice-campaign"
    | "add-voice-leads"
    | "preflight-new-campaign"
    | "preflight-campaign",
  caller: Caller,
  params: Record<string, string>,
  bytes: Uint8Array,
) => Promise<Record<string, unknown> | Buffer>;

export type Request<P, Q, B> = {
  caller: Caller;
  params: P;
  query: Q;
  body: B;
  /** Of operations that take one. */
  file: SentFile | undefined;
  /** Scheme, host and port that a link of ours begins with. */
  origin: string;
  signal: AbortSignal;
};

const callers = new WeakMap<FastifyRequest, Caller>();

const contextOf = (edge: Edge, it: Operation): Context => (loadOf(it) === "inbound" ? edge.inbound : edge.ctx);

/**
 * Adds one operation of the contract: authentication, scope, rate limit and validation before `handle`, the common
 * fields after it. `handle` returns the operation's own fields.
 */
export function route<P extends TObject, Q extends TObject, B extends TSchema>(
  edge: Edge,
  it: Operation<P, Q, B>,
  handle: (request: Request<Static<P>, Static<Q>, Static<B>>) => Promise<object>,
): void {
  edge.operations.push(it as unknown as Operation);
  edge.app.route({
    method: it.method,
    url: it.path,
    config: { bulk: it.bulk ?? false, wantsBody: it.body !== undefined, upload: it.upload ?? false } as object,
    bodyLimit: it.bodyLimit ?? 1024 * 1024,
    schema: describe(it as unknown as Operation),
    // A bulk body is bytes here; the operation's own reader checks it against the same schema.
    validatorCompiler: ({ httpPart, schema }) =>
      it.bulk && httpPart === "body" ? () => true : check(schema as TSchema, httpPart),
    onRequest: async (request, reply) => admit(edge, it as unknown as Operation, request, reply),
    preValidation: async (request) => {
      refuseUnstorable(request.params);
      refuseUnstorable(request.query);
      if (it.query) request.query = parseQuery(it.query, request.query as Record<string, unknown>);
      if (it.upload) await receiveUpload(request, edge.ctx.uploads, edge.maxUploadBytes);
    },
    ...(it.upload ? { onResponse: (request) => dropUpload(request, edge.ctx.uploads) } : {}),
    handler: async (request, reply) => {
      const caller = callers.get(request)!;
      refuseOtherTenant(caller.tenantId, request.query, request.body);
      const run = async (as: Caller) => {
        const own = await handle({
          caller: as,
          params: request.params as Static<P>,
          query: request.query as Static<Q>,
          body: request.body as Static<B>,
          file: fileOf(request),
          origin: edge.baseUrl ?? `${request.protocol}://${request.host}`,
          signal: request.signal,
        });
        releaseUpload(request);
        return own;
      };
      if (it.csv) return sendTable(reply.code(it.status), (await run(caller)) as Table);
      if (it.audio) return sendAudio(request, reply.code(it.status), (await run(caller)) as Audio);
      const key = request.headers["idempotency-key"];
      if (it.method !== "POST" || key === undefined) {
        return reply
          .code(it.status)
          .type(JSON_UTF8)
          .send(complete(await run(caller), edge.poweredBy));
      }
      return once(
        edge,
        contextOf(edge, it as unknown as Operation),
        request,
        reply,
        caller,
        String(key),
        it.status,
        run,
      );
    },
  });
}

/** Nothing is validated before the caller is known: a stranger learns no more than that. */
async function admit(edge: Edge, it: Operation, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  edge.admission.enter(it, request, reply);
  const key = request.headers["x-api-key"];
  const { token } = (request.query ?? {}) as { token?: unknown };
  const byLink = it.audio && key === undefined && typeof token === "string";
  if (!byLink && (typeof key !== "string" || key === "")) throw unauthorized();
  const caller = byLink
    ? callerOfToken(edge.ctx, String((request.params as Record<string, string>).call_id), token)
    : await identify(edge, contextOf(edge, it), request.ip, String(key));
  edge.limiter.take(caller.keyId, reply);
  edge.admission.enterAs(caller.tenantId, it, request, reply);
  if (!caller.scopes.includes(it.scope)) throw missingScope(it.scope);
  if (it.testKeysOnly && caller.mode !== "test") {
    throw failure("test_key_required", "The simulator serves test keys only");
  }
  callers.set(request, caller);
}

/** Who has this key. An address that has sent too many wrong ones is put off before its next is looked at. */
async function identify(edge: Edge, ctx: Context, address: string, key: string): Promise<Caller> {
  edge.failures.check(address, key);
  try {
    const caller = await authenticate(ctx, key);
    edge.failures.passed(key);
    return caller;
  } catch (error) {
    if (error instanceof AppError && error.code === "unauthorized") edge.failures.failed(address);
    throw error;
  }
}

/** Runs a POST under its Idempotency-Key: once, and the same answer for every repeat. */
async function once(
  edge: Edge,
  ctx: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  caller: Caller,
  key: string,
  status: number,
  run: (as: Caller) => Promise<object>,
): Promise<FastifyReply> {
  const name = `${request.method} ${request.url.split("?")[0]}`;
  const started = await startRequest(ctx, caller, { name, key, bodyHash: bodyHash(request) });
  if ("replay" in started) {
    reply.header("idempotent-replayed", "true");
    return reply.code(started.replay.status).type(JSON_UTF8).serializer(asIs).send(started.replay.body);
  }
  const answer = async (code: number, body: object | Buffer) => {
    const text = Buffer.isBuffer(body) ? body.toString() : JSON.stringify(body);
    // A secret is shown once: a repeat gets the answer without it.
    const kept = "api_key" in body ? JSON.stringify({ ...body, api_key: null }) : text;
    await finishRequest(ctx, caller, { name, key }, { status: code, body: kept });
    return reply.code(code).type(JSON_UTF8).serializer(asIs).send(text);
  };
  try {
    return await answer(status, complete(await run(started.as), edge.poweredBy));
  } catch (error) {
    // A failure of the catalogue is an answer like any other; anything else may be tried again, with the same ids.
    if (error instanceof AppError && error.code !== "unavailable") {
      return answer(error.status, errorBody(error, edge.poweredBy, request.id));
    }
    await finishRequest(ctx, caller, { name, key }, undefined).catch(() => {});
    throw error;
  }
}

const JSON_UTF8 = "application/json; charset=utf-8";

/** The common fields around an operation's own; bytes are complete. */
const complete = (own: object | Buffer, poweredBy: string): object | Buffer =>
  Buffer.isBuffer(own) ? own : { success: true, ...own, powered_by: poweredBy };

const asIs = (payload: unknown) => payload as string;

export function errorBody(error: AppError, poweredBy: string, requestId: string): object {
  return {
    success: false,
    error: error.message,
    code: error.code,
    request_id: requestId,
    ...(error.details ? { details: error.details } : {}),
    powered_by: poweredBy,
  };
}

const WAV = { "audio/wav": { schema: { type: "string", format: "binary" } } };

function describe(it: Operation): Record<string, unknown> {
  const common = { success: { type: "boolean" }, powered_by: { type: "string" } };
  return {
    operationId: it.id,
    tags: [it.tag],
    summary: it.summary,
    description: `Scope: \`${it.scope}\`${it.testKeysOnly ? "; test keys only" : ""}.`,
    ...(it.params ? { params: it.params } : {}),
    ...(it.query ? { querystring: it.query } : {}),
    ...(it.body ? { body: it.body } : {}),
    ...(it.upload ? { consumes: ["multipart/form-data"] } : {}),
    ...(it.audio ? { security: [{ apiKey: [] }, { link: [] }] } : {}),
    response: {
      ...(it.audio ? { 206: { description: "The part that Range asks for", content: WAV } } : {}),
      [it.status]: it.audio
        ? { description: "A sound file", content: WAV }
        : it.csv
          ? { description: "A file", content: { "text/csv": { schema: { type: "string" } } } }
          : {
              ...it.response,
              description: "Success",
              properties: { ...common, ...it.response.properties },
              required: ["success", "powered_by", ...(it.response.required ?? [])],
            },
      "4xx": { $ref: "Error#" },
      "5xx": { $ref: "Error#" },
    },
  };
}

/** Fastify's form of a validator over the contract's own: every problem of a part at once. */
function check(schema: TSchema, part: string | undefined): (value: unknown) => true | { error: Error } {
  const problemsOf = validator(schema, part === "body" ? "body" : (part ?? "request"));
  return (value) => {
    const [first, ...rest] = problemsOf(value);
    return first ? { error: invalid(first, ...rest) } : true;
  };
}
