import assert from "node:assert/strict";
import { test } from "node:test";
import { createEndpointing, endpointMs, turnWordsOf } from "./endpointing.ts";

test("the words decide whether a turn sounds finished", () => {
  const cases: [string, ReturnType<typeof turnWordsOf>][] = [
    ["", "open"],
    ["I would like to book a table", "open"],
    ["I would like to book a table.", "finished"],
    ["What does it cost?", "finished"],
    ["yes", "finished"],
    ["no thank you", "finished"],
    ["that's right", "finished"],
    ["um", "unfinished"],
    ["I would like, uh", "unfinished"],
    ["yes, and", "unfinished"],
    ["well,", "unfinished"],
    ["I want to", "unfinished"],
    ["I was thinking...", "unfinished"],
    ["it's for my", "unfinished"],
    ["five five five", "digits"],
    ["my number is 555 12", "digits"],
    ["four one five five five five oh one two three", "finished"],
    ["4155550123", "finished"],
    ["double five one", "digits"],
    ["at five", "open"],
  ];
  for (const [said, expected] of cases) assert.equal(turnWordsOf(said), expected, said);
});

test("the pause is 500 to 700 ms by responsiveness, shorter after a sentence, longer after a hesitation", () => {
  assert.equal(endpointMs("a table for four", 1), 500);
  assert.equal(endpointMs("a table for four", 0), 700);
  assert.equal(endpointMs("A table for four.", 1), 300);
  assert.equal(endpointMs("yes", 0.5), 360);
  assert.equal(endpointMs("yes but", 1), 1_200);
  assert.equal(endpointMs("four one five", 1), 1_300);
});

/** The turn's end when it is checked every frame until 5 s. */
function ended(turn: ReturnType<typeof createEndpointing>, fromMs: number) {
  for (let nowMs = fromMs; nowMs < 5_000; nowMs += 20) {
    const end = turn.check(nowMs);
    if (end) return end;
  }
  return undefined;
}

test("a turn ends once, when its pause has lasted", () => {
  const turn = createEndpointing(1);
  turn.speech(1_000);
  assert.equal(turn.check(3_000), undefined);
  turn.words("a table for four");
  turn.silence(2_000);
  assert.equal(turn.dueMs(), 2_500);

  assert.deepEqual(ended(turn, 2_000), { said: "a table for four", startedMs: 1_000, endedMs: 2_000, atMs: 2_500 });
  assert.equal(ended(turn, 2_500), undefined);
});

test("a pause within a turn is part of it", () => {
  const turn = createEndpointing(1);
  turn.speech(1_000);
  turn.silence(1_500);
  assert.equal(turn.check(1_900), undefined);
  turn.speech(1_950);
  assert.equal(turn.check(2_600), undefined);
  turn.silence(2_700);

  assert.deepEqual(ended(turn, 2_700), { said: "", startedMs: 1_000, endedMs: 2_700, atMs: 3_200 });
});

test("words that come during the pause shorten it or lengthen it", () => {
  const turn = createEndpointing(1);
  turn.speech(0);
  turn.silence(1_000);
  turn.words("and then");
  assert.equal(turn.dueMs(), 2_200);
  turn.words("And then yes.");
  assert.equal(turn.dueMs(), 1_300);
});

test("what was no turn is forgotten", () => {
  const turn = createEndpointing(1);
  turn.speech(0);
  turn.words("uh");
  turn.silence(100);
  turn.reset();

  assert.equal(turn.dueMs(), undefined);
  assert.equal(ended(turn, 100), undefined);
});
