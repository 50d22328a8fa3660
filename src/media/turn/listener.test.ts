import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as allSettled } from "node:timers/promises";
import { FRAME_SAMPLES } from "#domain/calls/g711.ts";
import { SpeechError, type SpeechToTextStream, type TranscriptEvent } from "#ports/speech-to-text.ts";
import { listener } from "./listener.ts";

const OPTIONS = { language: "en-US", keywords: ["Acme"] };

/** A listener on a stream that opens or fails on request; a frame's samples are its number. */
function aListener() {
  const reported: TranscriptEvent[] = [];
  /** What the stream got, in order: of a block the numbers of its frames. */
  const got: (number[] | "flush" | "close")[] = [];
  const stream: SpeechToTextStream = {
    write: (samples) => void got.push([...samples.filter((_, i) => i % FRAME_SAMPLES === 0)]),
    flush: () => void got.push("flush"),
    close: () => void got.push("close"),
  };
  const opened = Promise.withResolvers<SpeechToTextStream>();
  const stop = new AbortController();
  const asked: unknown[] = [];
  const speechToText = {
    name: "stand-in",
    capabilities: { words: true, interim: true },
    listen(...by: unknown[]) {
      asked.push(...by);
      return opened.promise;
    },
  };
  const on = (event: TranscriptEvent) => void reported.push(event);
  const subject = listener(speechToText, OPTIONS, on, stop.signal);
  assert.deepEqual(asked, [OPTIONS, on, stop.signal]);
  let written = 0;
  return {
    subject,
    reported,
    got,
    stop: () => stop.abort(),
    say(frames: number) {
      for (let i = 0; i < frames; i++) subject.write(new Int16Array(FRAME_SAMPLES).fill(++written));
    },
    async open() {
      opened.resolve(stream);
      await allSettled();
    },
    async fail(error: Error) {
      opened.reject(error);
      await allSettled();
    },
  };
}

/** From one number to another, both of them. */
const frames = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

test("silence is handed over in blocks of 240 ms, speech in blocks of 100 ms", async () => {
  const { subject, got, say, open } = aListener();
  await open();
  say(11);
  assert.deepEqual(got, []);
  say(13);
  assert.deepEqual(got.splice(0), [frames(1, 12), frames(13, 24)]);
  subject.attend(true);
  say(4);
  assert.deepEqual(got, []);
  say(6);
  assert.deepEqual(got.splice(0), [frames(25, 29), frames(30, 34)]);
  subject.attend(false);
  say(11);
  assert.deepEqual(got, []);
  say(1);
  assert.deepEqual(got, [frames(35, 46)]);
});

test("an onset hands over what is there already, once it is a block of speech", async () => {
  const { subject, got, say, open } = aListener();
  await open();
  say(4);
  subject.attend(true);
  assert.deepEqual(got, []);
  subject.attend(false);
  say(1);
  assert.deepEqual(got, []);
  subject.attend(true);
  assert.deepEqual(got.splice(0), [frames(1, 5)]);
  subject.attend(false);
  say(9);
  subject.attend(true);
  assert.deepEqual(got, [frames(6, 14)]);
});

test("audio written while speech-to-text opens is buffered, in order", async () => {
  const { subject, got, say, open } = aListener();
  say(12);
  subject.attend(true);
  say(11);
  await open();
  assert.deepEqual(got.splice(0), [frames(1, 12), frames(13, 17), frames(18, 22)]);
  say(4);
  assert.deepEqual(got, [frames(23, 27)]);
});

test("at most the first 50 blocks are buffered before speech-to-text is open", async () => {
  const { subject, got, say, open } = aListener();
  subject.attend(true);
  say(52 * 5);
  await open();
  assert.equal(got.length, 50);
  assert.deepEqual(got.splice(0).at(-1), frames(246, 250));
  say(5);
  assert.deepEqual(got, [frames(261, 265)], "what was dropped does not come later");
});

test("a flush hands over the rest first", async () => {
  const { subject, got, say, open } = aListener();
  await open();
  subject.flush();
  assert.deepEqual(got.splice(0), ["flush"], "an empty block is none");
  say(3);
  subject.flush();
  say(12);
  assert.deepEqual(got, [frames(1, 3), "flush", frames(4, 15)]);
});

test("a flush before speech-to-text is open comes after the buffered audio", async () => {
  const { subject, got, say, open } = aListener();
  say(14);
  subject.flush();
  assert.deepEqual(got, []);
  await open();
  assert.deepEqual(got, [frames(1, 12), frames(13, 14), "flush"]);
});

test("a failure to open speech-to-text is reported once, as retryable", async () => {
  const { subject, reported, say, fail } = aListener();
  await fail(new Error("connection refused"));
  say(24);
  subject.flush();
  await allSettled();
  const [event, ...more] = reported;
  assert.ok(event?.kind === "failed" && event.error instanceof SpeechError);
  assert.deepEqual([event.error.retryable, event.error.vendorCode], [true, "unknown"]);
  assert.deepEqual(more, []);
});

test("a provider's own error is passed on as it is", async () => {
  const { reported, fail } = aListener();
  const error = new SpeechError("the key is wrong", { retryable: false, vendorCode: "401" });
  await fail(error);
  assert.deepEqual(reported, [{ kind: "failed", error }]);
  assert.equal((reported[0] as { error: SpeechError }).error, error);
});

test("after the end a failure to open is not reported", async () => {
  const { reported, stop, fail } = aListener();
  stop();
  await fail(new Error("aborted"));
  assert.deepEqual(reported, []);
});

test("a stream that opens after the end is closed, and gets no audio", async () => {
  const { subject, got, reported, say, stop, open } = aListener();
  say(12);
  subject.flush();
  stop();
  subject.close();
  await open();
  say(12);
  subject.flush();
  assert.deepEqual(got, ["close"]);
  assert.deepEqual(reported, []);
});

test("closing the listener closes the open stream", async () => {
  const { subject, got, open } = aListener();
  await open();
  subject.close();
  assert.deepEqual(got, ["close"]);
});
