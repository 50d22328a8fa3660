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

type Headers = readonly (readonly [name: string, value: string])[];

const headersOf = (policy: string, microphone: "(self)" | "()", more: Record<string, string> = {}): Headers =>
  Object.entries({
    ...ALWAYS,
    "content-security-policy": policy,
    "permissions-policy": `camera=(), geolocation=(), microphone=${microphone}`,
    ...more,
  });

const OF_API = headersOf(API_POLICY, "()", { "cache-control": "no-store" });
const OF_CONSOLE = headersOf(CONSOLE_POLICY, "(self)");
const OF_DOCS = headersOf(DOCS_POLICY, "()");
const OF_OTHERS = headersOf(API_POLICY, "()");

const isAt = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

function headersFor(url: string): Headers {
  if (url.startsWith("/v1/")) return OF_API;
  const [path = ""] = url.split("?");
  if (isAt(path, "/console")) return OF_CONSOLE;
  return isAt(path, "/docs") ? OF_DOCS : OF_OTHERS;
}

/** Sets what is not set yet. */
export function setSecureHeaders(request: FastifyRequest, reply: FastifyReply): void {
  const given = reply.getHeaders();
  const set = (name: string, value: string) => {
    if (given[name] === undefined) reply.header(name, value);
  };
  set("x-request-id", request.id);
  for (const [name, value] of headersFor(request.url)) set(name, value);
  // Over http nobody may be held to it (RFC 6797, 7.2).
  if (isByTls(request)) set("strict-transport-security", STRICT_TRANSPORT);
}

export function secureHeaders(app: FastifyInstance): void {
  app.addHook("onSend", (request, reply, _payload, done) => {
    setSecureHeaders(request, reply);
    done();
  });
}
