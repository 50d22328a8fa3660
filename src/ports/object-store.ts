import type { Readable } from "node:stream";

/** Where recordings of calls and what came with texts are kept. Names are ours: letters, digits, `-`, `_`, `.` and `/`, never beginning with one of the last two. */
export interface ObjectStore {
  /** The object's bytes, or a part of them (`end` exclusive); undefined when there is no such object. */
  read(name: string, range?: { start: number; end: number }): Promise<Readable | undefined>;
  /** Bytes; undefined when there is none. */
  size(name: string): Promise<number | undefined>;
  /** Stores a whole file under a name, and resolves once it would survive a crash. The file is moved, or copied and removed. */
  keep(name: string, file: string): Promise<void>;
  /** The same for bytes. Safe to repeat: whoever reads it meanwhile has the older or the newer, and never a part. */
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** Safe to repeat. */
  remove(name: string): Promise<void>;
}
