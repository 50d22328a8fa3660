import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Owner } from "#test/support/processes/processes.ts";

/** What somebody may be heard saying: the whole of it, samples at 8 kHz, and when each word ends. */
export type Familiar = { samples: Int16Array; words: readonly { word: string; endMs: number }[] };

/**
 * Speech-to-text that knows all that may be said to it: `/audio/transcriptions` as OpenAI documents it, on loopback and in a thread of its own
 * (`known-words.ts`), which finds a stretch of sound among the familiar ones and answers with its words. Speech-to-text on this machine takes a core for four calls, and is wrong in one word
 * of ten. Answers with the address for PARLEY_OPENAI_SPEECH_BASE_URL.
 */
export async function knownSentences(owner: Owner, familiar: readonly Familiar[]): Promise<string> {
  const thread = new Worker(new URL("./known-words.ts", import.meta.url), { workerData: familiar });
  owner.after(() => thread.terminate());
  const [port] = await once(thread, "message");
  return `http://127.0.0.1:${port}/v1`;
}
