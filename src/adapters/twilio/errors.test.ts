import assert from "node:assert/strict";
import { test } from "node:test";
import { BARS, classOf, TWILIO_ERRORS, wordsOf } from "./errors.ts";

test("each code has words for a person and one thing that follows from it", () => {
  for (const [code, { words }] of Object.entries(TWILIO_ERRORS)) {
    assert.match(code, /^\d{5}$/);
    assert.match(words, /^[A-Z].*[^.]$/, code);
    assert.equal(wordsOf(code), words);
  }
});

test("the classes are those of the design", () => {
  const inClass = (name: string) => Object.keys(TWILIO_ERRORS).filter((code) => classOf(code) === name);
  assert.deepEqual(inClass("opt_out"), ["21610"]);
  assert.deepEqual(inClass("account"), Object.keys(BARS).sort());
  assert.deepEqual(inClass("retry_later"), ["20429", "21611", "30001", "30008", "30017", "30022", "30035"]);
  assert.deepEqual(inClass("stop_today"), ["30023", "30027", "63038"]);
  for (const code of ["21211", "21614", "30005", "30006"]) assert.equal(classOf(code), "stop_number");
  for (const code of ["30032", "30033", "30034"]) assert.equal(classOf(code), "stop_sender");
});

test("a code that is not in the table is refused by the carrier, with the code", () => {
  assert.equal(wordsOf("12345"), "Refused by the carrier (12345)");
  assert.equal(wordsOf("constructor"), "Refused by the carrier (constructor)");
  assert.equal(classOf("toString"), undefined);
});
