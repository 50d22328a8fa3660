import assert from "node:assert/strict";
import { test } from "node:test";
import type { AppError } from "#domain/values/errors.ts";
import { refuseWrongQuestions, type Script, type WrittenQuestion, wordingsOf } from "./script.ts";

const base = { kind: "text" as const, required: false, choices: [], spanish: [], isFirst: false };

/** Asks for a city and a reason. */
function problemsOf(written: WrittenQuestion[]): string[] {
  const read: WrittenQuestion[] = [
    { field: "city", question: "What city are you in?", rephrased: ["Which city is that?"] },
    { field: "reason", question: "What is your reason?", rephrased: [] },
  ];
  const script: Script = {
    questions: read.map((one) => ({ ...base, ...(written.find(({ field }) => field === one.field) ?? one) })),
    facts: [],
    offLimits: [],
  };
  try {
    refuseWrongQuestions(written, script);
    return [];
  } catch (error) {
    return (error as AppError).details!.map(({ field, message }) => `${field} ${message}`);
  }
}

const city = (question: string, ...rephrased: string[]): WrittenQuestion[] => [{ field: "city", question, rephrased }];

test("one question that ends in its mark may be asked", () => {
  for (const question of [
    "Which city?",
    "We come to many places. Is yours Denver?",
    "¿En qué ciudad vive?",
    "哪个城市?",
  ])
    assert.deepEqual(problemsOf(city(question)), [], question);
});

test("what is no question, or could not be sent as it stands, is refused", () => {
  const mark = "questions[0].question must be one question that ends in ?";
  for (const question of ["Your city", "?", "Which city? Or town?", "Which city? Please."])
    assert.deepEqual(problemsOf(city(question)), [mark], question);
  for (const question of ["Is it {{city}}?", "Is it <b>Denver</b>?"])
    assert.match(problemsOf(city(question)).join(), /^questions\[0\]\.question must have no braces/, question);
  for (const question of ["Is it on acme.com?", "Do you write to a@acme.example?", "Is it +1 212 555 0100?"])
    assert.match(problemsOf(city(question)).join(), /^questions\[0\]\.question must have no link/, question);
});

test("no wording is there twice, whatever its case, for one field or two", () => {
  const differ = "must differ from every other question";
  assert.deepEqual(problemsOf(city("Which town?", "which  TOWN?")), [`questions[0].rephrased[0] ${differ}`]);
  assert.deepEqual(problemsOf(city("What is your reason?")), [`questions[0].question ${differ}`]);
  assert.deepEqual(problemsOf(city("Which city is that?")), []);
});

test("every wording of an agent is known, and one without has none", () => {
  assert.deepEqual(wordingsOf({ questions: city("A?", "B?") }), ["A?", "B?"]);
  assert.deepEqual(wordingsOf({}), []);
});
