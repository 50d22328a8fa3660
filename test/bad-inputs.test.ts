import assert from "node:assert/strict";
import { test } from "node:test";
import { exists, readText } from "#test/support/source/source.ts";
import { titlesOf } from "#test/support/source/titles.ts";

const rows = readText("test/acceptance/BAD-INPUTS.md")
  .split("\n")
  .filter((line) => line.startsWith("| B"))
  .map((line) => line.slice(2, -2).split(" | "));

/** The inputs that are an API's: the others are webhooks' (B144-B176) and the telephone's (B202-B210). */
const WANTED = [...range(1, 143), ...range(177, 201), 211, 212];

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

test("every bad input stands in BAD-INPUTS.md once", () => {
  const named = rows.flatMap(([inputs]) => {
    const [, from, to] = /^B(\d{3})(?:-B(\d{3}))?$/.exec(inputs!)!;
    return range(Number(from), Number(to ?? from));
  });
  assert.deepEqual(
    named.toSorted((a, b) => a - b),
    WANTED,
  );
});

test("every bad input is sent by a test that exists, or says why it does not apply", () => {
  const missing = rows.flatMap(([inputs, , held]) =>
    held!
      .split(" · ")
      .filter((name) => !isHeld(name))
      .map((name) => `${inputs}: ${name}`),
  );
  assert.deepEqual(missing, []);
});

function isHeld(name: string): boolean {
  if (/^does not apply: .{20,}/.test(name)) return true;
  const [, file, title] = /^(\S+\.test\.ts): (.+)$/.exec(name) ?? [];
  if (file === undefined) return false;
  const path = /^(?:contract|src|test)\//.test(file) ? file : `test/acceptance/${file}`;
  return exists(path) && titlesOf(path).some((pattern) => pattern.test(title!));
}
