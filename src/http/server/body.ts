import { createHash } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { failure } from "#domain/values/errors.ts";
import { parseJson } from "#domain/values/json.ts";

/** JSON in UTF-8 and nothing else: every other charset, encoding or type is a 415. */
const JSON_TYPE = /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i;

const hashes = new WeakMap<FastifyRequest, Buffer>();

/** SHA-256 of the body's bytes, known only for requests that carry an Idempotency-Key. */
export const bodyHash = (request: FastifyRequest): Buffer => hashes.get(request) ?? createHash("sha256").digest();

/** For a body that is not read here. */
export const noteBodyHash = (request: FastifyRequest, hash: Buffer): void => {
  hashes.set(request, hash);
};

/** Reads bodies: parsed for most operations, as bytes for those that hand them to a thread. */
export function parseBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(JSON_TYPE, { parseAs: "buffer" }, (request, body, done) => {
    try {
      const bytes = body as Buffer;
      if (request.headers["idempotency-key"] !== undefined) {
        hashes.set(request, createHash("sha256").update(bytes).digest());
      }
      const config = request.routeOptions.config as { bulk?: boolean; wantsBody?: boolean };
      if (config.bulk) done(null, bytes);
      else if (bytes.length === 0 && !config.wantsBody) done(null, undefined);
      else done(null, parseJson(bytes));
    } catch (error) {
      done(error as Error);
    }
  });
  // After the key is known, before a byte is read.
  app.addHook("preParsing", (request, _reply, _payload, done) => {
    const encoding = request.headers["content-encoding"];
    if (encoding === undefined || encoding === "identity") done();
    else done(failure("unsupported_media_type", "Content-Encoding must be absent: compressed bodies are not taken"));
  });
}
