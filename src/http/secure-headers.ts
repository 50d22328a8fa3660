import type { FastifyInstance } from "fastify";

/** What a browser may do with our answers: nothing, but for the reference page, which loads only from us. */
const API_POLICY = "default-src 'none'; frame-ancestors 'none'";

export function secureHeaders(app: FastifyInstance): void {
  app.addHook("onSend", async (request, reply) => {
    reply.header("x-request-id", request.id);
    reply.header("x-content-type-options", "nosniff");
    reply.header("referrer-policy", "no-referrer");
    if (!request.url.startsWith("/docs")) reply.header("content-security-policy", API_POLICY);
    if (request.url.startsWith("/v1/")) reply.header("cache-control", "no-store");
  });
}
