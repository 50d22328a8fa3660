import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Static, type TObject, type TSchema, Type } from "typebox";
import { areaOf, hasScope, keyMay } from "#contract/accounts/key-scopes.ts";
import { roleMay } from "#contract/accounts/roles.ts";
import { renamer, withCanonicalNames } from "#contract/values/names.ts";
import { loadOf, type Operation } from "#contract/values/operation.ts";
import { warned, warner } from "#contract/values/unknown-names.ts";
import { validator } from "#contract/values/validate.ts";
import { isSessionToken } from "#domain/accounts/session.ts";
import { refuseOtherTenant } from "#domain/accounts/tenant.ts";
import { classOf, maskedAnswer, maskedPath } from "#domain/system/logged-request.ts";
import { AppError, failure, invalid, missingScope, unauthorized } from "#domain/values/errors.ts";
import { NO_ID } from "#domain/values/id.ts";
import { refuseUnstorable } from "#domain/values/json.ts";
import { detailsOf } from "#domain/values/named-fault.ts";
import type { Admission } from "#http/access/admission.ts";
import { Asked } from "#http/access/asked.ts";
import { auditedRequest } from "#http/access/audited.ts";
import { addressOf } from "#http/access/client-address.ts";
import type { KeyLimiter } from "#http/access/key-limit.ts";
import type { LoginLimiter } from "#http/access/login-limit.ts";
import type { RateLimiter } from "#http/access/rate-limit.ts";
import { refuseForgery, refuseOtherSite, sessionCookie } from "#http/access/session-cookie.ts";
import { authenticate } from "#operations/accounts/authenticate.ts";
import { authenticateSession } from "#operations/accounts/authenticate-session.ts";
import { callerOfToken, type Linked } from "#operations/accounts/link-token.ts";
import { type Caller, type Context, contextFor, personOf, readingContext } from "#operations/context.ts";
import type { SystemFacts } from "#operations/system/read-system.ts";
import { finishRequest, startRequest } from "#operations/system/repeat-request.ts";
import type { WebCalls } from "#ports/web-calls.ts";
import { bodyHash } from "./body.ts";
import { describe, opensByLink } from "./description.ts";
import type { Following } from "./follower.ts";
import type { Health } from "./health.ts";
import { type KeptFile, sendFile } from "./kept-file.ts";
import { type Live, sendEvents } from "./live.ts";
import { givenOnce, parseQuery } from "./query.ts";
import type { RequestLog } from "./request-log.ts";
import { type Spoken, whileAllowed } from "./spoken.ts";
import { type Archive, sendArchive, sendTable, type Table } from "./table.ts";
import { dropUpload, fileOf, receiveUpload, releaseUpload, type SentFile } from "./upload.ts";
import { asWritten, renamedPart } from "./written-names.ts";

/** What routes are added to. */
export type Edge = {
  app: FastifyInstance;
  ctx: Context;
  /** For what carriers send in: with connections to the database of its own, which nothing else can use up. */
  inbound: Context;
  health: Health;
  poweredBy: string;
  /** How people reach this service, by the operator; undefined: not said. */
  baseUrl: string | undefined;
  /** What links begin with; undefined: the address that a request came in by. Never what its Host header says. */
  linkUrl: string | undefined;
  admission: Admission;
  live: Live;
  limiter: RateLimiter;
  /** Of what needs neither key nor session. */
  addresses: RateLimiter;
  /** Of keys, sessions and links that are new here. */
  keys: KeyLimiter;
  logins: LoginLimiter;
  operations: Operation[];
  bulk: BulkRunner;
  /** The largest file that is taken. */
  maxUploadBytes: number;
  facts: SystemFacts;
  webCalls: WebCalls;
  /** Of what is asked with a key or a session. */
  requests: RequestLog;
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
    | "preflight-new-voice-campaign"
    | "preflight-campaign",
  caller: Caller,
  params: Record<string, string>,
  bytes: Uint8Array,
) => Promise<Record<string, unknown> | Buffer>;

const callers = new WeakMap<FastifyRequest, Caller>();

/** Bodies of errors, until they are noted. */
const answers = new WeakMap<FastifyRequest, string>();

function noteRequest(edge: Edge, operation: Operation, request: FastifyRequest, reply: FastifyReply): void {
  const caller = callers.get(request);
  if (caller === undefined || operation.caller === "anyone") return;
  const answer = reply.statusCode >= 400 ? answers.get(request) : undefined;
  const status = answer === undefined && operation.socket && spoken.has(request) ? operation.status : reply.statusCode;
  const { tenantId } = caller;
  const of = classOf(operation, status);
  if (!edge.requests.hasRoomFor(tenantId, of)) return;
  edge.requests.note({
    ...{ tenantId, class: of },
    id: request.id,
    at: edge.ctx.now(),
    method: operation.method,
    path: maskedPath(request.url),
    operation: operation.id,
    status,
    ms: Math.round(reply.elapsedTime),
    keyId: caller.keyId,
    userId: caller.person?.userId ?? null,
    answer: answer === undefined ? null : maskedAnswer(answer),
  });
}

/** Who serves a request's socket, once it is one. */
const spoken = new WeakMap<FastifyRequest, Spoken>();

const contextOf = (edge: Edge, operation: Operation): Context =>
  loadOf(operation) === "inbound" ? edge.inbound : edge.ctx;

/**
 * Adds one operation of the contract: authentication, scope, rate limit and validation before `handle`, the common
 * fields after it. `handle` returns the operation's own fields.
 */
export function route<P extends TObject, Q extends TObject, B extends TSchema>(
  edge: Edge,
  operation: Operation<P, Q, B>,
  handle: (asked: Asked<Static<P>, Static<Q>, Static<B>, SentFile | undefined>) => Promise<object>,
): void {
  edge.operations.push(operation as unknown as Operation);
  const renamedQuery = renamer(operation, operation.query);
  const renamedBody = renamer(operation, operation.bulk ? undefined : operation.body);
  const bothNames = withCanonicalNames(operation.response);
  const ignoredParameters = warner(operation.query ?? NOTHING, "parameter");
  const ignoredFields = warner(operation.body ?? NOTHING, "field");
  const run = async (request: FastifyRequest, reply: FastifyReply, caller: Caller) => {
    const as = auditedRequest(operation as unknown as Operation, request, caller);
    const on = contextOf(edge, operation as unknown as Operation);
    const ctx = contextFor(operation.replica ? readingContext(on) : on, as);
    if (!operation.upload) return handle(new Asked(edge, request, reply, { ctx, caller: as, file: undefined }));
    const own = await handle(new Asked(edge, request, reply, { ctx, caller: as, file: fileOf(request) }));
    releaseUpload(request);
    return own;
  };
  const warningsFor = ({ query, body }: FastifyRequest): string[] => [
    ...ignoredParameters(query),
    // A bulk body is bytes here, and its own reader names what it has ignored.
    ...(operation.bulk ? [] : ignoredFields(body)),
  ];
  const readQuery = (request: FastifyRequest) => {
    refuseUnstorable(request.params);
    refuseUnstorable(request.query);
    if (!operation.query) return;
    const query = renamedPart(request, renamedQuery(request.query)) as Record<string, unknown>;
    request.query = parseQuery(operation.query, query);
  };
  const readBody = (request: FastifyRequest) => {
    request.body = renamedPart(request, renamedBody(request.body));
  };
  const open = async (request: FastifyRequest, reply: FastifyReply) => {
    if (!request.ws) {
      reply.header("upgrade", "websocket");
      throw failure("upgrade_required", "This is a WebSocket: ask for the upgrade");
    }
    const caller = callers.get(request)!;
    const serve = (await run(request, reply, caller)) as Spoken;
    const isAllowed = () => goesOn(edge, operation as unknown as Operation, request, reply, caller);
    spoken.set(request, whileAllowed(serve, isAllowed));
  };
  edge.app.route({
    method: operation.method,
    url: operation.path,
    config: {
      bulk: operation.bulk ?? false,
      wantsBody: operation.body !== undefined,
      upload: operation.upload ?? false,
    } as object,
    bodyLimit: operation.bodyLimit ?? 1024 * 1024,
    schema: describe(operation as unknown as Operation),
    // A bulk body is bytes here; the operation's own reader checks it against the same schema.
    validatorCompiler: ({ httpPart, schema }) =>
      operation.bulk && httpPart === "body" ? () => true : check(schema as TSchema, httpPart, operation.response),
    onRequest: async (request, reply) => admit(edge, operation as unknown as Operation, request, reply),
    // Without a promise a request waits for no turn of the queue. One with a body has to: it is closed right after the body's end, and what listened for
    // that already would take it for one that was cut off.
    preValidation:
      operation.method === "GET"
        ? (request, _reply, done) => {
            readQuery(request);
            readBody(request);
            done();
          }
        : async (request) => {
            readQuery(request);
            const mostBytes = Math.min(edge.maxUploadBytes, operation.uploadBytes ?? edge.maxUploadBytes);
            if (operation.upload) await receiveUpload(request, edge.ctx.uploads, mostBytes);
            readBody(request);
          },
    ...(operation.socket ? { preHandler: open } : {}),
    ...(operation.socket ? { wsHandler: (socket, request) => spoken.get(request)!(socket) } : {}),
    onSend: (request, reply, payload, done) => {
      if (reply.statusCode >= 400 && typeof payload === "string") answers.set(request, payload);
      done();
    },
    onResponse: operation.upload
      ? async (request, reply) => {
          // Where nobody knows whether it was committed it may be somebody's; what is nobody's is removed later.
          if (reply.statusCode < 500) await dropUpload(request, edge.ctx.uploads);
          noteRequest(edge, operation as unknown as Operation, request, reply);
        }
      : (request, reply, done) => {
          noteRequest(edge, operation as unknown as Operation, request, reply);
          done();
        },
    handler: async (request, reply) => {
      const caller = callers.get(request)!;
      if (operation.caller !== "anyone") refuseOtherTenant(caller.accountId, request.query, request.body);
      if (operation.stream) {
        const isAllowed = () => goesOn(edge, operation as unknown as Operation, request, reply, caller);
        return sendEvents(
          edge.live,
          request,
          reply.code(operation.status),
          (await run(request, reply, caller)) as Following,
          isAllowed,
        );
      }
      if (operation.csv)
        return sendTable(request, reply.code(operation.status), (await run(request, reply, caller)) as Table);
      if (operation.archive)
        return sendArchive(request, reply.code(operation.status), (await run(request, reply, caller)) as Archive);
      if (operation.audio || operation.media)
        return sendFile(request, reply.code(operation.status), (await run(request, reply, caller)) as KeptFile);
      const key = request.headers["idempotency-key"];
      if (operation.method !== "POST" || key === undefined || operation.caller !== undefined) {
        return reply
          .code(operation.status)
          .type(JSON_UTF8)
          .send(complete(bothNames(await run(request, reply, caller)), edge.poweredBy, warningsFor(request)));
      }
      return once(
        edge,
        contextOf(edge, operation as unknown as Operation),
        request,
        reply,
        caller,
        String(key),
        operation.status,
        async (as) => complete(bothNames(await run(request, reply, as)), edge.poweredBy, warningsFor(request)),
      );
    },
  });
}

/** Nothing is validated before the caller is known: an unknown caller gets only that error. */
async function admit(edge: Edge, operation: Operation, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const admitted = edge.admission.enter(operation, request, reply);
  if (operation.caller === "anyone") {
    edge.addresses.take(addressOf(request), reply);
    refuseOtherSite(edge, operation.method, request, false);
    callers.set(request, { ...NOBODY, newId: edge.ctx.newId });
    return;
  }
  const caller = await whoAsks(edge, operation, request, reply);
  // From here on it is somebody's request, also where it is refused.
  callers.set(request, caller);
  if (loadOf(operation) !== "inbound") edge.limiter.take(caller.keyId, reply);
  edge.admission.enterAs(caller.tenantId, admitted);
  if (operation.caller === "person") personOf(caller);
  refuseUnlessMay(caller, operation);
  if (operation.testKeysOnly && caller.mode !== "test") {
    throw failure("test_key_required", "The simulator serves test keys only");
  }
}

/** What is handed to an operation that anyone may call: no tenant has this id. */
const NOBODY = {
  ...{ tenantId: NO_ID, accountId: NO_ID, keyId: NO_ID, organizations: undefined },
  ...({ mode: "test", scopes: [] } as const),
};

/** 403 with the reason unless the caller's role, or the key's scopes, and the caller's organizations allow the operation. */
function refuseUnlessMay(caller: Caller, operation: Operation): void {
  if (mayCall(caller, operation)) return;
  if (caller.person?.pending) throw failure("factor_required", LACKS[caller.person.pending]);
  if (caller.isArchived) throw failure("organization_archived", "Every organization that you work for is archived");
  if (caller.person) throw failure("role_refused", `The role ${caller.person.permission} does not allow this`);
  if (!hasScope(caller.scopes, operation)) throw missingScope(operation.scope, areaOf(operation));
  throw failure("organization_limited", "This is the whole tenant's, and this key is limited to organizations");
}

/** What is said to who has not signed in wholly. */
const LACKS = {
  factor: "The sign-in is not complete: show your second factor",
  enrolment: "The sign-in is not complete: add a second factor, which is required here",
};

function mayCall({ person, scopes, organizations, isArchived }: Caller, operation: Operation): boolean {
  if (person?.pending) return operation.during?.includes(person.pending) === true;
  // What is about the person and the session remains.
  if (isArchived && operation.caller !== "person") return false;
  if (person) return roleMay(person.permission, operation);
  return keyMay({ scopes, isLimited: organizations !== undefined }, operation);
}

/** By API key where one is sent, else by a link's token where the operation has one, else by the cookie of a session. */
async function whoAsks(
  edge: Edge,
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Caller> {
  const ctx = contextOf(edge, operation);
  const key = request.headers["x-api-key"];
  const { token } = (request.query ?? {}) as { token?: unknown };
  if (key === undefined && opensByLink(operation) && typeof token === "string") {
    const { call_id, media_id } = request.params as Record<string, string>;
    const linked: Linked = operation.media
      ? { what: "media", id: String(media_id) }
      : { what: "recording", id: String(call_id) };
    return identify(edge, ctx, request, reply, `${linked.id} ${token}`, async () =>
      callerOfToken(edge.ctx, linked, token),
    );
  }
  const session = key === undefined ? sessionCookie(edge, request, reply).token : undefined;
  if (session !== undefined) {
    const caller = await identify(edge, ctx, request, reply, session, () => authenticateSession(ctx, session));
    refuseForgery(edge, operation.method, request, session);
    // Browsers let pages of other sites open a socket with our cookie, and read what it says.
    if (operation.socket) refuseOtherSite(edge, "POST", request, true);
    return caller;
  }
  if (key === undefined) throw unauthorized("missing");
  if (typeof key !== "string" || key === "") throw unauthorized("malformed");
  return identify(edge, ctx, request, reply, key, (address) => authenticate(ctx, key, address));
}

/** Whether the caller of a stream may still have it. While the database is away it may. */
async function goesOn(
  edge: Edge,
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
  { tenantId, organizations }: Caller,
): Promise<boolean> {
  const ctx = contextOf(edge, operation);
  const key = request.headers["x-api-key"];
  const { token } = sessionCookie(edge, request, reply);
  try {
    const caller = await (key === undefined && token !== undefined
      ? authenticateSession(ctx, token, { isUsed: false })
      : authenticate(ctx, String(key), addressOf(request)));
    return (
      caller.tenantId === tenantId &&
      mayCall(caller, operation) &&
      String(caller.organizations) === String(organizations)
    );
  } catch (error) {
    return !(error instanceof AppError);
  }
}

/**
 * Who has this secret. An address that has sent too many wrong ones is put off before its next is looked at. A session that is over
 * is not one of them, since browsers go on sending it: it counts as a request of somebody who is not known.
 */
async function identify(
  edge: Edge,
  ctx: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  secret: string,
  look: (address: string) => Promise<Caller>,
): Promise<Caller> {
  const address = addressOf(request);
  const isOver = (error: unknown) =>
    error instanceof AppError && error.code === "session_over" && isSessionToken(secret);
  const isWrong = (error: unknown) =>
    error instanceof AppError && (error.status === 401 || error.code === "link_invalid") && !isOver(error);
  try {
    return await edge.keys.attempt(ctx, { address, secret }, () => look(address), isWrong);
  } catch (error) {
    if (isOver(error)) edge.addresses.take(address, reply);
    throw error;
  }
}

/** Fields of answers that are returned only once. */
const SHOWN_ONCE = ["api_key", "invitation_url"];

/** Runs a POST under its Idempotency-Key: once, and the same answer for every repeat. */
async function once(
  edge: Edge,
  ctx: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  caller: Caller,
  key: string,
  status: number,
  run: (as: Caller) => Promise<object | Buffer>,
): Promise<FastifyReply> {
  // A caller that is limited to organizations never gets the answers of others.
  const whose = caller.organizations === undefined ? "" : ` of ${[...caller.organizations].sort().join(" ")}`;
  const name = `${request.method} ${request.url.split("?")[0]}${whose}`;
  const started = await startRequest(ctx, caller, { name, key, bodyHash: bodyHash(request) });
  if ("replay" in started) {
    reply.header("idempotent-replayed", "true");
    return reply.code(started.replay.status).type(JSON_UTF8).serializer(asIs).send(started.replay.body);
  }
  const answer = async (code: number, body: object | Buffer) => {
    const text = Buffer.isBuffer(body) ? body.toString() : JSON.stringify(body);
    // A secret is shown once: a repeat gets the answer without it.
    const secrets = SHOWN_ONCE.filter((name) => name in body).map((name) => [name, null]);
    const kept = secrets.length > 0 ? JSON.stringify({ ...body, ...Object.fromEntries(secrets) }) : text;
    await finishRequest(ctx, caller, started.run, { status: code, body: kept });
    return reply.code(code).type(JSON_UTF8).serializer(asIs).send(text);
  };
  try {
    return await answer(status, await run(started.as));
  } catch (error) {
    // A failure of the catalogue is an answer like any other; anything else may be tried again, with the same ids.
    if (error instanceof AppError && !UNDECIDED.has(error.code)) {
      return answer(error.status, errorBody(error, edge.poweredBy, request.id, request));
    }
    await finishRequest(ctx, caller, started.run, undefined).catch(() => {});
    throw error;
  }
}

/** Failures that are no last word: the request repeated under its key runs again. */
const UNDECIDED: ReadonlySet<string> = new Set(["unavailable", "order_pending", "proof_required"]);

const JSON_UTF8 = "application/json; charset=utf-8";

/** Of an operation without a query, or without a body. */
const NOTHING = Type.Object({});

/**
 * The common fields around an operation's own, and what was ignored of the request. Bytes are complete: a thread made them, which has named what it
 * ignored of the body, and no operation that a thread runs has a query.
 */
function complete(own: object | Buffer, poweredBy: string, ignored: readonly string[]): object | Buffer {
  if (Buffer.isBuffer(own)) return own;
  const { warnings = [] } = own as { warnings?: readonly string[] };
  return { ...warned({ success: true, ...own }, [...warnings, ...ignored]), powered_by: poweredBy };
}

const asIs = (payload: unknown) => payload as string;

export function errorBody(error: AppError, poweredBy: string, requestId: string, request?: FastifyRequest): object {
  const details = detailsOf(error, request ? [request.params, request.query, request.body] : []);
  return asWritten(request, {
    success: false,
    error: error.message,
    code: error.code,
    request_id: requestId,
    ...(details ? { details } : {}),
    powered_by: poweredBy,
  });
}

/** Fastify's form of a validator over the contract's own: every problem of a part at once. */
function check(
  schema: TSchema,
  part: string | undefined,
  answer: TSchema,
): (value: unknown) => true | { error: Error } {
  const problemsOf = part === "body" ? validator(schema, part, answer) : validator(schema, part ?? "request");
  return (value) => {
    const problems = problemsOf(value);
    const [first, ...rest] = part === "querystring" ? givenOnce(value, problems) : problems;
    return first ? { error: invalid(first, ...rest) } : true;
  };
}
