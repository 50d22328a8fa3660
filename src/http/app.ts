import cookie from "@fastify/cookie";
import swagger from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import websocket from "@fastify/websocket";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { failure } from "#domain/values/errors.ts";
import { Admission } from "#http/access/admission.ts";
import { addressOf } from "#http/access/client-address.ts";
import { Guesses } from "#http/access/guesses.ts";
import { KeyLimiter } from "#http/access/key-limit.ts";
import { LoginLimiter } from "#http/access/login-limit.ts";
import { RateLimiter, Refusals } from "#http/access/rate-limit.ts";
import { sessionCookieName } from "#http/access/session-cookie.ts";
import { uploadRoutes } from "#http/contacts/imports.ts";
import { pictureRoutes } from "#http/messaging/pictures.ts";
import type { OpenStreams } from "#http/numbers/carrier-streams.ts";
import { carrierWebhooks } from "#http/numbers/carrier-webhooks.ts";
import { parseBodies } from "#http/server/body.ts";
import { limitBodyTime, UPLOAD_TIMEOUT_MS } from "#http/server/body-time.ts";
import { addConsole } from "#http/server/console.ts";
import { answerErrors } from "#http/server/error-handler.ts";
import { addHealth, type Health, type WebhookCounts } from "#http/server/health.ts";
import { Live } from "#http/server/live.ts";
import { completed } from "#http/server/openapi.ts";
import { RequestLog } from "#http/server/request-log.ts";
import type { BulkRunner, Edge } from "#http/server/route.ts";
import { secureHeaders } from "#http/server/secure-headers.ts";
import { socketOptions } from "#http/server/spoken.ts";
import type { SystemFacts } from "#operations/system/read-system.ts";
import type { WebCalls } from "#ports/web-calls.ts";
import { addRoutes } from "./routes.ts";

export type HttpSettings = {
  poweredBy: string;
  baseUrl: string | undefined;
  /** Where carriers reach this service. */
  publicUrl: string | undefined;
  /** What the node was started with. */
  facts: SystemFacts;
  /** Where the console's build is, or would be. */
  consoleFolder: string;
  /** Requests a second for one key, and its burst. */
  requestsPerSecond: number;
  /** Wrong keys, passwords and links a minute of one address. */
  authFailuresPerMinute: number;
  /** Proxies whose forwarding headers are trusted: addresses and networks. */
  trustedProxies: readonly string[] | undefined;
  /** What a monitor elsewhere sends for `/metrics`. */
  metricsToken: string | undefined;
  /** Whether `/docs` and `/openapi.json` are there. */
  hasReference: boolean;
  /** A slow sender of headers or body is cut off after this long. */
  requestTimeoutMs: number;
  /** How long a request waits now before anything happens to it, and how long is too long; 0 is never. */
  waitMs(): number;
  overloadMs: number;
  /** The largest file that is taken. */
  maxUploadBytes: number;
  /** Streams of carriers' calls that pass through here, counted there. */
  openStreams: OpenStreams;
};

const LATE = Object.assign(new Error("the body took too long"), { code: "ERR_HTTP_REQUEST_TIMEOUT" });

/** Ids and campaign ids are at most 100 characters, a thread_id 120; encoded they may triple. */
const MAX_PARAM_LENGTH = 400;

/** The HTTP edge: everything under /v1, its description, and health. It starts listening elsewhere. */
export async function httpApp(
  { ctx, inbound }: Pick<Edge, "ctx" | "inbound">,
  health: Health,
  bulk: BulkRunner,
  webCalls: WebCalls,
  settings: HttpSettings,
): Promise<FastifyInstance> {
  const app = Fastify({
    logger: false,
    // Bodies have a time of their own: see limitBodyTime.
    requestTimeout: Math.max(settings.requestTimeoutMs, UPLOAD_TIMEOUT_MS),
    http: {
      // Any other Upgrade header is ignored, as RFC 9110 (7.8) lets us: an answer by HTTP/1.1 will do.
      shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === "websocket",
      headersTimeout: settings.requestTimeoutMs,
      connectionsCheckingInterval: settings.requestTimeoutMs / 10,
      // Node's own answer to a missing Host has no body; ours is below.
      requireHostHeader: false,
    },
    clientErrorHandler: (error, socket) => answer.client(error, socket),
    bodyLimit: 1024 * 1024,
    trustProxy: settings.trustedProxies ? [...settings.trustedProxies] : false,
    genReqId: () => ctx.newId(),
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false, allErrors: true } },
    // What came in before the last connection closed is answered.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => answer.framework(error, request, reply),
  });
  const answer = answerErrors(app, ctx, settings.poweredBy);
  // Response schemas describe; they never drop a field or turn a type.
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
  app.addHook("onRequest", (request, reply, done) => {
    if (health.draining()) reply.header("connection", "close");
    const isWithout = request.headers.host === undefined && request.raw.httpVersion === "1.1";
    done(isWithout ? failure("invalid_request", "The Host header is required") : undefined);
  });
  limitBodyTime(app, settings.requestTimeoutMs, (socket) => answer.client(LATE, socket));
  parseBodies(app);
  secureHeaders(app);
  await app.register(cookie);
  await app.register(websocket, socketOptions(ctx.log));
  await app.register(swagger, {
    transformObject: (document) =>
      completed((document as { openapiObject: object }).openapiObject as never, edge.operations) as never,
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Parley",
        version: settings.facts.version,
        description: "AI-driven campaigns over SMS and the phone.",
      },
      servers: settings.baseUrl ? [{ url: settings.baseUrl }] : [],
      components: {
        securitySchemes: {
          apiKey: { type: "apiKey", in: "header", name: "X-API-Key" },
          link: { type: "apiKey", in: "query", name: "token" },
          session: {
            type: "apiKey",
            in: "cookie",
            name: sessionCookieName(settings.baseUrl),
            description:
              "Of whoever is signed in to the console (POST /v1/session). Beside it every request but GET carries X-CSRF-Token, the session's csrf_token.",
          },
        },
      },
      security: [{ apiKey: [] }, { session: [] }],
    },
  });
  const addresses = new RateLimiter(settings.requestsPerSecond, "address");
  const limited = async (request: FastifyRequest, reply: FastifyReply) => addresses.take(addressOf(request), reply);
  if (settings.hasReference) {
    await app.register(swaggerUi, { routePrefix: "/docs", uiHooks: { onRequest: limited } });
    app.get("/openapi.json", { schema: { hide: true }, onRequest: limited }, () => app.swagger());
  }
  const webhooks: WebhookCounts = { taken: 0, refused: 0, limited: 0 };
  const metrics = { token: settings.metricsToken, trustedProxies: settings.trustedProxies };
  addHealth(app, health, { addresses, webhooks, metrics });
  await addConsole(app, settings.consoleFolder);

  const requests = new RequestLog(ctx);
  app.addHook("onClose", () => requests.close());
  const guesses = new Guesses();
  const edge: Edge = {
    app,
    ctx,
    inbound,
    health,
    poweredBy: settings.poweredBy,
    baseUrl: settings.baseUrl,
    linkUrl: settings.baseUrl ?? settings.publicUrl,
    admission: new Admission(settings),
    live: new Live(ctx, health),
    limiter: new RateLimiter(settings.requestsPerSecond),
    addresses,
    keys: new KeyLimiter(guesses, settings.authFailuresPerMinute),
    logins: new LoginLimiter(ctx, guesses, settings.authFailuresPerMinute),
    operations: [],
    bulk,
    maxUploadBytes: settings.maxUploadBytes,
    facts: settings.facts,
    webCalls,
    requests,
  };
  addRoutes(edge);
  await app.register(async (scope) => {
    await uploadRoutes({ ...edge, app: scope });
    pictureRoutes({ ...edge, app: scope });
  });
  await app.register((scope) =>
    carrierWebhooks(scope, inbound, {
      ...{ counts: webhooks, open: settings.openStreams },
      refusals: new Refusals(settings.authFailuresPerMinute),
    }),
  );
  answer.serve(edge.operations);
  return app;
}
