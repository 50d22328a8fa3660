import assert from "node:assert/strict";
import { test } from "node:test";
import type { ToneKind } from "#media/audio/tones.ts";
import { createWhoAnswered, type WhoAnswered } from "./who-answered.ts";

type Happens = Record<number, (who: WhoAnswered, ms: number) => void>;

function verdicts(at: Happens, untilMs = 40_000): string[] {
  const who = createWhoAnswered();
  const seen: string[] = [];
  for (let ms = 0; ms < untilMs; ms += 20) {
    at[ms]?.(who, ms);
    const verdict = who.check(ms);
    if (verdict) seen.push(`${verdict.answerer} ${ms}`);
  }
  return seen;
}

const speech = (who: WhoAnswered, ms: number) => who.speech(ms);
const silence = (who: WhoAnswered, ms: number) => who.silence(ms);
const words = (said: string) => (who: WhoAnswered) => who.words(said);
const tone = (kind: ToneKind) => (who: WhoAnswered, ms: number) =>
  who.tone({ kind, hz: 1_000, startMs: ms - 500, endMs: ms - 100 });
const both =
  (...all: ((who: WhoAnswered, ms: number) => void)[]) =>
  (who: WhoAnswered, ms: number) => {
    for (const one of all) one(who, ms);
  };

test("nobody is left in silence: 1.2 s after the answer it is a person", () => {
  assert.deepEqual(verdicts({}), ["human 1200"]);
});

test("who listens first and then answers at length is a person, without a word being recognised", () => {
  assert.deepEqual(verdicts({ 6000: speech, 11500: silence }), ["human 1200"]);
});

test("words decide before the rhythm can", () => {
  assert.deepEqual(verdicts({ 200: speech, 1400: words("you have reached the voicemail of Bob") }), ["voicemail 1400"]);
  assert.deepEqual(verdicts({ 200: speech, 1800: words("for sales press one") }), ["ivr 1800"]);
  assert.deepEqual(verdicts({ 200: speech, 2600: words("please state your name and reason for calling") }), [
    "call_screening 2600",
  ]);
});

test("a hello is a person's once it waits, not before", () => {
  assert.deepEqual(verdicts({ 200: speech, 600: words("hello"), 700: silence }, 3_000), ["human 1100"]);
  assert.deepEqual(verdicts({ 200: speech, 500: words("hi"), 1300: words("hi you've reached Bob") }), [
    "voicemail 1300",
  ]);
});

test("a verdict is corrected by words and by a beep", () => {
  const hello = { 200: speech, 900: silence, 2000: speech };
  assert.deepEqual(verdicts({ ...hello, 3000: words("hello. please leave a message") }), [
    "human 1400",
    "voicemail 3000",
  ]);
  assert.deepEqual(verdicts({ ...hello, 3000: silence, 4000: tone("beep") }), ["human 1400", "voicemail 4000"]);
  assert.deepEqual(
    verdicts({
      200: speech,
      2000: words("please leave a message after the tone"),
      6000: words("please leave a message after the tone. the mailbox is full"),
    }),
    ["voicemail 2000", "full_mailbox 6000"],
  );
});

test("a person who goes on talking stays one", () => {
  const hello = { 200: both(speech, words("hello?")), 700: silence };

  assert.deepEqual(verdicts({ ...hello, 2000: speech, 9000: silence }), ["human 1100"]);
  assert.deepEqual(verdicts({ 200: speech, 700: silence, 2000: speech, 9000: silence }), ["human 1200"]);
});

test("a beep says less than words: a menu that beeps stays a menu", () => {
  assert.deepEqual(verdicts({ 200: speech, 2000: words("for sales press one"), 5000: both(silence, tone("beep")) }), [
    "ivr 2000",
  ]);
});

test("what beeps in a conversation changes nothing", () => {
  const talk = {
    200: both(speech, words("hello?")),
    700: silence,
    3000: speech,
    4000: both(silence, words("who is this?")),
  };

  assert.deepEqual(verdicts({ ...talk, 6000: tone("beep") }), ["human 1100"]);
  assert.deepEqual(verdicts({ 200: speech, 900: silence, 35000: tone("beep") }), ["human 1400"]);
});

test("a fax is nobody, and special information tones are a recording", () => {
  assert.deepEqual(verdicts({ 1000: tone("fax") }), ["unknown 1000"]);
  assert.deepEqual(verdicts({ 1000: tone("sit") }), ["ivr 1000"]);
  assert.deepEqual(verdicts({ 1000: tone("ringback") }, 5_000), []);
});
