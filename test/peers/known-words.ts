import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { parentPort, workerData } from "node:worker_threads";
import type { Familiar } from "./known-sentences.ts";
import { locate, share } from "./likeness.ts";

/** By their loudest part; which of them it is, is decided by the whole. */
const CANDIDATES = 3;
/** Less alike than this it is none of what they know: other voices and words share a quarter. */
const KNOWN = 0.5;
/** So alike it is no other, and the others are not looked at: to find that a sound is not there takes a hundred times as long. */
const CERTAIN = 0.9;

// A thread of `known-sentences.ts`: what has the sound of a call in the same process would stand still while a sound is sought.
const familiar = workerData as readonly Familiar[];

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const words = recognise(familiar, soundOf(Buffer.concat(chunks)));
  const text = words.map(({ word }) => word).join(" ");
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ task: "transcribe", language: "english", text, words }));
});
server.listen(0, "127.0.0.1", () => parentPort!.postMessage((server.address() as AddressInfo).port));

/** The sound of a WAV file in a form, at 8 kHz or a multiple of it. */
function soundOf(form: Buffer): Int16Array {
  const head = form.indexOf("RIFF");
  const step = (2 * form.readUInt32LE(head + 24)) / 8_000;
  const length = Math.floor(form.readUInt32LE(head + 40) / step);
  return Int16Array.from({ length }, (_, i) => form.readInt16LE(head + 44 + step * i));
}

type Heard = { word: string; start: number; end: number };

/** The words of the familiar sound that this is a part of; seconds since its beginning. */
function recognise(familiar: readonly Familiar[], sound: Int16Array): Heard[] {
  const likely = familiar.map((candidate) => ({ ...candidate, ...locate(sound, candidate.samples) }));
  likely.sort((a, b) => b.likeness - a.likeness).splice(CANDIDATES);
  let best: (typeof likely)[number] | undefined;
  for (const candidate of likely) {
    const { likeness } = share(sound, candidate.samples, candidate.at);
    if (!best || likeness > best.likeness) best = { ...candidate, likeness };
    if (likeness >= CERTAIN) break;
  }
  if (!best || best.likeness < KNOWN) return [];
  const fromMs = best.at / 8;
  const untilMs = fromMs + sound.length / 8;
  return best.words.flatMap(({ word, endMs }, i) => {
    if (endMs <= fromMs || endMs > untilMs) return [];
    const startMs = Math.max(fromMs, i === 0 ? fromMs : best.words[i - 1]!.endMs);
    return [{ word, start: (startMs - fromMs) / 1_000, end: (endMs - fromMs) / 1_000 }];
  });
}
