import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type ByteRange, byteRange } from "#domain/values/byte-range.ts";
import { failure } from "#domain/values/errors.ts";
import { linkToken } from "#operations/accounts/link-token.ts";
import type { Context } from "#operations/context.ts";
import type { MediaUrl } from "./views.ts";

/** A file that is kept, of which parts can be read. `isShown`: a page may show it; anything else is saved and never opened as a page of ours. */
export type KeptFile = {
  bytes: number;
  etag: string;
  fileName: string;
  /** Undefined: sound, as recordings are. */
  contentType?: string;
  isShown?: boolean;
  read(range?: ByteRange): Promise<Readable>;
};

/**
 * Answers with a file, or with the part that `Range` asks for: players seek by it. `If-Range` and `If-None-Match` are heeded.
 * HEAD has the same headers. 416 where the range begins after the end.
 */
export async function sendFile(request: FastifyRequest, reply: FastifyReply, file: KeptFile): Promise<FastifyReply> {
  const { headers } = request;
  reply.header("accept-ranges", "bytes").header("etag", file.etag);
  // A link is made to be passed on: a page of the caller's own may play what it opens.
  if (isByLink(request)) reply.header("cross-origin-resource-policy", "cross-origin");
  if (headers["if-none-match"] === file.etag) return reply.code(304).send();
  const isOurs = headers["if-range"] === undefined || headers["if-range"] === file.etag;
  const range = isOurs ? byteRange(headers.range, file.bytes) : undefined;
  if (range === "beyond") {
    reply.header("content-range", `bytes */${file.bytes}`);
    throw failure("range_not_satisfiable", `The file has ${file.bytes} bytes`);
  }
  const { start, end } = range ?? { start: 0, end: file.bytes };
  if (range) reply.code(206).header("content-range", `bytes ${start}-${end - 1}/${file.bytes}`);
  return reply
    .type(file.contentType ?? "audio/wav")
    .header("content-length", end - start)
    .header("content-disposition", `${file.isShown ? "inline" : "attachment"}; filename="${file.fileName}"`)
    .send(request.method === "HEAD" || end === start ? Readable.from([]) : await file.read(range));
}

const isByLink = ({ query }: FastifyRequest): boolean => (query as { token?: unknown }).token !== undefined;

/** The addresses of what came with a tenant's texts, each of which opens one file for a while. */
export const mediaUrls =
  (ctx: Context, tenantId: string, origin: string): MediaUrl =>
  (id) =>
    `${origin}/v1/media/${id}?token=${linkToken(ctx, tenantId, { what: "media", id })}`;
