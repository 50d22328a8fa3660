import { Readable } from "node:stream";
import { stringify } from "csv-stringify/sync";
import type { FastifyReply, FastifyRequest } from "fastify";

/** A table that is answered as a file of CSV: its rows come as they are read. */
export type Table = { header: string[]; rows: AsyncIterable<string[][]>; fileName: string };

/**
 * Answers with a table. The reader sets the pace: no page is read before the one before it has gone. Where a page cannot be
 * read the connection is cut, so that half a file is not taken for a whole one. HEAD has the same headers, and no page is read.
 */
export function sendTable(request: FastifyRequest, reply: FastifyReply, table: Table): FastifyReply {
  const { header, rows, fileName } = table;
  return reply
    .type("text/csv; charset=utf-8; header=present")
    .header("content-disposition", `attachment; filename="${fileName}"`)
    .send(isHead(request) ? Readable.from([]) : inBytes(linesOf(header, rows)));
}

/** Fastify answers it as GET, and would read all that is sent. */
const isHead = ({ method }: FastifyRequest): boolean => method === "HEAD";

const inBytes = (chunks: AsyncIterable<Uint8Array>): Readable =>
  Readable.from(chunks, { objectMode: false, highWaterMark: 64 * 1024 });

async function* linesOf(header: string[], pages: AsyncIterable<string[][]>): AsyncGenerator<Buffer> {
  yield Buffer.from(stringify([header]));
  for await (const page of pages) yield Buffer.from(stringify(page));
}

/** An archive, in pieces as they are made; made when it is asked for. */
export type Archive = { make: () => Promise<AsyncIterable<Uint8Array>>; fileName: string };

/** Answers with an archive, in the same way. HEAD makes none. */
export async function sendArchive(
  request: FastifyRequest,
  reply: FastifyReply,
  archive: Archive,
): Promise<FastifyReply> {
  const body = isHead(request) ? Readable.from([]) : inBytes(await archive.make());
  return reply
    .type("application/zip")
    .header("content-disposition", `attachment; filename="${archive.fileName}"`)
    .header("cache-control", "no-store")
    .send(body);
}
