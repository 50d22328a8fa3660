import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { isByTls } from "#http/access/client-address.ts";

/** What a browser may do with our answers: nothing, but for the two pages below. */
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

/** The two colours within the logo of swagger-ui, its only style that is in no file: this text and no other. */
const LOGO_STYLE = "'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='";

/** The reference page plays nothing. Its icons are written into its stylesheet. */
const DOCS_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' ${LOGO_STYLE}`,
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** A year, after which a browser that never came back asks by http again. Other hosts of the domain are not ours to speak for. */
const STRICT_TRANSPORT = "max-age=31536000";

/** Of every answer, whatever it is. */
const ALWAYS = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  // Pages of other sites load nothing of ours; what a link of ours opens says otherwise for itself.
  "cross-origin-resource-policy": "same-origin",
} as const;

/** The headers of an answer to what is not even a request. */
export const HEADERS_OF_NOTHING: Readonly<Record<string, string>> = {
  ...ALWAYS,
  "content-security-policy": API_POLICY,
};

const isAt = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

/** Sets what is not set yet. */
export function setSecureHeaders(request: FastifyRequest, reply: FastifyReply): void {
  const [path = ""] = request.url.split("?");
  const isConsole = isAt(path, "/console");
  const headers: Record<string, string> = {
    "x-request-id": request.id,
    ...ALWAYS,
    "content-security-policy": isConsole ? CONSOLE_POLICY : isAt(path, "/docs") ? DOCS_POLICY : API_POLICY,
    "permissions-policy": `camera=(), geolocation=(), microphone=${isConsole ? "(self)" : "()"}`,
  };
  // Over http nobody may be held to it (RFC 6797, 7.2).
  if (isByTls(request)) headers["strict-transport-security"] = STRICT_TRANSPORT;
  if (path.startsWith("/v1/")) headers["cache-control"] = "no-store";
  for (const [name, value] of Object.entries(headers)) if (!reply.hasHeader(name)) reply.header(name, value);
}

export function secureHeaders(app: FastifyInstance): void {
  app.addHook("onSend", async (request, reply) => setSecureHeaders(request, reply));
}
