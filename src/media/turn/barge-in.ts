import { foldText } from "#domain/values/fold.ts";

/** Speech that stops an agent: at a sensitivity of 1, and at 0.1. In between it goes evenly. */
const EAGER_MS = 150;
const STUBBORN_MS = 800;
const STUBBORN = 0.1;
/** From here on the agent falls silent at the sound and waits for the words; below it speaks on until there are two. */
const HOLDS_AT_ONCE = 0.5;
/** A sound without words was a cough, or someone else in the room: the agent goes on after this much silence. */
const NO_WORDS_MS = 700;
/** Speech of this length takes the turn, even if no word was recognised. */
const SURELY_SPEAKING_MS = 1_500;

/** Said while listening, not to take the turn. */
const BACKCHANNEL =
  /^(?:(?:u+h+(?:u+h+)?|h+u+h+|mm+(?:h+m+)?|mh+m+|h+m+|u+m+|ah+|oh+|ok|okay|kay|yeah|yep|yes|yup|right|sure|alright|all right|got it|i see|cool|great|good|nice|wow|really|true|exactly|go on|thanks|thank you)(?: |$))+$/;

/** Whether these are only sounds of listening. More than four words are an answer. */
export function isBackchannel(said: string): boolean {
  const words = foldText(said);
  return words !== "" && words.split(" ").length <= 4 && BACKCHANNEL.test(words);
}

/** What the agent's voice is to do: fall silent for now, give the turn up, or go on where it stopped. */
export type BargeIn = "hold" | "yield" | "resume";

/**
 * Whether the contact takes the turn while the agent speaks. States: listening, held (the agent is silent, nothing is decided), yielded.
 * Times are the call's milliseconds and never go back.
 */
export type BargeInDetector = {
  /** The contact's speech has begun, and has stopped. */
  speech(atMs: number): void;
  silence(atMs: number): void;
  /** All the contact's words since that speech began. */
  words(said: string): void;
  /** To be called every frame while the agent has something to say: what to do now, if anything. */
  check(nowMs: number): BargeIn | undefined;
  /** The agent begins to speak: forgets what was said before. */
  reset(): void;
};

/** `sensitivity` as `interruption_sensitivity`: 1 yields most easily, 0 never. */
export function createBargeIn(sensitivity: number): BargeInDetector {
  const neededMs = EAGER_MS + ((STUBBORN_MS - EAGER_MS) * (1 - Math.max(sensitivity, STUBBORN))) / (1 - STUBBORN);
  const holdsAtOnce = sensitivity >= HOLDS_AT_ONCE;
  const neededWords = holdsAtOnce ? 1 : 2;

  let state: "listening" | "held" | "yielded" = "listening";
  let sinceMs = -1;
  let silentMs = -1;
  /** Speech before a gap counts with what follows: people breathe. */
  let beforeMs = 0;
  let count = 0;
  let isListening = false;

  const spokenMs = (nowMs: number) => beforeMs + (sinceMs >= 0 ? nowMs - sinceMs : 0);
  const countWords = (said: string) => {
    const words = foldText(said);
    count = words === "" ? 0 : words.split(" ").length;
    isListening = isBackchannel(said);
  };
  const reset = () => {
    state = "listening";
    silentMs = -1;
    beforeMs = 0;
    countWords("");
  };

  return {
    reset,
    speech(atMs) {
      if (sinceMs >= 0) return;
      sinceMs = atMs;
      silentMs = -1;
    },
    silence(atMs) {
      if (sinceMs < 0) return;
      beforeMs += Math.max(0, atMs - sinceMs);
      sinceMs = -1;
      silentMs = atMs;
    },
    words: countWords,
    check(nowMs) {
      if (sensitivity === 0 || state === "yielded") return undefined;
      const ms = spokenMs(nowMs);
      if (count >= neededWords && !isListening && ms >= neededMs) {
        state = "yielded";
        return "yield";
      }
      if (state === "listening") {
        const isOver = silentMs >= 0 && nowMs - silentMs >= NO_WORDS_MS;
        if (isOver) reset();
        else if (holdsAtOnce && sinceMs >= 0 && ms >= neededMs && !isListening) {
          state = "held";
          return "hold";
        }
        return undefined;
      }
      // Held: the sound was nothing, or it was "uh-huh", or it goes on and on.
      if (sinceMs >= 0 && ms >= SURELY_SPEAKING_MS && !isListening) {
        state = "yielded";
        return "yield";
      }
      if (isListening ? sinceMs < 0 : silentMs >= 0 && nowMs - silentMs >= NO_WORDS_MS) {
        reset();
        return "resume";
      }
      return undefined;
    },
  };
}
