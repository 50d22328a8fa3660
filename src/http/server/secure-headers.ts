import type { FastifyInstance } from "fastify";

/** What a browser may do with our answers: nothing, but for the reference page, which loads only from us. */
const API_POLICY = "default-src 'none'; frame-ancestors 'none'";

/**
 * The console talks to us alone, and runs no script that is not a file of ours. Its component library writes styles into
 * the page. Recordings and what the microphone gives are blobs for a moment.
 */
const CONSOLE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // The one stream of events of all tabs.
  "worker-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

export function secureHeaders(app: FastifyInstance): void {
  app.addHook("onSend", async (request, reply) => {
    reply.header("x-request-id", request.id);
    reply.header("x-content-type-options", "nosniff");
    reply.header("referrer-policy", "no-referrer");
    if (request.url.startsWith("/console")) reply.header("content-security-policy", CONSOLE_POLICY);
    else if (!request.url.startsWith("/docs")) reply.header("content-security-policy", API_POLICY);
    if (request.url.startsWith("/v1/")) reply.header("cache-control", "no-store");
  });
}
