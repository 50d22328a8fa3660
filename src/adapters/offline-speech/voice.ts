import { OFFLINE_VOICES } from "#domain/agents/voice.ts";
import { G711_RATE } from "#domain/calls/g711.ts";
import { SpeechError } from "#ports/speech-to-text.ts";
import type { SpokenPiece, TextToSpeech } from "#ports/text-to-speech.ts";
import { boundedCache } from "./cache.ts";
import { soundQueue } from "./queue.ts";
import { timedWords } from "./words.ts";

/** About 170 sentences of six seconds: the greetings and set phrases of many campaigns. */
const CACHE_BYTES = 16 * 1024 * 1024;
/** Longer texts are spoken in parts, so that the first is played early and no call occupies the thread for long. */
const PART_LENGTH = 300;
const PART = new RegExp(`.{1,${PART_LENGTH}}`, "gsu");
/** The port's limits; a speed beyond them is clamped. */
const SPEEDS = { min: 0.5, max: 2 } as const;

/** The diphone voice comes at 8 and at 16 kHz; all others at 16. */
const FLITE_NAMES: Readonly<Record<(typeof OFFLINE_VOICES)[number], string>> = {
  slt: "slt",
  rms: "rms",
  awb: "awb",
  kal: "kal16",
};

export type FliteVoice = TextToSpeech & { close(): Promise<void> };

/**
 * The built-in English voices, by flite in a thread of this process. One for each process: the thread and the cache are shared by
 * all calls, so that a greeting of 10,000 calls is made once. At 8 kHz; pieces may be shared and are not to be changed. A
 * sentence is begun at latest when it is asked for; times of words are estimated.
 */
export function fliteVoice({ queue = soundQueue(), cacheBytes = CACHE_BYTES } = {}): FliteVoice {
  const cache = boundedCache<SpokenPiece>(cacheBytes, (piece) => piece.samples.byteLength);
  const making = new Map<string, Making>();

  const pieceOf = (text: string, voice: string, speed: number): Making => {
    const key = `${voice} ${speed} ${text}`;
    const known = making.get(key);
    if (known) return known;
    const { sound, cancel } = queue.add({ text, voice, stretch: 1 / speed });
    const piece = sound.then(({ samples, segments }) => {
      const words = timedWords(text, segments, (samples.length / G711_RATE) * 1_000);
      const made = { samples, sampleRate: G711_RATE, words };
      cache.set(key, made);
      return made;
    });
    const entry: Making = { key, piece, cancel, listeners: 0 };
    making.set(key, entry);
    piece.catch(() => {}).finally(() => making.get(key) === entry && making.delete(key));
    return entry;
  };

  /** Calls may share a sentence: it is cancelled only when the last of them has left. */
  const take = async (entry: Making, signal: AbortSignal): Promise<SpokenPiece | undefined> => {
    entry.listeners++;
    const left = Promise.withResolvers<undefined>();
    const leave = () => left.resolve(undefined);
    signal.addEventListener("abort", leave, { once: true });
    try {
      return await Promise.race([entry.piece, left.promise]);
    } finally {
      signal.removeEventListener("abort", leave);
      if (--entry.listeners === 0 && signal.aborted && making.get(entry.key) === entry) {
        entry.cancel();
        making.delete(entry.key);
      }
    }
  };

  return {
    name: "offline",
    knows: (voiceId) => fliteName(voiceId) !== undefined,
    async *speak(sentence, { voiceId, speed }, signal) {
      const voice = fliteName(voiceId);
      if (voice === undefined) {
        throw new SpeechError("The offline voice failed: unknown_voice", {
          retryable: false,
          vendorCode: "unknown_voice",
        });
      }
      const pace = Math.min(SPEEDS.max, Math.max(SPEEDS.min, speed));
      let offsetMs = 0;
      for (const part of partsOf(sentence)) {
        if (signal.aborted) return;
        const cached = cache.get(`${voice} ${pace} ${part}`);
        const piece = cached ?? (await take(pieceOf(part, voice, pace), signal));
        if (piece === undefined || signal.aborted) return;
        yield offsetMs === 0 ? piece : { ...piece, words: piece.words!.map((word) => later(word, offsetMs)) };
        offsetMs += Math.round((piece.samples.length / piece.sampleRate) * 1_000);
      }
    },
    close: () => queue.close(),
  } satisfies FliteVoice;
}

type Making = { key: string; piece: Promise<SpokenPiece>; cancel: () => void; listeners: number };

const later = <W extends { startMs: number; endMs: number }>(word: W, ms: number): W => ({
  ...word,
  startMs: word.startMs + ms,
  endMs: word.endMs + ms,
});

function fliteName(voiceId: string): string | undefined {
  const name = voiceId.replace(/^offline-/, "");
  return OFFLINE_VOICES.some((voice) => voice === name)
    ? FLITE_NAMES[name as (typeof OFFLINE_VOICES)[number]]
    : undefined;
}

/** A text in parts of at most PART_LENGTH, cut at spaces; without control characters, and none without a letter or digit. */
function partsOf(text: string): string[] {
  const words = text
    .replace(/\p{Cc}/gu, " ")
    .split(/\s+/)
    .flatMap((word) => word.match(PART) ?? []);
  const parts: string[] = [];
  for (const word of words) {
    const last = parts.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= PART_LENGTH) parts[parts.length - 1] = `${last} ${word}`;
    else parts.push(word);
  }
  return parts.filter((part) => /[\p{L}\p{N}]/u.test(part));
}
