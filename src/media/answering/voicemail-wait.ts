/** From the beep to the first word: machines do not record earlier sound. */
const AFTER_BEEP_MS = 400;
/** No greeting is longer; after this the message is left in any case. */
const LONGEST_GREETING_MS = 30_000;
/** After this much silence the beep is taken to have been missed. */
const SILENT_MS = 4_000;
/** Speech of this length in the middle of our message was the greeting going on. */
const RESUMED_MS = 700;
/** How often the message is begun: a machine that still talks after the third start is not recording. */
const MOST_STARTS = 3;

/** What to do now: begin the message, or stop it and wait, since the greeting goes on. */
export type VoicemailOrder = "speak" | "stop";

/**
 * When to leave a message: 400 ms after the beep, from the beginning again when the greeting goes on. States: waiting, speaking. Times are
 * the call's milliseconds and never go back.
 */
export type VoicemailWait = {
  /** A beep ended at this time. */
  beep(endMs: number): void;
  speech(atMs: number): void;
  silence(sinceMs: number): void;
  /** To be called every frame until the message has been left. */
  check(nowMs: number): VoicemailOrder | undefined;
};

/** `startMs` is when it was known to be a voicemail; `silentMs` since when it is silent then, undefined while it speaks. */
export function createVoicemailWait(startMs: number, silentMs?: number): VoicemailWait {
  let isSpeaking = false;
  let starts = 0;
  let beepMs = -1;
  /** When the machine's speech began and ended; -1 while it does not, or speaks. */
  let speechMs = silentMs === undefined ? startMs : -1;
  let quietMs = silentMs ?? -1;

  return {
    beep(endMs) {
      if (!isSpeaking) beepMs = endMs;
    },
    speech(atMs) {
      speechMs = atMs;
      quietMs = -1;
    },
    silence(sinceMs) {
      speechMs = -1;
      quietMs = sinceMs;
    },
    check(nowMs) {
      if (isSpeaking) {
        if (speechMs < 0 || nowMs - speechMs < RESUMED_MS || starts >= MOST_STARTS) return undefined;
        if (nowMs - startMs >= LONGEST_GREETING_MS) return undefined;
        isSpeaking = false;
        beepMs = -1;
        return "stop";
      }
      const isTime =
        (beepMs >= 0 && nowMs >= beepMs + AFTER_BEEP_MS) ||
        (quietMs >= 0 && nowMs - Math.max(quietMs, startMs) >= SILENT_MS) ||
        nowMs - startMs >= LONGEST_GREETING_MS;
      if (!isTime) return undefined;
      isSpeaking = true;
      starts += 1;
      // Speech that began before the message is counted from now on only.
      speechMs = speechMs < 0 ? -1 : nowMs;
      return "speak";
    },
  };
}
