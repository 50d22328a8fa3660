import assert from "node:assert/strict";
import { test } from "node:test";
import { readText } from "#test/support/source/source.ts";
import { allFiles, batchesOf, drawnShare, nameOf, type Piece, piecesOf } from "./pieces.ts";
import { RINGS } from "./rings.ts";

const durationsOf = (ms: (piece: Piece) => number) => ({ of: ms, learn() {}, save() {} });

test("every test file is run by npm test or by npm run test:long, but for those that need a cluster", () => {
  const others = piecesOf("citus").filter(({ file }) => file.startsWith("test/citus/"));
  const run = new Set([...piecesOf("test"), ...piecesOf("long"), ...others].map(({ file }) => file));
  assert.deepEqual(
    allFiles().filter((file) => !run.has(file)),
    [],
  );
});

test("what is drawn or parted in npm test is whole in npm run test:long", () => {
  const whole = new Set(
    piecesOf("long")
      .filter(({ ring, only }) => ring.name === "mutants" || only === undefined)
      .map(({ file }) => file),
  );
  const samples = piecesOf("test").filter(({ ring }) => ring.name.endsWith("-sample"));
  assert.ok(samples.length > 8);
  for (const piece of samples) assert.ok(whole.has(piece.file), nameOf(piece));
});

test("a part that a ring names is in its file", () => {
  for (const { ring, file, only } of [...piecesOf("test"), ...piecesOf("long")])
    if (only !== undefined && ring.name !== "mutants")
      assert.ok(readText(file).includes(`"${only}"`), `${file}: ${only}`);
});

test("every ring has files, and docs/testing.md says what it proves and what it may take", () => {
  const table = readText("docs/testing.md");
  for (const ring of RINGS) {
    assert.ok(
      piecesOf(ring.command).some((piece) => piece.ring === ring),
      ring.name,
    );
    assert.ok(table.includes(`| \`${ring.name}\` | ${ring.proves} |`), `docs/testing.md: ${ring.name}, ${ring.proves}`);
    assert.match(
      table,
      new RegExp(`^\\| \`${ring.name}\` .*\\| ${ring.budget} \\|$`, "m"),
      `docs/testing.md: ${ring.name}`,
    );
  }
});

test("batches hold each piece once, and those of one ring keep its places busy", () => {
  const pieces = piecesOf("test").filter(({ ring }) => ring.name === "unit");
  const batches = batchesOf(
    pieces,
    durationsOf(() => 100),
    "1",
    5,
  );
  assert.deepEqual(batches.flatMap((batch) => batch.pieces.map(nameOf)).sort(), pieces.map(nameOf).sort());
  assert.ok(batches.length >= 5);
});

test("files with hooks outside of any test have a process of their own", () => {
  const pieces = piecesOf("test").filter(
    ({ file }) => file === "src/media/audio/silero.test.ts" || file.startsWith("src/domain/"),
  );
  const batches = batchesOf(
    pieces,
    durationsOf(() => 1),
    "1",
    1,
  );
  const hooks = batches.filter(({ pieces: own }) => own.some(({ file }) => file === "src/media/audio/silero.test.ts"));
  assert.deepEqual(
    hooks.map(({ pieces: own }) => own.length),
    [1],
  );
});

test("the order of files is drawn by the seed, and the same for the same", () => {
  const pieces = piecesOf("test").filter(({ file }) => file.startsWith("src/domain/"));
  const order = (seed: string) =>
    batchesOf(
      pieces,
      durationsOf(() => 1),
      seed,
      1,
    ).flatMap((batch) => batch.pieces.map(nameOf));
  assert.deepEqual(order("7"), order("7"));
  assert.notDeepEqual(order("7"), order("8"));
});

test("a share of the long tests is as much as its minutes hold, by its key, and says what is left", () => {
  const all = piecesOf("long");
  const durations = durationsOf(() => 60_000);
  const { pieces, left } = drawnShare(all, durations, { key: "a commit", minutes: 5 });
  assert.equal(pieces.length + left.length, all.length);
  assert.ok(pieces.length >= 5 && pieces.length <= 10, String(pieces.length));
  assert.deepEqual(drawnShare(all, durations, { key: "a commit", minutes: 5 }).pieces.map(nameOf), pieces.map(nameOf));
  assert.notDeepEqual(
    drawnShare(all, durations, { key: "another", minutes: 5 }).pieces.map(nameOf),
    pieces.map(nameOf),
  );
});
