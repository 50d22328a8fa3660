import assert from "node:assert/strict";
import { test } from "node:test";
import { diffLines } from "../../console/src/pages/agents/diff.ts";

/** A line each, as `+ a [b]` where b is a changed word. */
const shown = (before: string, after: string): string[] =>
  diffLines(before, after).map(({ side, parts }) => {
    const mark = { same: " ", added: "+", removed: "-" }[side];
    return `${mark} ${parts.map(({ text, isNew }) => (isNew ? `[${text}]` : text)).join("")}`;
  });

test("of a line that was changed the changed words are marked, and only those", () => {
  assert.deepEqual(shown("Be kind.\nFind out the budget.\nEnd.", "Be kind.\nFind out the move date.\nEnd."), [
    "  Be kind.",
    "- Find out the [budget].",
    "+ Find out the [move date].",
    "  End.",
  ]);
});

test("lines that have little in common are whole ones, and so is what was added or removed alone", () => {
  assert.deepEqual(shown("Ask for the budget.", "We open at eight."), ["- Ask for the budget.", "+ We open at eight."]);
  assert.deepEqual(shown("", "New."), ["+ New."]);
  assert.deepEqual(shown("Old.\nSame.", "Same."), ["- Old.", "  Same."]);
  assert.deepEqual(shown("Same.", "Same."), ["  Same."]);
});

test("several changed lines are compared in their order", () => {
  assert.deepEqual(shown("first line one\nsecond line one", "first line two\nsecond line two\nthird"), [
    "- first line [one]",
    "- second line [one]",
    "+ first line [two]",
    "+ second line [two]",
    "+ third",
  ]);
});

test("a text of very many lines is shown before and after", () => {
  const many = (word: string) => Array.from({ length: 1_500 }, (_, i) => `${word} ${i}`).join("\n");
  const diff = diffLines(many("a"), many("b"));
  assert.equal(diff.length, 3_000);
});
