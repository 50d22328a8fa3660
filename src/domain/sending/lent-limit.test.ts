import assert from "node:assert/strict";
import { test } from "node:test";
import { lentRoom, unused, withTexts } from "./lent-limit.ts";

const now = new Date("2026-03-02T18:00:00Z");
const at = { day: "2026-03-02", now };

test("a day's texts leave no room for more, but for confirmations, until the next day", () => {
  const limits = { texts_per_second: null, texts_per_day: 3 };
  const first = lentRoom(limits, unused(limits, at.day, now), at);
  assert.deepEqual([first.room, first.isSpent], [3, false]);
  const spent = withTexts(unused(limits, at.day, now), first, 3, at);
  assert.equal(lentRoom(limits, spent, at).isSpent, true);
  assert.ok(lentRoom(limits, spent, at).room > 0, "for confirmations");
  assert.equal(lentRoom(limits, spent, { ...at, day: "2026-03-03" }).room, 3);
});

test("texts a second come back with the time, a second's worth at most", () => {
  const limits = { texts_per_second: 2, texts_per_day: null };
  const room = lentRoom(limits, unused(limits, at.day, now), at);
  assert.equal(room.room, 2);
  const used = withTexts(unused(limits, at.day, now), room, 2, at);
  const after = (ms: number) => lentRoom(limits, used, { ...at, now: new Date(now.getTime() + ms) }).room;
  assert.deepEqual([after(0), after(500), after(60_000)], [0, 1, 2]);
});
