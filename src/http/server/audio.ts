import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type ByteRange, byteRange } from "#domain/values/byte-range.ts";
import { failure } from "#domain/values/errors.ts";

/** A file of sound, of which parts can be read. */
export type Audio = { bytes: number; etag: string; fileName: string; read(range?: ByteRange): Promise<Readable> };

/**
 * Answers with a sound file, or with the part that `Range` asks for: players seek by it. `If-Range` and `If-None-Match` are heeded.
 * HEAD has the same headers. 416 where the range begins after the end.
 */
export async function sendAudio(request: FastifyRequest, reply: FastifyReply, audio: Audio): Promise<FastifyReply> {
  const { headers } = request;
  reply.header("accept-ranges", "bytes").header("etag", audio.etag);
  if (headers["if-none-match"] === audio.etag) return reply.code(304).send();
  const isOurs = headers["if-range"] === undefined || headers["if-range"] === audio.etag;
  const range = isOurs ? byteRange(headers.range, audio.bytes) : undefined;
  if (range === "beyond") {
    reply.header("content-range", `bytes */${audio.bytes}`);
    throw failure("range_not_satisfiable", `The recording has ${audio.bytes} bytes`);
  }
  const { start, end } = range ?? { start: 0, end: audio.bytes };
  if (range) reply.code(206).header("content-range", `bytes ${start}-${end - 1}/${audio.bytes}`);
  return reply
    .type("audio/wav")
    .header("content-length", end - start)
    .header("content-disposition", `attachment; filename="${audio.fileName}"`)
    .send(request.method === "HEAD" || end === start ? Readable.from([]) : await audio.read(range));
}
