import type { RawData, WebSocket } from "ws";
import { FRAME_MS, FRAME_SAMPLES } from "#domain/calls/g711.ts";
import { invalid } from "#domain/values/errors.ts";
import { asAppError } from "#http/server/error-handler.ts";
import { lastWord } from "#http/server/spoken.ts";
import type { Log } from "#operations/context.ts";

/** A page sends sound all the time, be it silence: one that sends none is gone. */
const QUIET_MS = 10_000;
const LOOK_EVERY_MS = 1_000;
/** Sound that came faster than it can have been spoken, beyond what a network may have held back. */
const AHEAD_MS = 3_000;
/** In one message: more than a second of sound at once is none that is being spoken. */
const MOST_FRAMES = 50;
/** Audio that a page has not taken by then is outdated and dropped: 2 s of sound. */
const MAX_BUFFERED = 16_000;

/** A page with a microphone, by its socket: JSON in text messages, G.711 mu-law in binary ones. */
export type PageLine = {
  /** From here on sound is expected, and handed on. What comes before is dropped. */
  start(): void;
  send(message: object): void;
  say(frames: Uint8Array): void;
  /** The page may still read messages. */
  isOpen(): boolean;
  /** The last message says what went wrong. */
  fail(error: unknown): void;
  finish(): void;
};

export type PageListener = {
  /** Handles a text message; an error is sent to the page. */
  word(data: Buffer): void | Promise<void>;
  /** Whole frames, not faster than they can have been spoken. */
  sound(frames: Buffer): void;
  /** Nobody speaks there any more: it was closed, or has failed, or sends nothing. Once. */
  gone(): void;
};

export function pageLine(socket: WebSocket, log: Log, on: PageListener): PageLine {
  let startedAt: number | undefined;
  let receivedAt = 0;
  let receivedMs = 0;
  let isGone = false;

  const isOpen = () => socket.readyState === socket.OPEN;
  const gone = () => {
    clearInterval(looking);
    if (isGone) return;
    isGone = true;
    on.gone();
  };
  const send = (message: object) => {
    if (isOpen()) socket.send(JSON.stringify(message));
  };
  const fail = (error: unknown) => {
    const known = asAppError(error);
    if (known.code === "internal") log.error({ err: error }, "a call from a page failed");
    send(lastWord(known));
    socket.close(known.status >= 500 ? 1011 : 1008);
    gone();
  };
  const receive = (sound: Buffer) => {
    if (startedAt === undefined || isGone) return;
    const frames = sound.length / FRAME_SAMPLES;
    if (!Number.isInteger(frames) || frames < 1 || frames > MOST_FRAMES)
      throw invalid({
        field: "message",
        message: `of sound must be 1 to ${MOST_FRAMES} whole frames of ${FRAME_SAMPLES} bytes`,
      });
    receivedAt = performance.now();
    const passedMs = receivedAt - startedAt;
    // Time without audio gives no credit for sending faster later.
    receivedMs = Math.max(receivedMs, passedMs - AHEAD_MS) + frames * FRAME_MS;
    if (receivedMs > passedMs + AHEAD_MS)
      throw invalid({ field: "message", message: "of sound came faster than it can have been spoken" });
    on.sound(sound);
  };

  const looking = setInterval(() => {
    if (startedAt !== undefined && performance.now() - receivedAt > QUIET_MS) gone();
  }, LOOK_EVERY_MS);
  socket.on("message", async (data: RawData, isBinary: boolean) => {
    try {
      if (isBinary) receive(data as Buffer);
      else await on.word(data as Buffer);
    } catch (error) {
      fail(error);
    }
  });
  socket.on("close", gone);

  return {
    start() {
      startedAt = receivedAt = performance.now();
    },
    send,
    say(frames) {
      if (isOpen() && socket.bufferedAmount < MAX_BUFFERED) socket.send(frames);
    },
    isOpen,
    fail,
    finish: () => socket.close(1000),
  };
}
