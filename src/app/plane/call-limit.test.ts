import assert from "node:assert/strict";
import { test } from "node:test";
import { callLimit } from "./call-limit.ts";

const well = (calls: number) => ({ calls, lateMs: 2, busy: 0.4 });

test("a process takes as many calls as were measured at its start, and no more than the setting", () => {
  assert.equal(callLimit(300, 180).calls(), 180);
  assert.equal(callLimit(300, 900).calls(), 300);
  assert.equal(callLimit(4, 900).calls(), 4);
});

test("however slow the machine measures, some calls are taken", () => {
  assert.equal(callLimit(300, 0).calls(), 20);
  assert.equal(callLimit(5, 0).calls(), 5);
});

test("as frames come near being late no call is added, and room is made by those that end", () => {
  const limit = callLimit(300, 200);
  limit.note({ calls: 150, lateMs: 15, busy: 0.6 });
  assert.equal(limit.calls(), 142);
  limit.note({ calls: 142, lateMs: 30, busy: 0.6 });
  assert.equal(limit.calls(), 134);
  // Fewer are held than may be: that they are late makes the limit no higher.
  limit.note({ calls: 139, lateMs: 30, busy: 0.6 });
  assert.equal(limit.calls(), 132);
});

test("a process whose core is nearly full takes none more, though its frames are in time", () => {
  const limit = callLimit(300, 300);
  limit.note({ calls: 220, lateMs: 3, busy: 0.9 });
  assert.equal(limit.calls(), 220);
});

test("a few calls are held however late they are: then others make them late", () => {
  const limit = callLimit(300, 200);
  for (let i = 0; i < 100; i++) limit.note({ calls: limit.calls(), lateMs: 50, busy: 1 });
  assert.equal(limit.calls(), 20);
});

test("the limit comes back by and by once frames are in time again, and at once when no call is left", () => {
  const limit = callLimit(300, 200);
  limit.note({ calls: 100, lateMs: 20, busy: 0.6 });
  assert.equal(limit.calls(), 95);
  limit.note(well(90));
  assert.equal(limit.calls(), 99);
  // Neither late nor well: as it is.
  limit.note({ calls: 99, lateMs: 10, busy: 0.5 });
  limit.note({ calls: 99, lateMs: 2, busy: 0.8 });
  assert.equal(limit.calls(), 99);
  limit.rest();
  assert.equal(limit.calls(), 200);
});

test("more than was measured are taken only where as many are held, and never more than the setting", () => {
  const limit = callLimit(203, 200);
  limit.note(well(150));
  assert.equal(limit.calls(), 200);
  limit.note(well(200));
  assert.equal(limit.calls(), 203);
  limit.note(well(203));
  assert.equal(limit.calls(), 203);
});
