import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Operation } from "#contract/values/operation.ts";
import { AppError, failure, type KeyFault, notFound, rateLimited } from "#domain/values/errors.ts";
import type { Context } from "#operations/context.ts";
import { isAway } from "#operations/context.ts";
import { ObjectsAway } from "#ports/object-store.ts";
import { PasswordsBusy } from "#ports/sign-in.ts";
import { dropRest } from "./refused-body.ts";
import { errorBody } from "./route.ts";
import { HEADERS_OF_NOTHING, setSecureHeaders } from "./secure-headers.ts";

const WRITTEN_HEADERS = Object.entries(HEADERS_OF_NOTHING)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join("");

/** Turns whatever went wrong into the interface's one error body. */
export function answerErrors(app: FastifyInstance, ctx: Context, poweredBy: string) {
  let known: { segments: string[]; method: string }[] = [];

  app.setErrorHandler(async (error, request, reply) => {
    if (asAppError(error).status === 413) await dropRest(request.raw);
    return send(error, request, reply);
  });
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split("?")[0]!;
    const allowed = known.filter((route) => isAt(path, route.segments)).map((route) => route.method);
    if (allowed.length === 0) return send(notFound("Path"), request, reply);
    reply.header("allow", [...new Set(allowed)].join(", "));
    return send(failure("method_not_allowed", `${request.method} is not allowed here`), request, reply);
  });

  function send(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const known = asAppError(error);
    if (known.code === "internal") {
      ctx.log.error(
        { requestId: request.id, method: request.method, route: request.routeOptions?.url, err: error },
        "request failed",
      );
    }
    if (known.retryAfterSeconds !== undefined) reply.header("retry-after", known.retryAfterSeconds);
    else if (known.status === 503) reply.header("retry-after", 5);
    // Asked of every 401 by RFC 9110. Browsers know no scheme of this name, and ask nobody for a password.
    if (known.code === "unauthorized" && !reply.hasHeader("www-authenticate"))
      reply.header("www-authenticate", challenge(known.keyFault));
    // Whatever is still to come of it is not waited for any more: the connection goes with it.
    if (known.status === 413) reply.header("connection", "close");
    // No hook runs for what fails before a route is found.
    setSecureHeaders(request, reply);
    return reply.code(known.status).send(errorBody(known, poweredBy, request.id, request));
  }

  return {
    /** For what fails before a route is found: a bad URL, a header that is too long. */
    framework: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
      send(error, request, reply);
    },
    /** For what is not even HTTP: there is no request, and the connection is closed after the answer. */
    client: (error: Error & { code?: string }, socket: Socket) => {
      if (error.code === "ECONNRESET" || !socket.writable) return socket.destroy();
      const known = asClientError(error.code);
      const requestId = ctx.newId();
      const body = JSON.stringify(errorBody(known, poweredBy, requestId));
      socket.end(
        `HTTP/1.1 ${known.status} ${STATUS_CODES[known.status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
          `Content-Length: ${Buffer.byteLength(body)}\r\nX-Request-Id: ${requestId}\r\n${WRITTEN_HEADERS}Connection: close\r\n\r\n${body}`,
      );
    },
    /** The operations whose paths answer 405 to other methods. */
    serve: (operations: readonly Operation[]) => {
      known = operations.map(({ path, method }) => ({
        method,
        segments: path.split("/"),
      }));
    },
  };
}

const challenge = (fault: KeyFault | undefined): string =>
  `ApiKey realm="Parley", header="X-API-Key"${fault ? `, error="${fault}"` : ""}`;

/** Whether a path is one of an operation: `:id` stands for anything that is not empty. */
function isAt(path: string, segments: readonly string[]): boolean {
  const parts = path.split("/");
  return (
    parts.length === segments.length &&
    segments.every((segment, i) => (segment[0] === ":" ? parts[i] !== "" : segment === parts[i]))
  );
}

function asClientError(code: string | undefined): AppError {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return failure("request_timeout", "The request took too long to arrive");
  if (code === "HPE_HEADER_OVERFLOW") return failure("headers_too_large", "The headers are too large");
  return failure("invalid_request", "The request is not valid HTTP");
}

/** Whatever went wrong, as the interface has it. */
export function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof PasswordsBusy) return rateLimited(1, "Too many people sign in at once: try again in a second");
  if (isAway(error)) return failure("unavailable", "The database is away; try again shortly");
  if (error instanceof ObjectsAway) return failure("unavailable", "The object store is away; try again shortly");
  const status = (error as { statusCode?: number }).statusCode;
  const code = (error as { code?: string }).code;
  if (status === 413) return failure("payload_too_large", "The body is larger than this operation takes");
  if (status === 415 || code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") {
    return failure("unsupported_media_type", "Content-Type must be application/json");
  }
  // No id is that long: it reads like one that was never given out.
  if (code === "FST_ERR_MAX_PARAM_LENGTH") return notFound("Path");
  if (code === "FST_ERR_BAD_URL") return failure("invalid_request", "The path is not a valid URL");
  if (status !== undefined && status >= 400 && status < 500) {
    return failure("invalid_request", "The request could not be read");
  }
  return failure("internal", "Something went wrong on our side");
}
