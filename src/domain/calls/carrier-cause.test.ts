import assert from "node:assert/strict";
import { test } from "node:test";
import { carrierCause } from "./carrier-cause.ts";

test("each SIP status that ends a call has words of its own, and one that is not known those of its class", () => {
  const codes = ["403", "404", "486", "488", "603", "607", "608"];
  assert.equal(new Set(codes.map((code) => carrierCause(code, null))).size, codes.length);
  assert.equal(
    carrierCause("486", 'Busy Here; Q.850;cause=17;text="User busy"'),
    'The line was busy. The carrier said: Busy Here; Q.850;cause=17;text="User busy"',
  );
  assert.equal(carrierCause("499", null), "The carrier refused the request.");
  for (const none of [null, "200", "4xx", "30003", ""]) assert.equal(carrierCause(none, "x"), null);
});
