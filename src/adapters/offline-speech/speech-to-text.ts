import { spawnSync } from "node:child_process";
import { SpeechError, type SpeechToText, type TranscriptEvent, type TranscriptWord } from "#ports/speech-to-text.ts";
import { readLine } from "./pocketsphinx-output.ts";
import { NOT_FOUND, PROGRAM, type Recogniser, startRecogniser } from "./pocketsphinx-process.ts";

export type PocketsphinxSettings = {
  /** Calls that are listened to at once; each takes up to three processes, a core hears about four. */
  maxCalls: number;
  /** How long the last words of a stretch may take before it is given up. */
  flushMs?: number;
  /** The shell command that hears, for tests. */
  script?: string;
};

/** What was said takes a tenth to a quarter of its own time to be worked out; a long answer on a busy machine is a few seconds. */
const FLUSH_MS = 8_000;
/** One that listens, one that still works on what was said before, and one more for a contact who says "no" in between. */
const MAX_PROCESSES = 3;
const SAMPLES_A_MS = 8;

let isInstalled: boolean | undefined;

/**
 * Whether the program is on this machine (Debian: `pocketsphinx` and `pocketsphinx-en-us`), as it was when this process first asked: that
 * takes up to 100 ms, in which nothing else is done.
 */
export function pocketsphinxInstalled(): boolean {
  // Without arguments it prints its usage and ends.
  isInstalled ??= spawnSync(PROGRAM, [], { stdio: "ignore" }).error === undefined;
  return isInstalled;
}

/**
 * Ears for tests and demos: English, one process for each stretch of speech. The program cannot be told to finish a sentence,
 * so a flush ends its input, which makes it say what it has, and the next process has been started by then. Every flush is
 * answered by one `final` that is `flushed`, with the last words or none. `listen` rejects with `not_installed`, `busy` or
 * `unsupported_language`.
 */
export function pocketsphinxSpeechToText({ maxCalls, flushMs = FLUSH_MS, script }: PocketsphinxSettings): SpeechToText {
  let calls = 0;
  // Now, not in a call.
  const installed = script !== undefined || pocketsphinxInstalled();

  return {
    name: "offline",
    capabilities: { words: true, interim: false },
    async listen({ language }, on, signal) {
      if (!/^en\b/i.test(language)) throw failed("unsupported_language", false);
      if (!installed) throw failed("not_installed", false);
      if (calls >= maxCalls) throw failed("busy", true);
      if (signal.aborted) throw failed("aborted", true);
      calls++;
      const stream = listenToCall(on, flushMs, script);
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

/** One process and what it has heard. `begin`: the call's sample with which its time begins. */
type Stretch = { recogniser: Recogniser; begin: number; words: TranscriptWord[]; isFlushed: boolean };

function listenToCall(on: (event: TranscriptEvent) => void, flushMs: number, script: string | undefined) {
  const stretches = new Set<Stretch>();
  let written = 0;
  let isClosed = false;
  /** Stretches speak in turn, so that a short one does not overtake the long one before it. */
  let turn: Promise<void> = Promise.resolve();
  let current = start();

  function start(): Stretch {
    const before = turn;
    const stretch: Stretch = { begin: written, words: [], isFlushed: false, recogniser: startRecogniser(hear, script) };
    stretches.add(stretch);
    turn = Promise.all([before, stretch.recogniser.ended]).then(([, code]) => {
      stretches.delete(stretch);
      if (isClosed) return;
      if (stretch.isFlushed) say(stretch, true);
      else fail(code === NOT_FOUND ? "not_installed" : "ended", code !== NOT_FOUND);
    });
    return stretch;

    function hear(line: string): void {
      const { word, isEnd } = readLine(line);
      const offsetMs = Math.round(stretch.begin / SAMPLES_A_MS);
      if (word) stretch.words.push({ ...word, startMs: word.startMs + offsetMs, endMs: word.endMs + offsetMs });
      // After the flush the words are told with it.
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
      if (!current.recogniser.write(duplicated(samples))) fail("too_slow", true);
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
 * From 8 to 16 kHz, at which its model was trained, by saying every sample twice. The images above 4 kHz that a filter would take away are what
 * it misses: it errs in 14 % of the words with them and in 89 % without.
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
  new SpeechError(`The offline ears failed: ${MEANINGS[vendorCode] ?? vendorCode}`, { retryable, vendorCode });

const MEANINGS: Readonly<Record<string, string>> = {
  not_installed: `${PROGRAM} is not installed (Debian: pocketsphinx and pocketsphinx-en-us)`,
  unsupported_language: "they know English only",
  busy: "they listen to as many calls as they may",
};
