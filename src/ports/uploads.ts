import type { Encoding } from "#domain/messaging/text-encoding.ts";

/** A file that a caller has sent, kept until it has been read. `name` is ours; `bytes` are those that came. */
export type Upload = { name: string; bytes: number; sha256: Buffer; encoding: Encoding };

/** A row of a table: its cells, and its place in the file as a spreadsheet counts, the header being row 1. */
export type TableRow = { number: number; cells: string[] };

/** Rows that follow each other. Reading may begin again at `byteOffset`, after the last of them. */
export type TableRows = {
  rows: TableRow[];
  byteOffset: number;
  /** The table cannot be read past these rows, and why: "a quote is opened and not closed". */
  problem?: string;
};

/** How a table is read: what is between its cells, and how many rows are given at once at most. */
export type TableFormat = { delimiter: string; rowsAPiece: number };

/** Where reading begins: a byte of the file in UTF-8, and the number of the row before it. */
export type TablePlace = { byteOffset: number; rowNumber: number };

/** The upload is larger than it may be. */
export class UploadTooLarge extends Error {
  override name = "UploadTooLarge";
}

/**
 * Files that callers send, each on the node that took it. What is kept survives the process; nothing is held in memory.
 */
export type Uploads = {
  /** Keeps what comes in, as fast as it can be written. Fails with UploadTooLarge past `maxBytes`, and keeps nothing then. */
  keep(source: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Upload>;
  /**
   * Turns the file into UTF-8 without a byte order mark. Undefined when it is not of that encoding. The file's size then, and its
   * lines, as breaks end them: rows are no more.
   */
  toUtf8(name: string, encoding: Encoding): Promise<{ bytes: number; lines: number } | undefined>;
  /** The first bytes of the file, for a look at it. */
  head(name: string, bytes: number): Promise<Uint8Array>;
  /** The rows of a file in UTF-8, in order, from a place on. Ends when the signal is given. */
  rows(name: string, format: TableFormat, from: TablePlace, signal: AbortSignal): AsyncIterable<TableRows>;
  has(name: string): Promise<boolean>;
  /** All that are here. */
  names(): Promise<string[]>;
  /** Safe to repeat. What was left of turning it into UTF-8 goes with it. */
  remove(name: string): Promise<void>;
  /** Names of files that nothing has been written to since then, and of those of which only such a rest is left. */
  olderThan(at: Date): Promise<string[]>;
};
