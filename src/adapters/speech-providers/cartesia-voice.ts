import { randomUUID } from "node:crypto";
import { G711_RATE } from "#domain/calls/g711.ts";
import { SpeechError } from "#ports/speech-to-text.ts";
import type { SpokenPiece, TextToSpeech } from "#ports/text-to-speech.ts";
import { failure, fields, parsed, statusFailure } from "./failure.ts";
import type { SpeechLimits } from "./patience.ts";
import { sampleJoiner } from "./pcm.ts";
import { pieceQueue } from "./piece-queue.ts";
import { openSocket, type Socket } from "./socket.ts";

const VENDOR = "cartesia";
/** The API version whose messages are used here. */
const VERSION = "2026-03-01";
/** What `generation_config.speed` may be. */
const SPEEDS = { min: 0.6, max: 1.5 } as const;
/** About a turn and its answer, so that the next sentence does not wait for a handshake. */
const IDLE_MS = 60_000;

type Message = Record<string, unknown>;
type Shared = {
  socket: Promise<Socket>;
  stop: AbortController;
  contexts: Map<string, (message: Message | SpeechError) => void>;
};

/**
 * Cartesia's voices: one WebSocket for all sentences, each a context of its own, with the times of its words; a sentence that is no longer
 * wanted is cancelled. Voices are its ids. Temperature has no counterpart.
 *
 * Source: https://docs.cartesia.ai/2026-03-01/api-reference/tts/websocket and, for the speed,
 * https://docs.cartesia.ai/build-with-cartesia/sonic-3/volume-speed-emotion
 */
export function cartesiaVoice(settings: {
  baseUrl: string;
  apiKey: string;
  model: string;
  limits: SpeechLimits;
}): TextToSpeech & { close(): void } {
  let shared: Shared | undefined;
  let idle: NodeJS.Timeout | undefined;

  const drop = (dropped: Shared, error: SpeechError) => {
    if (shared === dropped) shared = undefined;
    dropped.stop.abort();
    for (const notify of [...dropped.contexts.values()]) notify(error);
  };

  const connection = (): Shared => {
    clearTimeout(idle);
    if (shared) return shared;
    const stop = new AbortController();
    const contexts: Shared["contexts"] = new Map();
    const request = {
      vendor: VENDOR,
      url: `${settings.baseUrl}/tts/websocket?cartesia_version=${VERSION}`,
      headers: { "x-api-key": settings.apiKey, "cartesia-version": VERSION },
      connectMs: settings.limits.connectMs,
      onText: (text: string) => {
        const message = parsed(text);
        contexts.get(String(message.context_id))?.(message);
      },
      onClosed: (error: SpeechError) => drop(made, error),
    };
    const made: Shared = { stop, contexts, socket: openSocket(request, stop.signal) };
    made.socket.catch((error: SpeechError) => drop(made, error));
    shared = made;
    return made;
  };

  const leave = (used: Shared, context: string) => {
    used.contexts.delete(context);
    if (used !== shared || used.contexts.size > 0) return;
    idle = setTimeout(() => drop(used, failure(VENDOR, "idle", true)), IDLE_MS);
    idle.unref();
  };

  return {
    name: VENDOR,
    knows: (voiceId) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(voiceId),
    async *speak(sentence, { voiceId, language, speed }, signal) {
      if (signal.aborted) return;
      const context = randomUUID();
      const used = connection();
      const queue = pieceQueue<SpokenPiece>();
      const read = contextReader(queue);
      used.contexts.set(context, (message) => (message instanceof SpeechError ? queue.fail(message) : read(message)));
      signal.addEventListener("abort", queue.end, { once: true });
      const clock = setTimeout(late, settings.limits.firstMs, "timeout");
      function late(code: string): void {
        queue.fail(failure(VENDOR, code, true));
        // A silent connection fails every sentence on it; the next sentence opens a new one.
        drop(used, failure(VENDOR, code, true));
      }
      let gap: NodeJS.Timeout | undefined;
      void used.socket.then(
        ({ send }) => {
          if (signal.aborted) return;
          const speech = { model: settings.model, sentence, voiceId, language, speed, context };
          send(JSON.stringify(generation(speech)));
        },
        () => {},
      );
      try {
        for (;;) {
          const next = await queue.next();
          clearTimeout(clock);
          clearTimeout(gap);
          if (next === undefined) return;
          yield next;
          gap = setTimeout(late, settings.limits.gapMs, "stalled");
        }
      } finally {
        clearTimeout(clock);
        clearTimeout(gap);
        signal.removeEventListener("abort", queue.end);
        leave(used, context);
        if (!queue.isDone()) {
          void used.socket.then(
            ({ send }) => send(JSON.stringify({ context_id: context, cancel: true })),
            () => {},
          );
        }
      }
    },
    close() {
      clearTimeout(idle);
      if (shared) drop(shared, failure(VENDOR, "closed", true));
    },
  } satisfies TextToSpeech & { close(): void };
}

/** A request for a whole sentence. */
function generation(wanted: {
  model: string;
  sentence: string;
  voiceId: string;
  language: string;
  speed: number;
  context: string;
}): object {
  return {
    model_id: wanted.model,
    transcript: wanted.sentence,
    voice: { mode: "id", id: wanted.voiceId },
    language: wanted.language.split("-")[0]!.toLowerCase(),
    context_id: wanted.context,
    output_format: { container: "raw", encoding: "pcm_s16le", sample_rate: G711_RATE },
    add_timestamps: true,
    continue: false,
    ...(wanted.speed === 1
      ? {}
      : { generation_config: { speed: Math.min(SPEEDS.max, Math.max(SPEEDS.min, wanted.speed)) } }),
  };
}

type Words = NonNullable<SpokenPiece["words"]>;

/** Turns a context's messages into pieces. Word times come in their own messages and are sent with the next piece of sound. */
function contextReader(queue: ReturnType<typeof pieceQueue<SpokenPiece>>): (message: Message) => void {
  const join = sampleJoiner();
  let words: Words[number][] = [];
  const put = (samples: Int16Array) => {
    if (samples.length === 0 && words.length === 0) return;
    queue.put({ samples, sampleRate: G711_RATE, ...(words.length > 0 ? { words } : {}) });
    words = [];
  };
  return (message) => {
    switch (message.type) {
      case "chunk":
        if (typeof message.data !== "string") queue.fail(failure(VENDOR, "invalid_response", true));
        else put(join(Buffer.from(message.data, "base64")));
        break;
      case "timestamps":
        words.push(...timedWords(fields(message.word_timestamps)));
        break;
      case "done":
        put(new Int16Array(0));
        queue.done();
        break;
      case "error": {
        const { status_code: status, error_code: word } = message;
        const detail = typeof word === "string" && /^[a-z_]{1,64}$/.test(word) ? word : undefined;
        queue.fail(statusFailure(VENDOR, typeof status === "number" ? status : 500, detail));
      }
    }
  };
}

function timedWords({ words, start, end }: Record<string, unknown>): Words {
  if (!Array.isArray(words) || !Array.isArray(start) || !Array.isArray(end)) return [];
  return words.map((word: unknown, index) => ({
    word: String(word),
    startMs: Math.round(Number(start[index]) * 1_000),
    endMs: Math.round(Number(end[index]) * 1_000),
  }));
}
