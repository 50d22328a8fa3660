/** People say their hello in less, ... */
const HELLO_MS = 2_500;
/** ... and then wait for an answer. */
const WAITS_MS = 500;
/** A company's greeting by a person is longer, and waits too; a recording goes on past this. */
const RECORDING_MS = 4_000;
/** A recording begins soon after the answer. Who speaks later has listened first, and answers at whatever length. */
const RECORDING_BEGINS_MS = 4_000;
/** After so much speech a pause is a breath unless it is this long. */
const LONG_WAITS_MS = 900;
/** What was taken for a recording and then says nothing and does not beep is a person who waits. */
const NO_BEEP_MS = 2_000;
/** Nobody has said anything: someone listens, and it is our turn. */
const NOTHING_MS = 1_200;
/** A telephone that goes on ringing after the answer rings again after this long. */
const RING_MS = 5_000;

export type CadenceVerdict = { answerer: "human" | "voicemail"; isSure: boolean };

/**
 * Who answered, judged by the rhythm of speech alone, so that a verdict never depends on a transcript: a hello and a pause are a person,
 * speech without a pause is a recording. Times are milliseconds since the answer.
 */
export type Cadence = {
  speech(atMs: number): void;
  silence(sinceMs: number): void;
  /** A ringback tone was detected: nobody has answered yet. */
  rings(atMs: number): void;
  /** What it looks like now; undefined while it may be either. */
  check(nowMs: number): CadenceVerdict | undefined;
  isSpeaking(): boolean;
  /** How long nothing has been said; 0 while something is. */
  pauseMs(nowMs: number): number;
};

export function createCadence(): Cadence {
  let isSpeaking = false;
  /** Of the utterance that pauses of less than half a second do not end. */
  let beganMs = -1;
  let silentMs = 0;
  let ringsUntilMs = 0;

  const pauseMs = (nowMs: number) => (isSpeaking ? 0 : nowMs - silentMs);

  return {
    isSpeaking: () => isSpeaking,
    pauseMs,
    speech(atMs) {
      if (beganMs < 0 || (!isSpeaking && atMs - silentMs >= WAITS_MS)) beganMs = atMs;
      isSpeaking = true;
    },
    silence(sinceMs) {
      isSpeaking = false;
      silentMs = sinceMs;
    },
    rings(atMs) {
      ringsUntilMs = atMs + RING_MS;
    },
    check(nowMs) {
      if (beganMs < 0)
        return nowMs < NOTHING_MS || nowMs < ringsUntilMs ? undefined : { answerer: "human", isSure: false };
      const spokenMs = (isSpeaking ? nowMs : silentMs) - beganMs;
      const pause = pauseMs(nowMs);
      if (spokenMs >= RECORDING_MS && beganMs <= RECORDING_BEGINS_MS) {
        return { answerer: pause >= NO_BEEP_MS ? "human" : "voicemail", isSure: false };
      }
      if (spokenMs <= HELLO_MS) return pause >= WAITS_MS ? { answerer: "human", isSure: true } : undefined;
      return pause >= LONG_WAITS_MS ? { answerer: "human", isSure: false } : undefined;
    },
  };
}
