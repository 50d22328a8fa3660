import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { firstHourRoom } from "./first-hour.ts";

const NOON = new Date("2026-11-25T12:00:00Z");
const after = (minutes: number) => new Date(NOON.getTime() + minutes * 60_000);

test("a tenth leaves at once, the rest evenly, and after the hour there is no ramp", () => {
  assert.equal(firstHourRoom(500, { firstSentAt: null, sent: 0 }, NOON)?.room, 50);
  assert.equal(firstHourRoom(500, { firstSentAt: NOON, sent: 50 }, NOON)?.room, 0);
  assert.equal(firstHourRoom(500, { firstSentAt: NOON, sent: 50 }, after(30))?.room, 225);
  assert.equal(firstHourRoom(500, { firstSentAt: NOON, sent: 500 }, after(60)), undefined);
  assert.equal(firstHourRoom(0, { firstSentAt: null, sent: 0 }, NOON), undefined);
  assert.equal(firstHourRoom(3, { firstSentAt: null, sent: 0 }, NOON)?.room, 1);
});

test("however often it is asked, a first hour never has more than its texts, and never less as time goes by", () => {
  const minutes = fc.array(fc.double({ min: 0, max: 59.9, noNaN: true }), { minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20_000 }), minutes, (texts, them) => {
      let sent = 0;
      for (const minute of them.sort((a, b) => a - b)) {
        const { room } = firstHourRoom(texts, { firstSentAt: NOON, sent }, after(minute))!;
        assert.ok(room >= 0);
        sent += room;
        assert.ok(sent <= texts);
      }
    }),
  );
});
