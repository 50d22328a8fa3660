import { spawnSync } from "node:child_process";
import { G711_RATE } from "#domain/calls/g711.ts";
import {
  type SoundRate,
  SpeechError,
  type SpeechToText,
  type TranscriptEvent,
  type TranscriptWord,
} from "#ports/speech-to-text.ts";
import { readLine } from "./pocketsphinx-output.ts";
import { NOT_FOUND, PROGRAM, type Recogniser, startRecogniser } from "./pocketsphinx-process.ts";

export type PocketsphinxSettings = {
  /** Calls transcribed at the same time; each takes up to three processes, and a core can transcribe about four calls. */
  maxCalls: number;
  /** How long the last words of a stretch may take before its process is killed. */
  flushMs?: number;
  /** The shell command that transcribes, for tests. */
  script?: string;
};

/** Transcribing takes a tenth to a quarter of the audio's length; on a machine that has far too much to do, a few words take many seconds. */
const FLUSH_MS = 30_000;
/** One that receives audio, one that still transcribes the stretch before, and one more for a contact who says "no" in between. */
const MAX_PROCESSES = 3;

let isInstalled: boolean | undefined;

/**
 * Whether the program is on this machine (Debian: `pocketsphinx` and `pocketsphinx-en-us`). Checked once in a process, since it blocks for up
 * to 100 ms.
 */
export function pocketsphinxInstalled(): boolean {
  // Without arguments it prints its usage and ends.
  isInstalled ??= spawnSync(PROGRAM, [], { stdio: "ignore" }).error === undefined;
  return isInstalled;
}

/**
 * Speech-to-text for tests and demos: English, one process for each stretch of speech. The program has no command to finish a sentence,
 * so a flush closes its input, which makes it print its last words, and starts the next process. Every flush is
 * answered by one `final` that is `flushed`, with the last words or none. `listen` rejects with `not_installed`, `busy` or
 * `unsupported_language`.
 */
export function pocketsphinxSpeechToText({ maxCalls, flushMs = FLUSH_MS, script }: PocketsphinxSettings): SpeechToText {
  let calls = 0;
  // Checked now, because it would block calls later.
  const installed = script !== undefined || pocketsphinxInstalled();

  return {
    name: "offline",
    capabilities: { words: true, interim: false },
    async listen({ language, sampleRate = G711_RATE }, on, signal) {
      if (!/^en\b/i.test(language)) throw failed("unsupported_language", false);
      if (!installed) throw failed("not_installed", false);
      if (calls >= maxCalls) throw failed("busy", true);
      if (signal.aborted) throw failed("aborted", true);
      calls++;
      const stream = listenToCall(on, sampleRate, flushMs, script);
      const close = () => {
        if (!stream.close()) return;
        calls--;
        signal.removeEventListener("abort", close);
      };
      signal.addEventListener("abort", close, { once: true });
      return { write: stream.write, flush: stream.flush, close };
    },
  } satisfies SpeechToText;
}

/** One process and the words it has recognised. `begin`: the call's sample at which its time begins. */
type Stretch = { recogniser: Recogniser; begin: number; words: TranscriptWord[]; isFlushed: boolean };

function listenToCall(
  on: (event: TranscriptEvent) => void,
  sampleRate: SoundRate,
  flushMs: number,
  script: string | undefined,
) {
  const stretches = new Set<Stretch>();
  let written = 0;
  let isClosed = false;
  /** Stretches are reported in order, so that a short one does not overtake the long one before it. */
  let turn: Promise<void> = Promise.resolve();
  let current = start();

  function start(): Stretch {
    const before = turn;
    const stretch: Stretch = {
      begin: written,
      words: [],
      isFlushed: false,
      recogniser: startRecogniser(receive, script),
    };
    stretches.add(stretch);
    turn = Promise.all([before, stretch.recogniser.ended]).then(([, code]) => {
      stretches.delete(stretch);
      if (isClosed) return;
      if (stretch.isFlushed) say(stretch, true);
      else fail(code === NOT_FOUND ? "not_installed" : "ended", code !== NOT_FOUND);
    });
    return stretch;

    function receive(line: string): void {
      const { word, isEnd } = readLine(line);
      const offsetMs = Math.round((stretch.begin * 1_000) / sampleRate);
      if (word) stretch.words.push({ ...word, startMs: word.startMs + offsetMs, endMs: word.endMs + offsetMs });
      // After a flush the words are reported in its `final`.
      if (isEnd && !stretch.isFlushed) void before.then(() => !isClosed && !stretch.isFlushed && say(stretch, false));
    }
  }

  function say({ words }: Stretch, flushed: boolean): void {
    const said = words.splice(0);
    if (said.length > 0 || flushed) {
      on({ kind: "final", text: said.map(({ word }) => word).join(" "), words: said, flushed });
    }
  }

  function fail(vendorCode: string, retryable: boolean): void {
    close();
    on({ kind: "failed", error: failed(vendorCode, retryable) });
  }

  function close(): boolean {
    if (isClosed) return false;
    isClosed = true;
    for (const { recogniser } of stretches) recogniser.kill();
    return true;
  }

  return {
    close,
    write(samples: Int16Array): void {
      if (isClosed) return;
      written += samples.length;
      if (!current.recogniser.write(sampleRate === G711_RATE ? duplicated(samples) : samples)) fail("too_slow", true);
    },
    flush(): void {
      if (isClosed) return;
      const ending = current;
      ending.isFlushed = true;
      ending.recogniser.finish();
      const patience = setTimeout(() => ending.recogniser.kill(), flushMs);
      void ending.recogniser.ended.then(() => clearTimeout(patience));
      const [oldest] = stretches;
      if (stretches.size >= MAX_PROCESSES) oldest!.recogniser.kill();
      current = start();
    },
  };
}

/**
 * From 8 to 16 kHz, at which its model was trained, by repeating every sample. The image frequencies above 4 kHz, which a filter would
 * remove, are needed: 14 % of the words are wrong with them and 89 % without.
 */
function duplicated(samples: Int16Array): Int16Array {
  const wide = new Int16Array(2 * samples.length);
  for (const [i, sample] of samples.entries()) {
    wide[2 * i] = sample;
    wide[2 * i + 1] = sample;
  }
  return wide;
}

const failed = (vendorCode: string, retryable: boolean): SpeechError =>
  new SpeechError(`The offline speech-to-text failed: ${MEANINGS[vendorCode] ?? vendorCode}`, {
    retryable,
    vendorCode,
  });

const MEANINGS: Readonly<Record<string, string>> = {
  not_installed: `${PROGRAM} is not installed (Debian: pocketsphinx and pocketsphinx-en-us)`,
  unsupported_language: "it supports English only",
  busy: "it transcribes as many calls as it may",
};
