import assert from "node:assert/strict";
import { test } from "node:test";
import { costOf, costOfTexts, PRICE, sumOf } from "./price.ts";

test("a cost is exact, with two to six decimals", () => {
  assert.equal(costOf(100_000, "0.0079"), "790.00");
  assert.equal(costOf(3, "0.0083"), "0.0249");
  assert.equal(costOf(0, "0.01"), "0.00");
  assert.equal(costOf(1, "12"), "12.00");
  assert.equal(costOf(3, "0.1"), "0.30");
  assert.equal(costOf(1_000_000_000, "0.000001"), "1000.00");
});

test("amounts are added exactly", () => {
  assert.equal(sumOf("0.04", "0.0123"), "0.0523");
  assert.equal(sumOf("1.995", "0.005"), "2.00");
});

test("texts with pictures have a price of their own, and are a segment each", () => {
  const prices = { segment: "0.01", pictureText: "0.03" };
  assert.equal(costOfTexts(10, 4, prices), "0.18");
  assert.equal(costOfTexts(10, 0, prices), "0.10");
});

test("a price is dollars with at most six decimals", () => {
  for (const good of ["0", "0.01", "0.008312", "12"]) assert.match(good, PRICE);
  for (const bad of ["", ".01", "1.", "-1", "0,01", "1e3", "0.0000001", "$1"]) assert.doesNotMatch(bad, PRICE);
});
