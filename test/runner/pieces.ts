import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, relative } from "node:path";
import { shuffled } from "#test/support/source/draw.ts";
import { root } from "#test/support/source/source.ts";
import type { Durations } from "./durations.ts";
import { LEFT_TO_LONG, RINGS, type Ring, STAGE_AT_ONCE } from "./rings.ts";

/** What can be run by itself: a file, or a part of one. */
export type Piece = {
  ring: Ring;
  file: string;
  /** Its value of PARLEY_TEST_ONLY. */
  only?: string;
};

/** Pieces that one process runs, one after another. */
export type Batch = { ring: Ring; pieces: readonly Piece[]; estimateMs: number };

const ALL = ["src/**/*.test.ts", "contract/**/*.test.ts", "test/**/*.test.ts"];

/** Files that run in one process share what it costs to load the program, some 0.5 s; a batch that is much longer leaves others waiting at the end. */
const BATCH_MS = 20_000;

export const nameOf = ({ file, only }: Omit<Piece, "ring">): string => (only === undefined ? file : `${file} ${only}`);

/** Every test file of the tree. */
export const allFiles = (): string[] => globSync(ALL, { cwd: root }).sort();

/** The pieces of a command, each in its ring. */
export function piecesOf(command: Ring["command"]): Piece[] {
  const taken = new Set(command === "test" ? LEFT_TO_LONG : []);
  return RINGS.filter((ring) => ring.command === command).flatMap((ring) => {
    const pieces = ring.files.flatMap((entry): Piece[] =>
      typeof entry === "string"
        ? globSync(entry, { cwd: root })
            .sort()
            .filter((file) => !taken.has(file))
            .map((file) => ({ ring, file }))
        : entry.only.map((only) => ({ ring, file: entry.file, only })),
    );
    for (const { file } of pieces) taken.add(file);
    return pieces;
  });
}

/** Those of files and folders that somebody names, all of each file. */
export function namedPieces(names: readonly string[]): Piece[] {
  const files = names.flatMap((name) => {
    const path = relative(root, name);
    if (!existsSync(join(root, path))) throw new Error(`There is no test file or folder ${name}.`);
    return statSync(join(root, path)).isDirectory() ? globSync(`${path}/**/*.test.ts`, { cwd: root }).sort() : [path];
  });
  if (files.length === 0) throw new Error(`There are no tests in ${names.join(", ")}.`);
  const known = [...piecesOf("long"), ...piecesOf("test"), ...piecesOf("citus")];
  return [...new Set(files)].map((file) => {
    const ring = known.find((piece) => piece.file === file)?.ring;
    if (ring === undefined) throw new Error(`${file} is in no ring: test/runner/rings.ts`);
    return { ring, file };
  });
}

/** In the order that a key draws, as many pieces as the minutes hold; and those that they do not. */
export function drawnShare(
  pieces: readonly Piece[],
  durations: Durations,
  { key, minutes }: { key: string; minutes: number },
): { pieces: Piece[]; left: Piece[] } {
  const drawn: Piece[] = [];
  let freeMs = minutes * 60_000;
  for (const piece of shuffled(pieces, nameOf, key)) {
    // More at one time than there are processors take longer each.
    const tookMs = durations.of(piece) / Math.min(piece.ring.atOnce ?? STAGE_AT_ONCE, availableParallelism());
    if (tookMs > freeMs) continue;
    freeMs -= tookMs;
    drawn.push(piece);
  }
  return {
    pieces: pieces.filter((piece) => drawn.includes(piece)),
    left: pieces.filter((piece) => !drawn.includes(piece)),
  };
}

/**
 * Groups the pieces of one ring for as few processes as keep `atOnce` of them busy. Which files stand together and in which order is drawn: a
 * test that needs another before it is found out.
 */
export function batchesOf(pieces: readonly Piece[], durations: Durations, seed: string, atOnce: number): Batch[] {
  const estimate = (piece: Piece) => durations.of(piece);
  const alone = pieces.filter(needsOwnProcess);
  const shared = shuffled(
    pieces.filter((piece) => !alone.includes(piece)),
    nameOf,
    seed,
  );
  const totalMs = shared.reduce((sum, piece) => sum + estimate(piece), 0);
  const count = Math.min(shared.length, Math.max(atOnce, Math.ceil(totalMs / BATCH_MS)));
  const bins = Array.from({ length: count }, () => ({ pieces: [] as Piece[], estimateMs: 0 }));
  for (const piece of shared.toSorted((a, b) => estimate(b) - estimate(a))) {
    const least = bins.reduce((a, b) => (b.estimateMs < a.estimateMs ? b : a));
    least.pieces.push(piece);
    least.estimateMs += estimate(piece);
  }
  return [
    ...alone.map((piece) => ({ ring: piece.ring, pieces: [piece], estimateMs: estimate(piece) })),
    ...bins.map((bin) => ({ ring: bin.pieces[0]!.ring, ...bin, pieces: shuffled(bin.pieces, nameOf, seed) })),
  ];
}

/** Hooks outside of any test would be everybody's in a shared process, and so are those that a file says it changes. */
const OWN_PROCESS = /^(?:before|after|beforeEach|afterEach)\(|^\/\/ In a process of its own: /m;

const needsOwnProcess = ({ file, only }: Piece): boolean =>
  only !== undefined || OWN_PROCESS.test(readFileSync(join(root, file), "utf8"));
