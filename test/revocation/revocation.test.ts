import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeRows } from "./fate.ts";
import { percent, totalsOf } from "./report.ts";
import { type Half, type Row, readRows } from "./rows.ts";

/** What has been reached, in percent. Of the kept half no row is shown: whoever makes these worse looks at the open half. */
const REACHED: readonly (readonly [Half, Row["language"], recall: number, falseStops: number, doubts: number])[] = [
  ["open", "en", 100, 1.4, 0.7],
  ["open", "es", 100, 1.3, 1.3],
  ["open", "fr", 100, 1.4, 0],
  ["kept", "en", 100, 2.8, 8.4],
  ["kept", "es", 98.7, 1.3, 6.3],
  ["kept", "fr", 100, 2.8, 4.2],
];

for (const [half, language, recall, falseStops, doubts] of REACHED) {
  test(`of what asks to stop in the ${half} half in "${language}" at least ${recall} % is found, and at most ${falseStops} % of the rest opts out`, () => {
    const totals = totalsOf(judgeRows(readRows(half).filter((row) => row.language === language)));
    const missed = totals.found.of - totals.found.some;
    assert.ok(percent(totals.found) >= recall, `${missed} of ${totals.found.of} are missed`);
    assert.ok(percent(totals.falseStops) <= falseStops, `${totals.falseStops.some} of ${totals.falseStops.of} opt out`);
    assert.ok(percent(totals.falseDoubts) <= doubts, `${totals.falseDoubts.some} of ${totals.falseDoubts.of} are held`);
  });
}
