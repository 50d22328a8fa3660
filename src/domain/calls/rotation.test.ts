import assert from "node:assert/strict";
import { test } from "node:test";
import { rotation, type UsableNumber } from "./rotation.ts";

const [A, B, C] = ["+12125550100", "+12125550101", "+13125550100"] as const;
const STRANGER = "+14155550123";

const one = (number: string, more: Partial<UsableNumber> = {}): UsableNumber => ({
  number,
  placed: 0,
  left: Number.POSITIVE_INFINITY,
  isResting: false,
  ...more,
});
const to = (phone: string, more: { known?: string; isAsked?: boolean } = {}) => ({
  phone,
  known: more.known ?? null,
  isAsked: more.isAsked ?? false,
});

test("the least used number is taken, in the campaign's order where they are alike", () => {
  const numbers = rotation([one(A, { placed: 2 }), one(B), one(C, { placed: 1 })]);
  const taken = Array.from({ length: 6 }, () => numbers.take(to(STRANGER)));
  assert.deepEqual(taken, [B, B, C, A, B, C]);
  assert.deepEqual(numbers.taken(), [
    { number: A, taken: 1 },
    { number: B, taken: 3 },
    { number: C, taken: 2 },
  ]);
});

test("a number of the contact's area code comes before one that is used less", () => {
  const numbers = rotation([one(A), one(C, { placed: 50 })]);
  assert.equal(numbers.take(to("+13125550123")), C);
  assert.equal(numbers.take(to("+12125550123")), A);
  assert.equal(numbers.take(to(STRANGER)), A);
});

test("a contact keeps the number that it knows, unless that rests", () => {
  assert.equal(rotation([one(A), one(B, { placed: 9 })]).take(to(STRANGER, { known: B })), B);
  assert.equal(rotation([one(A), one(B, { isResting: true })]).take(to(STRANGER, { known: B })), A);
  // Who has asked waits for it rather than to be called from a number that it does not know; who has not holds up nobody.
  assert.equal(rotation([one(A), one(B, { left: 0.5 })]).take(to(STRANGER, { known: B, isAsked: true })), undefined);
  assert.equal(rotation([one(A), one(B, { left: 0.5 })]).take(to(STRANGER, { known: B })), A);
});

test("no number is taken more often than its line allows", () => {
  const numbers = rotation([one(A, { left: 2.9 }), one(B, { left: 1 })]);
  assert.equal(numbers.left(), 3);
  assert.deepEqual(
    Array.from({ length: 5 }, () => numbers.take(to(STRANGER))),
    [A, B, A, undefined, undefined],
  );
});

test("where all rest only a call that the contact waits for leaves, by the number that it knows", () => {
  const numbers = rotation([one(A, { isResting: true }), one(B, { isResting: true })]);
  assert.equal(numbers.areAllResting, true);
  assert.equal(numbers.take(to(STRANGER)), undefined);
  assert.equal(numbers.take(to(STRANGER, { known: B, isAsked: true })), B);
  assert.equal(rotation([]).areAllResting, false);
});
