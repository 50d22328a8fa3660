import { decodeUlaw, encodeUlaw, FRAME_MS, FRAME_SAMPLES, G711_RATE } from "#domain/calls/g711.ts";
import type { LegEvents, MediaLeg } from "#ports/media-leg.ts";
import type { ScriptedContact } from "#ports/scripted-contact.ts";
import type { SpokenPiece } from "#ports/text-to-speech.ts";

/** A person listens this long after answering. */
const HELLO_AFTER_MS = 400;
const ANSWERS_AFTER_MS = 700;
/** The agent speaks from this level on (mean square of 16-bit samples, -33 dBFS): a room around its voice stays below. */
const SPEECH_POWER = (32_768 * 10 ** (-33 / 20)) ** 2;
/** Softer for this long, and it has done. */
const PAUSE_MS = 500;
/** Shorter is a click. */
const SPOKE_MS = 100;
const BEEP_AFTER_MS = 300;
const BEEP_MS = 400;
const BEEP_HZ = 1_000;
/** A mailbox ends the call when nobody has spoken for this long after its beep. */
const MAILBOX_ENDS_MS = 3_000;
/** A telephone line is never quite silent: some -70 dBFS. */
const NOISE = 12;

/** A line as linear sound at 8 kHz, and when its words are spoken in it: milliseconds since its first sample. */
export type SpokenLine = { samples: Int16Array; words: NonNullable<SpokenPiece["words"]> };

/**
 * A simulated handset with a voice: it hears when the agent speaks and when it has done, and says its lines in turn, whatever the agent says.
 * Frames of the agent's are its clock, 20 ms each. `say` makes a line into sound; `report` gets each line as the handset begins to speak it, at
 * that many milliseconds after its first sample.
 */
export function handsetLeg(
  contact: ScriptedContact,
  say: (line: string) => Promise<SpokenLine>,
  report?: (line: SpokenLine, atMs: number) => void,
): MediaLeg {
  const isMailbox = contact.answerer === "voicemail" || contact.answerer === "full_mailbox";
  const heard = new Int16Array(FRAME_SAMPLES);
  const frame = new Int16Array(FRAME_SAMPLES);
  const coded = new Uint8Array(FRAME_SAMPLES);
  let events: LegEvents | undefined;
  let atMs = 0;
  let sequence = 0;
  let noise = 1;
  /** What is being said, and how far it has come. */
  let sound: Int16Array | undefined;
  let played = 0;
  let isMaking = false;
  let lines = [...contact.says];
  let greets = contact.greeting !== undefined;
  let beeps = contact.answerer === "voicemail";
  let doneAtMs = 0;
  /** The agent's current or latest speech. */
  let spokeMs = 0;
  let speechAtMs: number | undefined;
  let quietSinceMs = 0;
  let hasSpoken = false;

  const speak = (making: Promise<SpokenLine>) => {
    isMaking = true;
    making.then(
      (line) => {
        sound = line.samples;
        played = 0;
        isMaking = false;
        // Its first sample is in the next frame.
        report?.(line, atMs);
      },
      () => events?.ended(),
    );
  };

  const listen = () => {
    let power = 0;
    for (const sample of heard) power += sample * sample;
    if (power / FRAME_SAMPLES >= SPEECH_POWER) {
      if (spokeMs === 0) speechAtMs = atMs;
      spokeMs += FRAME_MS;
      quietSinceMs = atMs + FRAME_MS;
    } else if (atMs - quietSinceMs >= PAUSE_MS) {
      if (spokeMs >= SPOKE_MS) hasSpoken = true;
      spokeMs = 0;
    }
  };

  const think = () => {
    if (contact.hangsUpAtMs !== undefined && atMs >= contact.hangsUpAtMs) return events?.ended();
    if (sound !== undefined || isMaking) return;
    if (greets) {
      if (atMs < HELLO_AFTER_MS) return;
      greets = false;
      return speak(say(contact.greeting!));
    }
    if (isMailbox) {
      if (beeps && atMs - doneAtMs >= BEEP_AFTER_MS) {
        beeps = false;
        return speak(Promise.resolve({ samples: beep(), words: [] }));
      }
      const since = Math.max(doneAtMs, quietSinceMs);
      if (!beeps && atMs - since >= MAILBOX_ENDS_MS) events?.ended();
      return;
    }
    const interrupts = contact.interruptsAfterMs !== undefined && spokeMs >= contact.interruptsAfterMs;
    const waited = atMs - Math.max(quietSinceMs, doneAtMs) >= (contact.answersAfterMs ?? ANSWERS_AFTER_MS);
    if (lines.length > 0 && (interrupts || (hasSpoken && spokeMs === 0 && waited))) {
      hasSpoken = false;
      spokeMs = 0;
      const [line, ...rest] = lines;
      lines = rest;
      return speak(say(line!));
    }
    const isDone = lines.length === 0 && hasSpoken && spokeMs === 0 && waited;
    if (contact.hangsUpWhenDone && isDone && speechAtMs !== undefined && speechAtMs >= doneAtMs) events?.ended();
  };

  const fill = () => {
    for (let i = 0; i < FRAME_SAMPLES; i++) {
      // A linear congruential generator (Numerical Recipes): a hiss, the same in every run.
      noise = (Math.imul(noise, 1_664_525) + 1_013_904_223) | 0;
      frame[i] = Math.round((noise / 2 ** 31) * NOISE);
    }
    if (sound === undefined) return;
    const part = sound.subarray(played, played + FRAME_SAMPLES);
    for (let i = 0; i < part.length; i++) frame[i] = frame[i]! + part[i]!;
    played += FRAME_SAMPLES;
    if (played < sound.length) return;
    sound = undefined;
    doneAtMs = atMs + FRAME_MS;
  };

  return {
    listen(on) {
      events = on;
    },
    send(ulaw) {
      if (!events) return;
      decodeUlaw(ulaw, heard);
      listen();
      think();
      fill();
      encodeUlaw(frame, coded);
      events?.packet(sequence, (sequence * FRAME_SAMPLES) >>> 0, coded);
      sequence = (sequence + 1) & 0xffff;
      atMs += FRAME_MS;
    },
    clear() {},
    dtmf() {},
    close() {
      events = undefined;
    },
  };
}

function beep(): Int16Array {
  return Int16Array.from(
    { length: (BEEP_MS * G711_RATE) / 1_000 },
    (_, i) => 12_000 * Math.sin((2 * Math.PI * BEEP_HZ * i) / G711_RATE),
  );
}
