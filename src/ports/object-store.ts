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
  /** Where objects end in a store that all nodes share: what is kept or put is on this machine's disk until that store has confirmed it. */
  readonly shared?: SharedObjects;
}

/** The way from this machine's disk to the store that all nodes share. */
export type SharedObjects = {
  /** In words: `s3://bucket/prefix`, `file:///folder`. */
  readonly address: string;
  /**
   * The longest that an upload takes from when it was begun: then it is given up, and the store takes no more of it. What is removed meanwhile has to
   * be removed once more after this time.
   */
  readonly settlesMs: number;
  /** What this process has kept or put since the last time that it was asked. */
  fresh(): string[];
  /** All that is on this machine's disk and was last written before then, by whichever process. */
  left(before: Date): Promise<string[]>;
  /** Resolves once the store has all of it, compared by size and digest; "gone" when it is not on this machine's disk any more. Safe to repeat. */
  upload(name: string, signal: AbortSignal): Promise<"confirmed" | "gone">;
  /** Removes what is on this machine's disk. */
  removeHere(name: string): Promise<void>;
  /** Writes, reads and removes a small object, and says what is wrong with the store; null where nothing is. */
  problem(): Promise<string | null>;
};

/** The shared store does not answer, or not as it should. Its sentence names no secret. */
export class ObjectsAway extends Error {
  override name = "ObjectsAway";
}

/** A part begins with a letter or digit: neither `..` nor a file that is hidden can be named. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,199}(\/[A-Za-z0-9][A-Za-z0-9_.-]{0,199}){0,7}$/;

/** Names are ours; one that is not must become neither a path nor a key. */
export function checkedName(name: string): string {
  if (!NAME.test(name)) throw new Error("not the name of an object");
  return name;
}
