import assert from "node:assert/strict";
import { test } from "node:test";
import { dialogEngine } from "#adapters/dialog-engine/engine.ts";
import { type Half, readHalf } from "./dialogue.ts";
import { judge } from "./judge.ts";
import { play } from "./play.ts";

/** What has been reached, a little below it: a change that loses more than that is looked at. In percent of turns, and of expected fields. */
const REACHED: readonly (readonly [half: Half, right: number, wrong: number, broken: number])[] = [
  ["open", 96.5, 1.1, 1],
  ["fresh", 78.3, 3.6, 2],
  ["kept", 65.9, 12.7, 2],
];

for (const [half, leastRight, mostWrong, mostBroken] of REACHED) {
  test(`the dialog engine makes the right move in ${leastRight} % of the turns of the ${half} dialogues`, async () => {
    const model = dialogEngine();
    let turns = 0;
    let right = 0;
    let expected = 0;
    let wrong = 0;
    let broken = 0;
    for (const dialogue of readHalf(half)) {
      const judged = judge(await play(dialogue, model));
      turns += judged.failed.length;
      right += judged.failed.filter((conditions) => conditions.length === 0).length;
      expected += judged.expected;
      wrong += judged.faults.filter(({ kind }) => kind === "wrong").length;
      broken += judged.broken.length;
    }
    assert.ok(turns > 250, `${turns} turns`);
    assert.ok((100 * right) / turns >= leastRight, `${((100 * right) / turns).toFixed(1)} % right moves`);
    assert.ok((100 * wrong) / expected <= mostWrong, `${((100 * wrong) / expected).toFixed(1)} % wrong fields`);
    assert.ok(broken <= mostBroken, `${broken} rules broken`);
  });
}
