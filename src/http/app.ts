import swagger from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import Fastify, { type FastifyInstance } from "fastify";
import { errorSchema } from "#contract/error.ts";
import type { Context } from "#operations/context.ts";
import { parseBodies } from "./body.ts";
import { answerErrors } from "./error-handler.ts";
import { addHealth, type Health } from "./health.ts";
import { RateLimiter } from "./rate-limit.ts";
import type { BulkRunner, Edge } from "./route.ts";
import { addRoutes } from "./routes/index.ts";
import { secureHeaders } from "./secure-headers.ts";

export type HttpSettings = {
  poweredBy: string;
  baseUrl: string | undefined;
  version: string;
  /** Requests a second for one key, and its burst. */
  requestsPerSecond: number;
};

/** A slow sender of headers or body is cut off after this long. */
const REQUEST_TIMEOUT_MS = 60_000;
/** Ids and campaign ids are at most 100 characters, a thread_id 120; encoded they may triple. */
const MAX_PARAM_LENGTH = 400;

/** The HTTP edge: everything under /v1, its description, and health. It starts listening elsewhere. */
export async function httpApp(
  ctx: Context,
  health: Health,
  bulk: BulkRunner,
  settings: HttpSettings,
): Promise<FastifyInstance> {
  const app = Fastify({
    logger: false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    bodyLimit: 1024 * 1024,
    genReqId: () => ctx.newId(),
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false, allErrors: true } },
    frameworkErrors: (error, request, reply) => answer.framework(error, request, reply),
  });
  const answer = answerErrors(app, ctx, settings.poweredBy);
  // Response schemas describe; they never drop a field or turn a type.
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
  parseBodies(app);
  secureHeaders(app);
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: { title: "Parley", version: settings.version, description: "AI-driven campaigns over SMS and the phone." },
      servers: settings.baseUrl ? [{ url: settings.baseUrl }] : [],
      components: { securitySchemes: { apiKey: { type: "apiKey", in: "header", name: "X-API-Key" } } },
      security: [{ apiKey: [] }],
    },
  });
  app.addSchema(errorSchema);
  await app.register(swaggerUi, { routePrefix: "/docs" });
  app.get("/openapi.json", { schema: { hide: true } }, () => app.swagger());
  addHealth(app, health);

  const edge: Edge = {
    app,
    ctx,
    health,
    poweredBy: settings.poweredBy,
    limiter: new RateLimiter(settings.requestsPerSecond),
    operations: [],
    bulk,
  };
  addRoutes(edge);
  answer.serve(edge.operations);
  return app;
}
