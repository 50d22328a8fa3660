import type { ToneEvent } from "#media/audio/tones.ts";
import type { CallSession } from "#media/turn/call-session.ts";
import type { TurnTranscript } from "#media/turn/transcript.ts";
import { createVoicemailWait, type VoicemailWait } from "./voicemail-wait.ts";
import { createWhoAnswered } from "./who-answered.ts";

/** As long as a verdict may be corrected, and a beep is awaited after the latest. */
const TONES_FOR_MS = 31_000;

/**
 * The first half minute of a call: who answered, when the agent's first words are due, and when a mailbox is listening. Hears what the session
 * hears, and tells it. Times are milliseconds since the answer.
 */
export type Opening = {
  tick(nowMs: number): void;
  speech(edge: "onset" | "offset", atMs: number): void;
  /** All the words of the contact's current turn, as far as they are known. */
  words(text: string): void;
  /** The contact's turn is over: what is said next is another's words. */
  turn(): void;
  tone(event: ToneEvent): void;
  /** Tones are looked for: later, what beeps is a microwave. */
  wantsTones(nowMs: number): boolean;
};

export type OpeningParts = {
  /** Who has called us is a person, and waits for us to speak. */
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
  /** A beep may be what the verdict came by: the wait that it begins has to know of it. */
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
