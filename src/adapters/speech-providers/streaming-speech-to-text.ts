import {
  SpeechError,
  type SpeechToTextStream,
  type TranscriptEvent,
  type TranscriptWord,
} from "#ports/speech-to-text.ts";
import { failure, parsed } from "./failure.ts";
import type { SpeechLimits } from "./patience.ts";
import { bytesOf } from "./pcm.ts";
import { openSocket, type Socket } from "./socket.ts";
import { unsettledAudio } from "./unsettled-audio.ts";

/** How one provider's streaming ears speak over a WebSocket. Times are milliseconds since the connection's first sample. */
export type StreamingProtocol = {
  vendor: string;
  url: string;
  headers: Record<string, string>;
  /** Text messages: keeps a silent connection open; asks for the words of all that was sent; says farewell. */
  keepAlive: string;
  finalize: string;
  finish: string;
  /** Samples that a message has at least, where shorter ones are refused: less than these of a flush's end is held back. */
  shortest?: number;
  read(message: Record<string, unknown>): TranscriptMessage | undefined;
};

export type TranscriptMessage =
  | { kind: "interim"; text: string; words: readonly TranscriptWord[] }
  /** `endMs`: all before it is said for good. `finalized`: the answer to `finalize`. */
  | { kind: "final"; text: string; words: readonly TranscriptWord[]; endMs: number; finalized: boolean }
  | { kind: "failure"; error: SpeechError };

/** A message a frame would be fifty a second for each call; with more than these 100 ms the guesses come later. A flush waits for nothing. */
const BLOCK = 800;
const SAMPLES_A_MS = 8;
/** Servers hang up after ten seconds of nothing. */
const KEEP_ALIVE_MS = 4_000;
/** An answer takes 100 to 300 ms. A contact who waits longer than this for a reply says "hello?". */
const FLUSH_MS = 1_500;
/** One flush without an answer is a cough without words; after two the connection is dead and does not know it. */
const DEAD_AFTER = 2;
/** When the end of what is settled is this near to the flush, nothing is left to be said. */
const SETTLED_MS = 60;
/** Waits before each try to connect again; a call cannot be deaf for longer than this. */
const RETRIES_MS = [0, 250, 1_000, 2_000] as const;
/** Half a minute of sound that the network does not take is a dead connection. */
const MAX_BACKLOG_BYTES = 30 * 16_000;

/** `at`: the stream's sample up to which words are wanted. */
type Flush = { at: number; isSent: boolean; timer: NodeJS.Timeout };

/**
 * Ears over one WebSocket that is opened again when it breaks: what had not been said for good by then is sent again, so that the words
 * and their times go on as if nothing had been. Every `flush` is answered by one `final` that is `flushed`; when the provider does not
 * answer, by the words that it had guessed. Rejects with SpeechError when the first connection fails; later ones end in `failed`.
 */
export async function openStreamingSpeechToText(
  protocol: StreamingProtocol,
  limits: SpeechLimits,
  on: (event: TranscriptEvent) => void,
  signal: AbortSignal,
): Promise<SpeechToTextStream> {
  const audio = unsettledAudio();
  const flushes: Flush[] = [];
  const life = new AbortController();
  let socket: Socket | undefined;
  /** The stream's sample that is the connection's first, and the next one to send. */
  let [origin, sent] = [0, 0];
  /** What was answered by guesses: real words for it come too late. */
  let answeredUntil = 0;
  let guess: { text: string; words: readonly TranscriptWord[] } = { text: "", words: [] };
  let tries = 0;
  /** Flushes in a row after which not a word came from the provider. */
  let unheard = 0;
  let lastSentAt = performance.now();

  const connect = async (): Promise<void> => {
    const { vendor, url, headers } = protocol;
    const onText = (text: string) => hear(protocol.read(parsed(text)));
    const request = { vendor, url, headers, connectMs: limits.connectMs, onText, onClosed: lost };
    socket = await openSocket(request, life.signal);
    origin = audio.begin();
    sent = origin;
    for (const flush of flushes) flush.isSent = false;
    pump();
  };

  function lost(error: SpeechError): void {
    socket = undefined;
    if (life.signal.aborted) return;
    const wait = RETRIES_MS[tries++];
    if (wait === undefined || !error.retryable) fail(error);
    else {
      setTimeout(() => {
        if (!life.signal.aborted) connect().catch(lost);
      }, wait);
    }
  }

  function fail(error: SpeechError): void {
    stop();
    on({ kind: "failed", error });
  }

  function stop(): void {
    life.abort();
    clearInterval(keepAlive);
    for (const { timer } of flushes.splice(0)) clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }

  function sendUntil(end: number): void {
    // What was held back and is settled by now is left out: the connection's time stands still for so long.
    const leftOut = Math.max(0, audio.begin() - sent);
    origin += leftOut;
    sent += leftOut;
    if (end - sent < (protocol.shortest ?? 1)) return;
    for (const samples of audio.between(sent, end)) socket!.send(bytesOf(samples));
    sent = Math.max(sent, end);
    lastSentAt = performance.now();
  }

  function pump(): void {
    if (!socket) return;
    for (const flush of flushes.filter(({ isSent }) => !isSent)) {
      sendUntil(flush.at);
      socket.send(protocol.finalize);
      flush.isSent = true;
    }
    if (audio.end() - sent >= BLOCK) sendUntil(audio.end());
    if (socket.backlog() > MAX_BACKLOG_BYTES) {
      socket.end();
      lost(failure(protocol.vendor, "stalled", true));
    }
  }

  function hear(message: TranscriptMessage | undefined): void {
    if (!message || life.signal.aborted) return;
    if (message.kind === "failure") {
      socket?.end();
      lost(message.error);
      return;
    }
    tries = 0;
    unheard = 0;
    const heard = fresh(message);
    if (message.kind === "interim") {
      guess = heard;
      if (heard.text !== "") on({ kind: "interim", text: heard.text });
      return;
    }
    guess = { text: "", words: [] };
    audio.settle(Math.min(sent, origin + message.endMs * SAMPLES_A_MS));
    const [flush] = flushes;
    const isAnswer =
      flush?.isSent === true && (message.finalized || audio.begin() >= flush.at - SETTLED_MS * SAMPLES_A_MS);
    if (isAnswer) answer(heard);
    else if (heard.text !== "") on({ kind: "final", ...heard, flushed: false });
  }

  /** Text and words in the stream's time, without what was answered already. */
  function fresh({ text, words }: { text: string; words: readonly TranscriptWord[] }): typeof guess {
    const offsetMs = Math.round(origin / SAMPLES_A_MS);
    const timed = words.map((word) => ({ ...word, startMs: word.startMs + offsetMs, endMs: word.endMs + offsetMs }));
    const late = timed.filter(({ startMs }) => startMs < answeredUntil / SAMPLES_A_MS).length;
    if (late === 0) return { text, words: timed };
    return {
      text: timed
        .slice(late)
        .map(({ word }) => word)
        .join(" "),
      words: timed.slice(late),
    };
  }

  function answer(heard: typeof guess): void {
    const flush = flushes.shift()!;
    clearTimeout(flush.timer);
    audio.settle(flush.at);
    on({ kind: "final", ...heard, flushed: true });
  }

  function givenUp(flush: Flush): void {
    answeredUntil = flush.at;
    const said = guess;
    guess = { text: "", words: [] };
    answer(said);
    if (++unheard < DEAD_AFTER || !socket) return;
    unheard = 0;
    socket.end();
    lost(failure(protocol.vendor, "stalled", true));
  }

  const keepAlive = setInterval(() => {
    if (performance.now() - lastSentAt >= KEEP_ALIVE_MS - 100) socket?.send(protocol.keepAlive);
  }, KEEP_ALIVE_MS);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    await connect();
  } catch (error) {
    stop();
    throw error instanceof SpeechError ? error : failure(protocol.vendor, "network", true);
  }

  return {
    write(samples) {
      if (life.signal.aborted) return;
      audio.add(samples);
      pump();
    },
    flush() {
      if (life.signal.aborted) return;
      if (flushes.length === 0 && audio.end() - audio.begin() <= SETTLED_MS * SAMPLES_A_MS) {
        on({ kind: "final", text: "", words: [], flushed: true });
        return;
      }
      const flush: Flush = {
        at: audio.end(),
        isSent: false,
        timer: setTimeout(() => givenUp(flush), FLUSH_MS),
      };
      flushes.push(flush);
      pump();
    },
    close() {
      if (life.signal.aborted) return;
      socket?.part(protocol.finish);
      stop();
    },
  };
}
