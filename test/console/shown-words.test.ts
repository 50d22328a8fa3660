import assert from "node:assert/strict";
import { test } from "node:test";
import { CALL_OUTCOMES } from "#domain/calls/redial.ts";
import { CALL_RESULTS } from "#domain/calls/result.ts";
import { excerptOf, spelled, valueWords, wordOf } from "../../console/src/parts/show/words.ts";

test("whatever a call can come to has words of its own", () => {
  const codes = [...new Set([...CALL_RESULTS, ...CALL_OUTCOMES])];
  const labels = codes.map((code) => wordOf("result", code).label);
  assert.equal(new Set(labels).size, codes.length, "two have the same words");
  for (const code of ["talked", "ivr", "failed"]) {
    assert.notEqual(wordOf("result", code).label, spelled(code), `${code} is shown as the API has it`);
  }
});

test("values that are codes are shown as words, and what people wrote as it is", () => {
  assert.deepEqual([true, "true", false, "false", "", null].map(valueWords), ["Yes", "Yes", "No", "No", "–", "–"]);
  assert.equal(valueWords("express_written"), "Express written");
  assert.equal(valueWords("john_smith"), "john_smith");
  assert.equal(valueWords(350_000), "350000");
});

test("a text is shown whole where what was searched for is near its beginning, and else from a whole word before", () => {
  assert.equal(excerptOf("We close on Friday.", "FRIDAY "), "We close on Friday.");
  const long = "Thank you for the offer that you sent me, the roof was replaced in the spring of last year.";
  assert.equal(excerptOf(long, "FOR the "), long);
  const cut = excerptOf(long, "Replaced");
  assert.match(cut, /^… \w+ .*was replaced in the spring of last year\.$/);
  assert.ok(long.endsWith(cut.slice(2)) && long.at(-cut.length + 1) === " ", cut);
  assert.equal(excerptOf(`${"x".repeat(100)}roof`, "roof"), `${"x".repeat(100)}roof`, "no word begins before");
  assert.equal(excerptOf(long, "not in it"), long);
});
