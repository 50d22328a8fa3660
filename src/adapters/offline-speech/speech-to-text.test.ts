import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import type { ListenOptions, SpeechToTextStream, TranscriptEvent } from "#ports/speech-to-text.ts";
import { readLine } from "./pocketsphinx-output.ts";
import { pocketsphinxInstalled, pocketsphinxSpeechToText } from "./speech-to-text.ts";

const options: ListenOptions = { language: "en-US", keywords: [] };
const never = new AbortController().signal;

/** A stand-in for the program: it prints one word for each second of sound, and ends with its input. */
const COUNTS = `n=0; while dd bs=32000 count=1 iflag=fullblock 2>/dev/null > "$0.part" && [ -s "$0.part" ]; do
  printf 'word\\nword(2) %d.100 %d.900 0.5\\n</s> %d.900 %d.990 1.0\\n' $n $n $n $n; n=$((n + 1)); done`;

function counting(t: { after(done: () => void): void }): string {
  const folder = execFileSync("mktemp", ["-d"], { encoding: "utf8" }).trim();
  t.after(() => execFileSync("rm", ["-r", folder]));
  return COUNTS.replaceAll('"$0.part"', () => `"${folder}/$$"`);
}

/** Listens and keeps what is heard; `heard(n)` waits for the n-th flushed final. */
/** The real program is slow when other processes use the processor. */
const HANGS_MS = 120_000;

async function listening(script: string | undefined, more: { signal?: AbortSignal; maxCalls?: number } = {}) {
  const events: TranscriptEvent[] = [];
  let wake = () => {};
  const speechToText = pocketsphinxSpeechToText({
    maxCalls: more.maxCalls ?? 2,
    ...(script === undefined ? { flushMs: HANGS_MS } : { script }),
  });
  const on = (event: TranscriptEvent) => {
    events.push(event);
    wake();
  };
  const stream = await speechToText.listen(options, on, more.signal ?? never);
  const until = async (done: () => boolean) => {
    while (!done()) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  const flushes = () => events.filter((event) => event.kind === "final" && event.flushed).length;
  return { speechToText, stream, events, until, flushed: (count: number) => until(() => flushes() >= count) };
}

const silence = (seconds: number): Int16Array => new Int16Array(seconds * 8_000);

const words = (events: readonly TranscriptEvent[]) =>
  events.flatMap((event) => (event.kind === "final" ? event.words : []));

test("words come with times since the stream's first sample, over every flush", async (t) => {
  const { stream, events, flushed } = await listening(counting(t));
  stream.write(silence(2));
  stream.flush();
  await flushed(1);
  stream.write(silence(1));
  stream.flush();
  await flushed(2);
  stream.close();
  assert.deepEqual(
    words(events).map(({ word, startMs, endMs }) => [word, startMs, endMs]),
    [
      ["word", 100, 900],
      ["word", 1_100, 1_900],
      ["word", 2_100, 2_900],
    ],
  );
});

test("every flush is answered once and in order, also with nothing said", async (t) => {
  const { stream, events, flushed } = await listening(counting(t));
  stream.flush();
  stream.write(silence(1));
  stream.flush();
  await flushed(2);
  stream.flush();
  await flushed(3);
  stream.close();
  const finals = events.filter((event) => event.kind === "final" && event.flushed);
  assert.equal(finals.length, 3);
  assert.equal(words(events).length, 1);
  assert.deepEqual(events.at(-1), { kind: "final", text: "", words: [], flushed: true });
});

test("a missing program, another language and too many calls each have their own error", async (t) => {
  const { events, until } = await listening("exit 127");
  await until(() => events.length > 0);
  const [event] = events;
  assert.equal(event!.kind === "failed" && event!.error.vendorCode, "not_installed");
  const script = counting(t);
  const one = pocketsphinxSpeechToText({ maxCalls: 1, script });
  await assert.rejects(
    one.listen({ ...options, language: "es-ES" }, () => {}, never),
    {
      vendorCode: "unsupported_language",
      retryable: false,
    },
  );
  const held: SpeechToTextStream = await one.listen(options, () => {}, never);
  await assert.rejects(
    one.listen(options, () => {}, never),
    { vendorCode: "busy", retryable: true },
  );
  held.close();
  held.close();
  (await one.listen(options, () => {}, never)).close();
});

test("a program that dies between flushes is reported as a failure, once, and nothing more", async () => {
  const { stream, events, until } = await listening("sleep 0.05; exit 3");
  await until(() => events.length > 0);
  stream.write(silence(1));
  stream.flush();
  assert.equal(events.length, 1);
  assert.equal(events[0]!.kind === "failed" && events[0]!.error.vendorCode, "ended");
});

test("close and the signal end every process at once", async () => {
  const mark = `4${String(process.pid).padStart(6, "0")}.25`;
  const stop = new AbortController();
  const { stream } = await listening(`sleep ${mark} & sleep ${mark}; wait`, { signal: stop.signal });
  const sleepers = () => execFileSync("ps", ["-eo", "args"], { encoding: "utf8" }).split(`sleep ${mark}`).length - 1;
  while (sleepers() < 2) await new Promise((resolve) => setTimeout(resolve, 10));
  stop.abort();
  while (sleepers() > 0) await new Promise((resolve) => setTimeout(resolve, 10));
  stream.write(silence(1));
  stream.close();
});

test("the program's lines are read, marks and the whole text left out", () => {
  assert.deepEqual(readLine("to(3) 2.860 3.080 0.301967"), {
    isEnd: false,
    word: { word: "to", startMs: 2_860, endMs: 3_080, confidence: 0.301967 },
  });
  assert.deepEqual(readLine("<sil> 2.290 2.370 0.798176"), { isEnd: false });
  assert.deepEqual(readLine("</s> 6.020 6.100 1.000000"), { isEnd: true });
  assert.deepEqual(readLine("hello they did"), { isEnd: false });
  assert.deepEqual(readLine(""), { isEnd: false });
});

test("the real program recognises a sentence of flite", async (t) => {
  if (!pocketsphinxInstalled()) return t.skip("pocketsphinx_continuous is not installed");
  const { fliteVoice } = await import("./voice.ts");
  const voice = fliteVoice();
  t.after(() => voice.close());
  const say = { voiceId: "rms", language: "en-US", speed: 1, temperature: 1 };
  const [piece] = await Array.fromAsync(voice.speak("Yes, I would like to know more about it.", say, never));
  const { stream, events, flushed } = await listening(undefined);
  stream.write(silence(0.5));
  stream.write(piece!.samples);
  stream.write(silence(0.5));
  stream.flush();
  await flushed(1);
  stream.close();
  const said = words(events);
  const right = said.filter(({ word }) =>
    ["yes", "i", "would", "like", "to", "know", "more", "about", "it"].includes(word),
  );
  assert.ok(right.length >= 7, said.map(({ word }) => word).join(" "));
  assert.ok(said[0]!.startMs > 300 && said.at(-1)!.endMs < 4_500);
});
