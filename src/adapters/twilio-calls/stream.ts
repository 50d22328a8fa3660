import { FRAME_MS, FRAME_SAMPLES } from "#domain/calls/g711.ts";
import type { StreamSocket } from "#ports/call-streams.ts";
import { clearMessage, markMessage, mediaMessage, readMessage, type StreamStart } from "./messages.ts";

/** The start is the second message; a stream that does not send it is none. */
const START_WITHIN_MS = 5_000;
/** Sound that came faster than it can have been spoken, beyond what a network may have held back. */
const AHEAD_MS = 3_000;
/** Marks and keys a second and what came before: nobody presses more, and a program that floods is not listened to. */
const WORDS_PER_SECOND = 50;
const SAMPLES_PER_MS = FRAME_SAMPLES / FRAME_MS;

export type StreamEvents = {
  /** Once, before all others. False: it is another call's, and is closed. */
  started(start: StreamStart): boolean;
  /** Whole frames of 160 bytes, in order, not faster than they can have been spoken. */
  sound(frames: Uint8Array): void;
  digit(digit: string): void;
  /** What was sent before the mark has been played, or was cleared. */
  marked(name: string): void;
  /** Once. `stopped`: Twilio says that the call is over, or has been taken elsewhere. `lost`: the connection is gone without that. */
  ended(how: "stopped" | "lost"): void;
};

export type Stream = {
  send(frame: Uint8Array): void;
  mark(name: string): void;
  clear(): void;
  close(): void;
};

/**
 * One call's Media Stream. States: waiting for its start, on, over; each is entered once. What comes out of order, too fast, too large, of another
 * stream, or after its end is passed over. `now` is milliseconds of a clock that only goes forward.
 */
export function openStream(
  socket: StreamSocket,
  on: StreamEvents,
  now: () => number = () => performance.now(),
): Stream {
  let state: "waiting" | "on" | "over" = "waiting";
  let streamSid = "";
  let startedAt = 0;
  let lastChunk = 0;
  let soundMs = 0;
  let words = 0;
  /** Of a frame that has not come as a whole. */
  let rest: Uint8Array = new Uint8Array();

  const end = (how: "stopped" | "lost") => {
    clearTimeout(patience);
    if (state === "over") return;
    state = "over";
    socket.close();
    on.ended(how);
  };
  const patience = setTimeout(() => end("lost"), START_WITHIN_MS);

  function start(message: StreamStart): void {
    if (state !== "waiting") return;
    if (on.started(message)) {
      clearTimeout(patience);
      streamSid = message.streamSid;
      startedAt = now();
      state = "on";
    } else end("lost");
  }

  function take(chunk: number, sound: Uint8Array): void {
    if (chunk <= lastChunk) return;
    lastChunk = chunk;
    const passedMs = now() - startedAt;
    const ms = sound.length / SAMPLES_PER_MS;
    // Time without sound gives no credit for sending faster later.
    soundMs = Math.max(soundMs, passedMs - AHEAD_MS);
    if (soundMs + ms > passedMs + AHEAD_MS) return;
    soundMs += ms;
    const all = rest.length === 0 ? sound : Buffer.concat([rest, sound]);
    const whole = all.length - (all.length % FRAME_SAMPLES);
    rest = all.slice(whole);
    if (whole > 0) on.sound(all.subarray(0, whole));
  }

  const mayBeHeard = (): boolean => ++words <= ((now() - startedAt) / 1_000 + 1) * WORDS_PER_SECOND;

  socket.listen({
    text(text) {
      if (state === "over") return;
      const message = readMessage(text);
      if (message.event === "start") return start(message);
      if (state !== "on" || message.event === "connected" || message.event === "other") return;
      if (message.streamSid !== streamSid) return;
      if (message.event === "media") return take(message.chunk, message.sound);
      if (message.event === "stop") return end("stopped");
      if (!mayBeHeard()) return;
      if (message.event === "dtmf") on.digit(message.digit);
      else on.marked(message.name);
    },
    closed: () => end("lost"),
  });

  const say = (message: string) => {
    if (state === "on") socket.send(message);
  };
  return {
    send: (frame) => say(mediaMessage(streamSid, frame)),
    mark: (name) => say(markMessage(streamSid, name)),
    clear: () => say(clearMessage(streamSid)),
    close: () => end("stopped"),
  };
}
