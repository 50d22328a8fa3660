import assert from "node:assert/strict";
import { test } from "node:test";
import { FRAME_MS, FRAME_SAMPLES } from "#domain/calls/g711.ts";
import { createPlayback, type Playback } from "./playback.ts";

const sound = (ms: number, level = 1_000) => new Int16Array(ms * 8).fill(level);

/** Plays frames from a time on, and answers with how many had speech. */
function play(playback: Playback, frames: number, fromMs = 0): number {
  const frame = new Int16Array(FRAME_SAMPLES);
  let spoken = 0;
  for (let i = 0; i < frames; i++) if (playback.next(frame, fromMs + i * FRAME_MS)) spoken++;
  return spoken;
}

test("sentences are played one after the other, and what was played has its words at their times", () => {
  const playback = createPlayback();
  const first = playback.say("Good morning.");
  const second = playback.say("Is this Sam?");
  second.push(sound(300));
  second.end();
  assert.equal(play(playback, 3), 0, "the second does not overtake the first");
  first.push(sound(400), [
    { word: "Good", startMs: 0, endMs: 180 },
    { word: "morning.", startMs: 200, endMs: 390 },
  ]);
  first.end();
  assert.equal(play(playback, 50, 1_000), 35);
  assert.equal(playback.isBusy(), false);
  const played = playback.take()!;
  assert.equal(played.text, "Good morning. Is this Sam?");
  assert.deepEqual([played.startMs, played.endMs, played.whole, played.words.length], [1_000, 1_700, true, 5]);
  assert.deepEqual(played.words[1], { word: "morning.", startMs: 1_200, endMs: 1_390 });
  assert.ok(played.words[2]!.startMs >= 1_400, "the second sentence begins where the first has ended");
  assert.equal(playback.take(), undefined, "it is taken once");
});

test("a frame that is not whole waits for more, but for a sentence's last", () => {
  const playback = createPlayback();
  const sink = playback.say("Yes.");
  sink.push(sound(30));
  const frame = new Int16Array(FRAME_SAMPLES).fill(7);
  assert.equal(playback.next(frame, 0), true);
  assert.equal(playback.next(frame, 20), false);
  assert.equal(frame[0], 1_000, "an untouched frame");
  sink.end();
  assert.equal(playback.next(frame, 40), true);
  assert.deepEqual([frame[79], frame[80]], [1_000, 0]);
});

test("a sentence that is cut off has the words that were begun, and takes no more sound", () => {
  const playback = createPlayback();
  const sink = playback.say("one two three four");
  sink.push(sound(400), [
    { word: "one", startMs: 0, endMs: 90 },
    { word: "two", startMs: 100, endMs: 190 },
    { word: "three", startMs: 200, endMs: 290 },
    { word: "four", startMs: 300, endMs: 390 },
  ]);
  playback.say("And more.");
  play(playback, 6, 500);
  playback.cut();
  sink.push(sound(400));
  assert.equal(playback.isBusy(), false);
  const played = playback.take()!;
  assert.deepEqual([played.text, played.whole, played.endMs], ["one two", false, 620]);
  assert.deepEqual(played.words[1], { word: "two", startMs: 600, endMs: 620 });
});

test("held still it plays nothing and forgets nothing", () => {
  const playback = createPlayback();
  const sink = playback.say("Hello there");
  sink.push(sound(200));
  sink.end();
  play(playback, 5);
  playback.hold();
  assert.equal(play(playback, 10, 100), 0);
  assert.ok(playback.isBusy() && playback.isHeld());
  playback.goOn();
  assert.equal(play(playback, 10, 300), 5);
  const played = playback.take()!;
  assert.equal(played.text, "Hello there");
  assert.deepEqual([played.startMs, played.endMs], [0, 400]);
  assert.ok(played.words[1]!.startMs >= 300, "what came after the rest is later by it");
});

test("a sentence without a sound is over when its voice is, and holds up nothing", () => {
  const playback = createPlayback();
  playback.say("...").end();
  const sink = playback.say("Fine.");
  sink.push(sound(20));
  sink.end();
  assert.equal(play(playback, 2), 1);
  assert.equal(playback.take()!.text, "Fine.");
});
