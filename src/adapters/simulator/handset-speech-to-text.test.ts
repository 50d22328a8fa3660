import assert from "node:assert/strict";
import { test } from "node:test";
import type { TranscriptEvent } from "#ports/speech-to-text.ts";
import { handsetSpeechToText } from "./handset-speech-to-text.ts";

const SAMPLES_A_MS = 8;
/** More than sound is late by, so that a word's is written whole. */
const DELAY_MS = 100;

async function aStream() {
  const speechToText = handsetSpeechToText();
  const events: TranscriptEvent[] = [];
  const stop = new AbortController();
  const options = { language: "en-US", keywords: [] };
  const stream = await speechToText.listen(options, (event) => events.push(event), stop.signal);
  let writtenMs = 0;
  /** Writes sound until so many milliseconds of it have been written. */
  const writeUntil = (ms: number) => {
    stream.write(new Int16Array((ms - writtenMs) * SAMPLES_A_MS));
    writtenMs = ms;
  };
  const said = () => events.splice(0).map((event) => [event.kind, "text" in event ? event.text : ""]);
  return { speechToText, stream, events, stop, writeUntil, said };
}

/** Each word takes 200 ms, and a pause of 100 is between two. */
const lineOf = (text: string) => ({
  samples: new Int16Array(0),
  words: text.split(" ").map((word, i) => ({ word, startMs: i * 300, endMs: i * 300 + 200 })),
});

test("a word is there once its sound has been written, and a line is final at its end", async () => {
  const { speechToText, events, writeUntil, said } = await aStream();
  writeUntil(1_000);
  speechToText.spoken(lineOf("Yes, I do."), 1_000);
  writeUntil(1_200);
  assert.deepEqual(said(), [], "the sound of the first word is still on its way");
  writeUntil(1_200 + DELAY_MS);
  assert.deepEqual(said(), [["interim", "Yes,"]]);
  writeUntil(1_500 + DELAY_MS);
  assert.deepEqual(said(), [["interim", "Yes, I"]]);
  writeUntil(1_800 + DELAY_MS);
  const [final] = events;
  assert.ok(final?.kind === "final" && !final.flushed);
  assert.equal(final.text, "Yes, I do.");
  const [first] = final.words;
  assert.ok(first!.startMs >= 1_000 && first!.startMs <= 1_000 + DELAY_MS, "since the stream's first sample");
  assert.deepEqual(
    final.words.map(({ word, startMs, endMs }) => [word, startMs - first!.startMs, endMs - first!.startMs]),
    [
      ["Yes,", 0, 200],
      ["I", 300, 500],
      ["do.", 600, 800],
    ],
  );
});

test("every flush is answered at once, with what was said until then", async () => {
  const { speechToText, stream, writeUntil, said } = await aStream();
  speechToText.spoken(lineOf("Well, hello."), 0);
  writeUntil(200 + DELAY_MS);
  stream.flush();
  stream.flush();
  assert.deepEqual(said(), [
    ["interim", "Well,"],
    ["final", "Well,"],
    ["final", ""],
  ]);
  writeUntil(500 + DELAY_MS);
  assert.deepEqual(said(), [["final", "hello."]], "no word is said twice");
});

test("what sounds without words, as a mailbox's tone, is nothing", async () => {
  const { speechToText, stream, writeUntil, said } = await aStream();
  speechToText.spoken({ samples: new Int16Array(3_200), words: [] }, 0);
  writeUntil(1_000);
  stream.flush();
  assert.deepEqual(said(), [["final", ""]]);
});

test("after its end it says nothing", async () => {
  const { speechToText, stream, stop, writeUntil, said } = await aStream();
  speechToText.spoken(lineOf("Hello?"), 0);
  stop.abort();
  writeUntil(1_000);
  stream.flush();
  stream.close();
  assert.deepEqual(said(), []);
});
