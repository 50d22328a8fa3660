import assert from "node:assert/strict";
import { test } from "node:test";
import { lagMeter } from "./lag.ts";

test("a replica is behind since the first position of the primary that it has not reached", () => {
  const lag = lagMeter();
  lag.note(10n, 1_000);
  assert.equal(lag.behindMs(10n, 1_000), 0);
  lag.note(20n, 2_000);
  lag.note(30n, 3_000);
  assert.equal(lag.behindMs(15n, 3_500), 1_500);
  assert.equal(lag.behindMs(20n, 4_000), 1_000);
  assert.equal(lag.behindMs(30n, 4_000), 0);
});

test("a replica that has all of a primary with nothing to do is not behind, however long that lasts", () => {
  const lag = lagMeter();
  for (let at = 0; at < 1_000_000; at += 500) lag.note(10n, at);
  assert.equal(lag.behindMs(10n, 1_000_000), 0);
});

test("one that has followed nothing for hours is behind by hours", () => {
  const lag = lagMeter();
  for (let at = 1; at <= 10_000; at++) lag.note(BigInt(at), at * 500);
  assert.equal(lag.behindMs(0n, 5_000_000), 4_999_500);
});
