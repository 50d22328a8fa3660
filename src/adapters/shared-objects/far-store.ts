import type { Readable } from "node:stream";
import type { Digests } from "./digests.ts";

/** An object on this machine: what it is compared by, and its bytes, as often as they are asked for. */
export type NearObject = Digests & { open(): Promise<Readable> };

/** A store that all nodes share. Whatever goes wrong with it is an `ObjectsAway`. */
export type FarStore = {
  /** In words. */
  readonly address: string;
  read(name: string, range?: { start: number; end: number }): Promise<Readable | undefined>;
  size(name: string): Promise<number | undefined>;
  /** Whether it has this very object, compared by size and digest. */
  has(name: string, near: NearObject): Promise<boolean>;
  /** Resolves once it has all of it, compared in the same way. Safe to repeat: readers have the older or the newer. */
  put(name: string, near: NearObject, signal: AbortSignal): Promise<void>;
  /** Safe to repeat. */
  remove(name: string): Promise<void>;
  /** What is wrong with how it is set up, that reading and writing does not show; null where nothing is known to be. */
  setupProblem?(): Promise<string | null>;
};
