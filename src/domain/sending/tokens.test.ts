import assert from "node:assert/strict";
import { test } from "node:test";
import { refill } from "./tokens.ts";

const AT = new Date("2026-11-24T12:00:00Z");
const after = (ms: number) => new Date(AT.getTime() + ms);

test("tokens come back at the lane's rate, a second's worth at most", () => {
  const lane = { per_second: 10, tokens: 2, tokens_at: AT };

  assert.equal(refill(lane, AT), 2);
  assert.equal(refill(lane, after(500)), 7);
  assert.equal(refill(lane, after(60_000)), 10);
});

test("a lane of less than one a second saves up a whole token", () => {
  const lane = { per_second: 0.1, tokens: 0, tokens_at: AT };

  assert.equal(refill(lane, after(5_000)), 0.5);
  assert.equal(refill(lane, after(60_000)), 1);
});

test("a clock that went back takes no tokens", () => {
  assert.equal(refill({ per_second: 10, tokens: 2, tokens_at: AT }, after(-5_000)), 2);
});
