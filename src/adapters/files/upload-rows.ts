import { createReadStream } from "node:fs";
import { CsvError, type Info, type Parser, parse } from "csv-parse";
import type { TableFormat, TablePlace, TableRow, TableRows } from "#ports/uploads.ts";

/** A row of notes may be long; an unclosed quote makes one row of the whole rest of the file. */
const MAX_ROW_BYTES = 1024 * 1024;
/** A piece has fewer rows when they are long. */
const BYTES_A_PIECE = 8 * 1024 * 1024;

/**
 * The rows of a CSV file in UTF-8, from a place on. Lines may end in CRLF, LF or CR, also in turns; a quote inside an
 * unquoted cell is a quote. What cannot be read ends it, after the rows before it.
 */
export async function* readRows(
  path: string,
  { delimiter, rowsAPiece }: TableFormat,
  from: TablePlace,
  signal: AbortSignal,
): AsyncGenerator<TableRows> {
  const source = createReadStream(path, { start: from.byteOffset, highWaterMark: 256 * 1024 });
  const parser = parse({
    delimiter,
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    relax_quotes: true,
    max_record_size: MAX_ROW_BYTES,
    info: true,
  });
  let failure: Error | undefined;
  parser.on("error", (error) => {
    failure = error;
  });
  const at = { number: from.rowNumber, byteOffset: from.byteOffset };
  const piece = collector(parser, rowsAPiece, at);
  try {
    for await (const bytes of source) {
      if (signal.aborted) return;
      // The parser is synchronous: the rows of a chunk can be read right after it is written.
      parser.write(bytes);
      piece.take();
      if (failure) break;
      while (piece.isFull()) yield piece.give();
    }
    if (!failure) {
      await ended(parser, () => piece.take());
      piece.take();
    }
    while (piece.isFull()) yield piece.give();
    const rest = piece.give();
    if (failure) yield { ...rest, problem: problemOf(failure, at.number + 1) };
    else if (rest.rows.length > 0) yield rest;
  } finally {
    source.destroy();
    parser.destroy();
  }
}

/** Ends the parser's input and waits for its last rows or its error. */
function ended(parser: Parser, take: () => void): Promise<void> {
  return new Promise((resolve) => {
    parser.once("end", resolve);
    parser.once("error", () => resolve());
    parser.on("readable", take);
    parser.end();
  });
}

/** Takes rows out of the parser and gives them away in pieces. */
function collector(parser: Parser, rowsAPiece: number, at: { number: number; byteOffset: number }) {
  const begin = at.byteOffset;
  type Read = { row: TableRow; end: number };
  let waiting: Read[] = [];
  return {
    take() {
      for (let entry = parser.read() as { record: string[]; info: Info } | null; entry; entry = parser.read()) {
        at.number++;
        waiting.push({ row: { number: at.number, cells: entry.record }, end: begin + entry.info.bytes });
      }
    },
    isFull: () => waiting.length >= rowsAPiece || (waiting.at(-1)?.end ?? 0) - at.byteOffset > BYTES_A_PIECE,
    give(): TableRows {
      const from = at.byteOffset;
      let count = Math.min(rowsAPiece, waiting.length);
      while (count > 1 && waiting[count - 1]!.end - from > BYTES_A_PIECE) count = Math.ceil(count / 2);
      const given = waiting.slice(0, count);
      waiting = waiting.slice(count);
      at.byteOffset = given.at(-1)?.end ?? from;
      return { rows: given.map(({ row }) => row), byteOffset: at.byteOffset };
    },
  };
}

function problemOf(error: Error, row: number): string {
  const code = error instanceof CsvError ? error.code : "";
  if (code === "CSV_QUOTE_NOT_CLOSED") return `row ${row} opens a quote that is never closed`;
  if (code === "CSV_MAX_RECORD_SIZE") return `row ${row} is larger than 1 MB; is a quote opened and not closed?`;
  return `row ${row} cannot be read`;
}
