import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "#test/support/source/source.ts";
import { nameOf, type Piece } from "./pieces.ts";

/** How long each piece took the last time: the longest begin first, and a share of the long tests is cut to its time. */
export type Durations = {
  /** In milliseconds. */
  of(piece: Piece): number;
  learn(piece: Piece, ms: number): void;
  /** Keeps what was learned for the next run. With `inTree` also for fresh clones: test/runner/durations.json. */
  save(inTree: boolean): void;
};

/** Of a piece that has never been run. */
const UNKNOWN_MS = 3_000;
/** Shorter ones are not worth a line in the tree. */
const IN_TREE_FROM_MS = 4_000;

const IN_TREE = join(root, "test/runner/durations.json");
const LEARNED = join(root, "node_modules/.cache/parley/test-durations.json");

const keyOf = (piece: Piece): string => `${piece.ring.name}: ${nameOf(piece)}`;

export function readDurations(): Durations {
  // In the tree in whole seconds, so that a change of it can be read.
  const known: Record<string, number> = {};
  for (const [key, seconds] of Object.entries(read(IN_TREE))) known[key] = seconds * 1000;
  Object.assign(known, read(LEARNED));
  return {
    of: (piece) => known[keyOf(piece)] ?? UNKNOWN_MS,
    learn: (piece, ms) => {
      known[keyOf(piece)] = Math.round(ms);
    },
    save(inTree) {
      write(LEARNED, known);
      if (!inTree) return;
      const long = Object.entries(known).filter(([, ms]) => ms >= IN_TREE_FROM_MS);
      write(IN_TREE, Object.fromEntries(long.map(([key, ms]) => [key, Math.round(ms / 1000)])));
    },
  };
}

function read(path: string): Record<string, number> {
  try {
    return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Record<string, number>) : {};
  } catch {
    // Cut off while it was written: it is learned anew.
    return {};
  }
}

function write(path: string, known: Record<string, number>): void {
  mkdirSync(dirname(path), { recursive: true });
  const sorted = Object.fromEntries(Object.entries(known).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(path, `${JSON.stringify(sorted, null, 2)}\n`);
}
