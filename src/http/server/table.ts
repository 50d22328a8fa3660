import { Readable } from "node:stream";
import { stringify } from "csv-stringify/sync";
import type { FastifyReply } from "fastify";

/** A table that is answered as a file of CSV: its rows come as they are read. */
export type Table = { header: string[]; rows: AsyncIterable<string[][]>; fileName: string };

/**
 * Answers with a table. The reader sets the pace: no page is read before the one before it has gone. Where a page cannot be
 * read the connection is cut, so that half a file is not taken for a whole one.
 */
export function sendTable(reply: FastifyReply, { header, rows, fileName }: Table): FastifyReply {
  return reply
    .type("text/csv; charset=utf-8; header=present")
    .header("content-disposition", `attachment; filename="${fileName}"`)
    .send(Readable.from(linesOf(header, rows), { objectMode: false, highWaterMark: 64 * 1024 }));
}

async function* linesOf(header: string[], pages: AsyncIterable<string[][]>): AsyncGenerator<Buffer> {
  yield Buffer.from(stringify([header]));
  for await (const page of pages) yield Buffer.from(stringify(page));
}

/** An archive, in pieces as they are made. */
export type Archive = { chunks: AsyncIterable<Uint8Array>; fileName: string };

/** Answers with an archive, in the same way. */
export const sendArchive = (reply: FastifyReply, { chunks, fileName }: Archive): FastifyReply =>
  reply
    .type("application/zip")
    .header("content-disposition", `attachment; filename="${fileName}"`)
    .header("cache-control", "no-store")
    .send(Readable.from(chunks, { objectMode: false, highWaterMark: 64 * 1024 }));
