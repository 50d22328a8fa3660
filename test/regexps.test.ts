import assert from "node:assert/strict";
import test from "node:test";
import { problemOf } from "../scripts/regexps/problem.ts";

// What has been here, and held a process for seconds or for ever.
const WERE_HERE: readonly (readonly [what: string, regexp: RegExp])[] = [
  ["an exponential one: signs that count as marks too", /^(?:[\s🛑🚫✋🖕❌🤚⛔]|\p{M}|\p{Emoji_Modifier}|\ufe0f)+$/u],
  ["spaces around a line's end", /\s*\n\s*/g],
  ["a request line with spaces", /^(\S+) +(\S.*?) +SIP\/(\d+\.\d+) *$/s],
  ["a Via with spaces", /^SIP\s*\/\s*2\.0\s*\/\s*([a-z]+)\s+([a-z.]+)\s*(?::\s*(\d{1,5}))?\s*(;.*)?$/s],
  ["an end that is tried at every beginning", /[.,!?]+$/],
  ["one of two alternatives that both fit", /^accept (?:any |new |any new )*messages$/],
];

for (const [what, regexp] of WERE_HERE) {
  test(`the checker finds ${what}`, () => {
    assert.match(problemOf(regexp.source, regexp.flags) ?? "it found nothing", /polynomial|exponential/);
  });
}

test("the checker lets through what only looks behind", () => {
  assert.equal(problemOf("(?<![.!])[.!]+$", ""), undefined);
});
