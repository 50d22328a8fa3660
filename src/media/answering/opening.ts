import type { ToneEvent } from "#media/audio/tones.ts";
import type { CallSession } from "#media/turn/call-session.ts";
import type { TurnTranscript } from "#media/turn/transcript.ts";
import { createVoicemailWait, type VoicemailWait } from "./voicemail-wait.ts";
import { createWhoAnswered } from "./who-answered.ts";

/** A verdict may be corrected for 30 s; a beep right at the end of that is still detected. */
const TONES_FOR_MS = 31_000;

/**
 * The first half minute of a call: who answered, when the agent greets, and when a voicemail records. Gets the same events as the session, and
 * calls it with what follows from them. Times are milliseconds since the answer.
 */
export type Opening = {
  tick(nowMs: number): void;
  speech(edge: "onset" | "offset", atMs: number): void;
  /** All the words of the contact's current turn, as far as they are known. */
  words(text: string): void;
  /** The contact's turn is over: the next words belong to a new turn. */
  turn(): void;
  tone(event: ToneEvent): void;
  /** Whether tones are still detected: later in a call a beep is not a voicemail's. */
  wantsTones(nowMs: number): boolean;
};

export type OpeningParts = {
  /** An inbound caller is taken for a person, and is greeted at once. */
  direction: "outbound" | "inbound";
  detectVoicemail: boolean;
  session: Pick<CallSession, "greet" | "answeredBy" | "leaveMessage" | "stopMessage">;
  turnTranscript: Pick<TurnTranscript, "isWaiting">;
};

export function opening({ direction, detectVoicemail, session, turnTranscript }: OpeningParts): Opening {
  if (direction === "inbound") {
    return { tick: () => session.greet(), speech() {}, words() {}, turn() {}, tone() {}, wantsTones: () => false };
  }
  const who = createWhoAnswered();
  let before = "";
  let now = "";
  let silentSinceMs: number | undefined = 0;
  let wait: VoicemailWait | undefined;
  /** The last beep: it may have caused the verdict "voicemail", and is then passed on to the wait that begins. */
  let beepMs: number | undefined;

  return {
    tick(nowMs) {
      const verdict = who.check(nowMs, turnTranscript.isWaiting());
      if (verdict) {
        session.answeredBy(verdict.answerer);
        const isMailbox = detectVoicemail && verdict.answerer === "voicemail";
        wait = isMailbox ? createVoicemailWait(nowMs, silentSinceMs) : undefined;
        if (wait && beepMs !== undefined) wait.beep(beepMs);
        if (!isMailbox) session.greet();
      }
      const order = wait?.check(nowMs);
      if (order === "speak") session.leaveMessage();
      else if (order === "stop") session.stopMessage();
    },
    speech(edge, atMs) {
      if (edge === "onset") {
        silentSinceMs = undefined;
        who.speech(atMs);
        wait?.speech(atMs);
      } else {
        silentSinceMs = atMs;
        who.silence(atMs);
        wait?.silence(atMs);
      }
    },
    words(text) {
      now = text;
      who.words(`${before} ${now}`.trim());
    },
    turn() {
      before = `${before} ${now}`.trim();
      now = "";
    },
    tone(event) {
      who.tone(event);
      if (event.kind !== "beep") return;
      beepMs = event.endMs;
      wait?.beep(event.endMs);
    },
    wantsTones: (nowMs) => nowMs <= TONES_FOR_MS || wait !== undefined,
  };
}
