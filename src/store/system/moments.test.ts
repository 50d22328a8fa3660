import assert from "node:assert/strict";
import { test } from "node:test";
import { moment, msSince } from "./moments.ts";

test("a moment is as old as the clock says that has gone further", () => {
  const start = moment(new Date(10_000));
  assert.equal(msSince(start, new Date(17_000)), 7_000, "the steady clock stood still");
  const setBack = msSince(start, new Date(0));
  assert.ok(setBack >= 0 && setBack < 7_000, `${setBack} ms by the steady clock`);
});
