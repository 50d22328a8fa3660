import assert from "node:assert/strict";
import { test } from "node:test";
import { type ContactTurn, turnTranscript } from "./transcript.ts";

function aTranscript() {
  const turns: ContactTurn[] = [];
  const words: string[] = [];
  let flushes = 0;
  const stream = { write() {}, flush: () => void flushes++, close() {} };
  const transcript = turnTranscript(stream, {
    turn: (turn) => turns.push(turn),
    words: (text) => words.push(text),
    failed() {},
  });
  return { transcript, turns, words, flushes: () => flushes };
}

const final = (text: string, startMs: number, flushed = false) => ({
  kind: "final" as const,
  text,
  words: text.split(" ").map((word, i) => ({ word, startMs: startMs + i * 200, endMs: startMs + i * 200 + 150 })),
  flushed,
});

test("a turn is handed over after its last words, with all of them and the time they came", () => {
  const { transcript, turns, words, flushes } = aTranscript();
  transcript.transcribed({ kind: "interim", text: "my budget" }, 1_000);
  transcript.transcribed(final("my budget is", 900), 1_400);
  transcript.over(2_000);
  transcript.over(2_020);
  assert.equal(flushes(), 1, "speech-to-text is flushed once");
  transcript.tick(2_200);
  assert.equal(turns.length, 0);
  transcript.transcribed(final("three hundred", 1_500, true), 2_300);
  const [turn] = turns;
  assert.equal(turn!.text, "my budget is three hundred");
  assert.deepEqual([turn!.startMs, turn!.overMs, turn!.wordsMs], [900, 2_000, 2_300]);
  assert.equal(turn!.words.length, 5);
  assert.deepEqual(words, ["my budget", "my budget is", "my budget is three hundred"]);
  assert.equal(transcript.soFar(), "", "the next turn begins empty");
});

test("last words are not waited for beyond 1.2 s; the interim words count then", () => {
  const { transcript, turns } = aTranscript();
  transcript.transcribed({ kind: "interim", text: "yes please" }, 1_000);
  transcript.over(1_500);
  transcript.tick(2_680);
  assert.equal(turns.length, 0);
  transcript.tick(2_700);
  assert.equal(turns[0]!.text, "yes please");
});

test("without any words yet slow speech-to-text gets more time, and a noise is no turn", () => {
  const { transcript, turns } = aTranscript();
  transcript.over(1_000);
  transcript.tick(5_000);
  transcript.transcribed(final("slow words", 200, true), 6_000);
  assert.equal(turns[0]!.text, "slow words");
  transcript.over(10_000);
  transcript.transcribed({ kind: "final", text: "", words: [], flushed: true }, 10_100);
  transcript.over(20_000);
  transcript.tick(28_000);
  assert.equal(turns.length, 1);
  assert.equal(transcript.isWaiting(), false);
});

test("words that come after their turn was given up are heard all the same: they may be a wish to stop", () => {
  const { transcript, turns } = aTranscript();
  transcript.over(1_000);
  transcript.tick(9_000);
  assert.deepEqual([turns.length, transcript.isWaiting()], [0, false]);
  transcript.transcribed(final("take me off your list", 200, true), 14_000);
  assert.deepEqual(
    turns.map(({ text, overMs, wordsMs }) => [text, overMs, wordsMs]),
    [["take me off your list", 1_000, 14_000]],
  );
  transcript.over(20_000);
  transcript.tick(28_000);
  transcript.goesOn();
  transcript.transcribed(final("i said stop", 19_000, true), 29_000);
  assert.equal(turns.length, 1, "who speaks again has not ended the turn");
  transcript.over(30_000);
  transcript.transcribed({ kind: "final", text: "", words: [], flushed: true }, 30_100);
  assert.equal(turns[1]!.text, "i said stop");
});

test("words that are still to come when the call is over are waited for, those of a stretch before it too", async () => {
  const { transcript, turns } = aTranscript();
  assert.equal(transcript.last(500, false), undefined, "nobody has spoken");
  const waiting = aTranscript();
  waiting.transcript.over(1_000);
  waiting.transcript.goesOn();
  const last = waiting.transcript.last(2_000, true);
  waiting.transcript.transcribed(final("hold on", 200, true), 3_000);
  waiting.transcript.transcribed(final("take me off your list", 1_200, true), 4_000);
  const turn = await last;
  assert.deepEqual([turn!.text, waiting.turns.length, turns.length], ["hold on take me off your list", 0, 0]);
  const noise = aTranscript();
  const nothing = noise.transcript.last(2_000, true);
  noise.transcript.transcribed({ kind: "final", text: "", words: [], flushed: true }, 2_500);
  assert.equal(await nothing, undefined);
});

test("who goes on speaking has not ended the turn", () => {
  const { transcript, turns } = aTranscript();
  transcript.transcribed(final("well", 100), 400);
  transcript.over(1_000);
  transcript.goesOn();
  transcript.transcribed({ kind: "final", text: "", words: [], flushed: true }, 1_100);
  transcript.tick(5_000);
  assert.equal(turns.length, 0);
  transcript.transcribed(final("i think so", 1_200), 2_000);
  transcript.over(2_600);
  transcript.transcribed({ kind: "final", text: "", words: [], flushed: true }, 2_700);
  assert.equal(turns[0]!.text, "well i think so");
});
