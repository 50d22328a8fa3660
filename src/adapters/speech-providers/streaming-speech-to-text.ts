import {
  type SoundRate,
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

/** One provider's WebSocket protocol for streaming speech-to-text. Times are milliseconds since the connection's first sample. */
export type StreamingProtocol = {
  vendor: string;
  url: string;
  headers: Record<string, string>;
  /** Text messages: keeps a silent connection open; requests the words of all audio sent so far; ends the stream. */
  keepAlive: string;
  finalize: string;
  finish: string;
  sampleRate: SoundRate;
  /** The fewest samples that a message may have, where shorter ones are refused; a shorter rest before a flush is held back. */
  shortest?: number;
  read(message: Record<string, unknown>): TranscriptMessage | undefined;
};

export type TranscriptMessage =
  | { kind: "interim"; text: string; words: readonly TranscriptWord[] }
  /** `endMs`: everything before it is final. `finalized`: this is the answer to `finalize`. */
  | { kind: "final"; text: string; words: readonly TranscriptWord[]; endMs: number; finalized: boolean }
  | { kind: "failure"; error: SpeechError };

/** One message per frame would be fifty a second for each call; longer blocks delay interim results. A flush is sent at once. */
const BLOCK_MS = 100;
/** Servers close a connection after ten seconds without a message. */
const KEEP_ALIVE_MS = 4_000;
/** An answer takes 100 to 300 ms. A contact who waits longer than this for a reply says "hello?". */
const FLUSH_MS = 1_500;
/** One unanswered flush may be a cough without words; after two in a row the connection is taken for dead. */
const DEAD_AFTER = 2;
/** When the final transcript ends this close to the flush, no more words are expected. */
const SETTLED_MS = 60;
/** Waits before each try to connect again; a call cannot go without speech-to-text for longer than this. */
const RETRIES_MS = [0, 250, 1_000, 2_000] as const;
/** With half a minute of unsent audio the connection is taken for dead. */
const MAX_BACKLOG_MS = 30_000;

/** `at`: the stream's sample up to which words are requested. */
type Flush = { at: number; isSent: boolean; timer: NodeJS.Timeout };

/**
 * Speech-to-text over one WebSocket that is opened again when it breaks: audio without a final transcript is then sent again, and the times
 * of words go on without a gap. Every `flush` is answered by one `final` that is `flushed`; when the provider does not answer, by the last
 * interim words. Rejects with SpeechError when the first connection fails; later ones end in `failed`.
 */
export async function openStreamingSpeechToText(
  protocol: StreamingProtocol,
  limits: SpeechLimits,
  on: (event: TranscriptEvent) => void,
  signal: AbortSignal,
): Promise<SpeechToTextStream> {
  const samplesAMs = protocol.sampleRate / 1_000;
  const audio = unsettledAudio(protocol.sampleRate);
  const flushes: Flush[] = [];
  const life = new AbortController();
  let socket: Socket | undefined;
  /** Positions in the stream: the connection's first sample, and the next one to send. */
  let [origin, sent] = [0, 0];
  /** The sample up to which flushes were answered by interim words; final words before it come too late and are dropped. */
  let answeredUntil = 0;
  let guess: { text: string; words: readonly TranscriptWord[] } = { text: "", words: [] };
  let tries = 0;
  /** Flushes in a row that the provider has not answered. */
  let unanswered = 0;
  let lastSentAt = performance.now();

  const connect = async (): Promise<void> => {
    const { vendor, url, headers } = protocol;
    const onText = (text: string) => receive(protocol.read(parsed(text)));
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
    // Audio that was held back and is settled by now is skipped, so the connection's clock falls behind by that much.
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
    if (audio.end() - sent >= BLOCK_MS * samplesAMs) sendUntil(audio.end());
    if (socket.backlog() > MAX_BACKLOG_MS * samplesAMs * Int16Array.BYTES_PER_ELEMENT) {
      socket.end();
      lost(failure(protocol.vendor, "stalled", true));
    }
  }

  function receive(message: TranscriptMessage | undefined): void {
    if (!message || life.signal.aborted) return;
    if (message.kind === "failure") {
      socket?.end();
      lost(message.error);
      return;
    }
    tries = 0;
    unanswered = 0;
    const transcript = fresh(message);
    if (message.kind === "interim") {
      guess = transcript;
      if (transcript.text !== "") on({ kind: "interim", text: transcript.text });
      return;
    }
    guess = { text: "", words: [] };
    audio.settle(Math.min(sent, origin + message.endMs * samplesAMs));
    const [flush] = flushes;
    const isAnswer =
      flush?.isSent === true && (message.finalized || audio.begin() >= flush.at - SETTLED_MS * samplesAMs);
    if (isAnswer) answer(transcript);
    else if (transcript.text !== "") on({ kind: "final", ...transcript, flushed: false });
  }

  /** Text and words in the stream's time, without those before `answeredUntil`. */
  function fresh({ text, words }: { text: string; words: readonly TranscriptWord[] }): typeof guess {
    const offsetMs = Math.round(origin / samplesAMs);
    const timed = words.map((word) => ({ ...word, startMs: word.startMs + offsetMs, endMs: word.endMs + offsetMs }));
    const late = timed.filter(({ startMs }) => startMs < answeredUntil / samplesAMs).length;
    if (late === 0) return { text, words: timed };
    return {
      text: timed
        .slice(late)
        .map(({ word }) => word)
        .join(" "),
      words: timed.slice(late),
    };
  }

  function answer(transcript: typeof guess): void {
    const flush = flushes.shift()!;
    clearTimeout(flush.timer);
    audio.settle(flush.at);
    on({ kind: "final", ...transcript, flushed: true });
  }

  function givenUp(flush: Flush): void {
    answeredUntil = flush.at;
    const said = guess;
    guess = { text: "", words: [] };
    answer(said);
    if (++unanswered < DEAD_AFTER || !socket) return;
    unanswered = 0;
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
      if (flushes.length === 0 && audio.end() - audio.begin() <= SETTLED_MS * samplesAMs) {
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
