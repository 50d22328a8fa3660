import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { stringify } from "csv-stringify/sync";
import fc from "fast-check";
import { meantCell, shownCell } from "#domain/values/csv-cell.ts";
import type { TableRow } from "#ports/uploads.ts";
import { aFolder } from "#test/support/source/folder.ts";
import { readRows } from "./upload-rows.ts";

const folder = aFolder("rows");
const NEVER = new AbortController().signal;

/** All rows of a file, and why it could not be read further; begun anew after every `restartAfter` pieces. */
async function readAll(content: string | Uint8Array, rowsAPiece: number, restartAfter = Number.POSITIVE_INFINITY) {
  const path = join(folder, "x.csv");
  writeFileSync(path, content);
  const all: TableRow[] = [];
  const from = { byteOffset: 0, rowNumber: 0 };
  for (let isOver = false; !isOver; ) {
    isOver = true;
    let pieces = 0;
    for await (const { rows, byteOffset, problem } of readRows(path, { delimiter: ",", rowsAPiece }, from, NEVER)) {
      all.push(...rows);
      from.byteOffset = byteOffset;
      from.rowNumber = rows.at(-1)?.number ?? from.rowNumber;
      if (problem !== undefined) return { rows: all, problem };
      if (++pieces < restartAfter) continue;
      isOver = false;
      break;
    }
  }
  return { rows: all, problem: undefined };
}

/** What files are made of when they are at their worst. */
const nasty = fc
  .array(fc.constantFrom('"', '""', ",", "\n", "\r\n", "\r", "a", "é", "😀", " ", "\0", "=1", "\ufeff"), {
    maxLength: 60,
  })
  .map((parts) => parts.join(""));

test("whatever is in a file, reading it ends, and the rows are numbered from the first", async () => {
  const bytes = fc.uint8Array({ maxLength: 300 });
  await fc.assert(
    fc.asyncProperty(fc.oneof(nasty, bytes), async (content) => {
      const { rows } = await readAll(content, 7);
      assert.deepEqual(
        rows.map((row) => row.number),
        rows.map((_, i) => i + 1),
      );
    }),
    { numRuns: 300 },
  );
});

test("begun anew at any row the rows are the same", async () => {
  await fc.assert(
    fc.asyncProperty(
      nasty,
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 3 }),
      async (text, size, restart) => {
        assert.deepEqual(await readAll(text, size, restart), await readAll(text, 1_000));
      },
    ),
    { numRuns: 200 },
  );
});

test("a table that was written for a spreadsheet is read as it was", async () => {
  const cell = fc.oneof(nasty, fc.string({ unit: "binary" }), fc.constantFrom("=1+1", "-2", "@x", "+12125550101"));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 20 }), async (table) => {
      // An apostrophe before a formula is ours: one that somebody wrote so is taken for it.
      fc.pre(table.flat().every((cell) => cell.isWellFormed() && !/^'[=+\-@\t\r]/.test(cell)));
      const { rows } = await readAll(
        stringify(
          table.map((row) => row.map(shownCell)),
          { quoted: true },
        ),
        1_000,
      );
      assert.deepEqual(
        rows.map((row) => row.cells.map(meantCell)),
        table,
      );
    }),
    { numRuns: 200 },
  );
});

test("pieces have at most as many rows as they may, and fewer when rows are long", async () => {
  const path = join(folder, "long.csv");
  writeFileSync(path, Array.from({ length: 40 }, (_, i) => `${i},${"x".repeat(900_000)}`).join("\n"));
  const sizes: number[] = [];
  for await (const { rows } of readRows(
    path,
    { delimiter: ",", rowsAPiece: 30 },
    { byteOffset: 0, rowNumber: 0 },
    NEVER,
  )) {
    sizes.push(rows.length);
  }
  assert.equal(
    sizes.reduce((sum, n) => sum + n, 0),
    40,
  );
  assert.ok(Math.max(...sizes) <= 9, `pieces of ${sizes.join(", ")} rows of 900 kB`);
});
