import assert from "node:assert/strict";
import { test } from "node:test";
import { callLimit } from "./call-limit.ts";

const well = (calls: number) => ({ calls, lateMs: 2, busy: 0.4 });

test("as many calls may begin as were measured at the start, and no more than the setting", () => {
  assert.equal(callLimit(300, 180).calls(), 180);
  assert.equal(callLimit(300, 900).calls(), 300);
  assert.equal(callLimit(4, 900).calls(), 4);
});

test("however slow the machine measures, some calls may begin", () => {
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

test("none more may begin in a process whose core is nearly full, though its frames are in time", () => {
  const limit = callLimit(300, 300);
  limit.note({ calls: 220, lateMs: 3, busy: 0.9 });
  assert.equal(limit.calls(), 220);
});

test("however late they are, half of what was measured may be held: then it is others who make them late", () => {
  const limit = callLimit(300, 200);
  for (let i = 0; i < 100; i++) limit.note({ calls: limit.calls(), lateMs: 50, busy: 1 });
  assert.equal(limit.calls(), 100);
  limit.note({ calls: 0, lateMs: 50, busy: 1 });
  assert.equal(limit.calls(), 100);
  const small = callLimit(5, 200);
  small.note({ calls: 1, lateMs: 50, busy: 1 });
  assert.equal(small.calls(), 3);
});

test("before anything is measured only some calls may begin", () => {
  assert.equal(callLimit(300).calls(), 20);
});

test("the limit comes back by and by once frames are in time again, and at once when no call is left", () => {
  const limit = callLimit(300, 200);
  limit.note({ calls: 160, lateMs: 20, busy: 0.6 });
  assert.equal(limit.calls(), 152);
  limit.note(well(90));
  assert.equal(limit.calls(), 156);
  // Neither late nor well: as it is.
  limit.note({ calls: 156, lateMs: 10, busy: 0.5 });
  limit.note({ calls: 156, lateMs: 2, busy: 0.8 });
  assert.equal(limit.calls(), 156);
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
