import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "#domain/values/errors.ts";
import { places } from "./places.ts";

const full = (error: unknown) => error instanceof AppError && error.status === 503;

test("a tenant has half of the places, and all tenants have all of them", () => {
  const { take } = places(4);
  take("a");
  take("a");
  assert.throws(() => take("a"), full);
  take("b");
  take("b");
  assert.throws(() => take("c"), full);
});

test("a place that was left is another's", () => {
  const { take } = places(2);
  const leave = take("a");
  assert.throws(() => take("a"), full);
  leave();
  take("a");
  take("b");
  assert.throws(() => take("c"), full);
});

test("one place alone is anybody's", () => {
  const { take } = places(1);
  const leave = take("a");
  assert.throws(() => take("b"), full);
  leave();
  take("b");
});
