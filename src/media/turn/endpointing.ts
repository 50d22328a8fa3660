import { foldText } from "#domain/values/fold.ts";

/** A pause that ends a turn of which nothing is known: quick agents wait for the shorter one, patient ones for the longer. */
const QUICK_MS = 500;
const PATIENT_MS = 700;
/** A finished sentence, or a short answer to what the agent asked, needs less: the wait is felt most after these. */
const FINISHED = 0.6;
/** Who says "um", or breaks off at "and", is not done: people think for about a second. */
const UNFINISHED_MS = 700;
/** Numbers are read out in groups, with pauses of half a second and more between them. */
const DIGITS_MS = 800;
/** Digits of a whole American phone number, without and with its 1. */
const PHONE_DIGITS = [10, 11];
/** From this many digits on they are a number that is being read out, not an age or a time. */
const READ_OUT = 3;

const HESITATION =
  /(?:^| )(?:u+h*m+|u+h+|e+r+m*|h+m+|mm+|well|like|so|you know|let me see|let me think|hold on|hang on)$/;
/** Words that nobody ends on. */
const DANGLING =
  /(?:^| )(?:and|but|or|because|cause|if|when|while|that|which|who|where|the|a|an|my|your|our|their|his|its|to|for|of|at|in|on|with|from|by|about|is|are|was|im|its|i|we|can you|could you|would|id|ill|gonna|going to|wanna|want to|need to|not|very|really|maybe|also|then|than|as|uh)$/;
const BROKEN_OFF = /(?:,|\.\.\.|…|-|–|—|:)\s*$/;
const SENTENCE = /[.?!]["')]?\s*$/;
/** Whole answers by themselves. */
const ANSWER =
  /^(?:(?:yes|yeah|yep|yup|no|nope|nah|sure|okay|ok|right|correct|exactly|absolutely|definitely|of course|please|thanks|thank you|hello|hi|hey|bye|goodbye|fine|great|good|perfect|i do|i dont|i am|im not|thats right|thats correct|thats me|thats fine|sounds good|this is (?:he|she|him|her)|speaking|not interested|no thank you|i dont know|maybe|never|always)(?: |$))+$/;
/** How many digits a word stands for; `double four` is two words. */
const DIGIT_WORDS: ReadonlyMap<string, number> = new Map([
  ..."zero oh one two three four five six seven eight nine double".split(" ").map((word) => [word, 1] as const),
  ["triple", 2],
]);

/** How a turn stands by its words so far. */
export type TurnWords = "finished" | "open" | "unfinished" | "digits";

/** Whether the words sound finished; "open" when that cannot be said, as without punctuation. */
export function turnWordsOf(said: string): TurnWords {
  const words = foldText(said);
  if (words === "") return "open";
  const digits = digitsAtTheEnd(words);
  if (PHONE_DIGITS.includes(digits)) return "finished";
  if (digits >= READ_OUT) return "digits";
  if (BROKEN_OFF.test(said) || HESITATION.test(words)) return "unfinished";
  if (SENTENCE.test(said) || ANSWER.test(words)) return "finished";
  return DANGLING.test(words) ? "unfinished" : "open";
}

function digitsAtTheEnd(words: string): number {
  let count = 0;
  for (const word of words.split(" ").toReversed()) {
    const digits = /^\d+$/.test(word) ? word.length : DIGIT_WORDS.get(word);
    if (digits === undefined) break;
    count += digits;
  }
  return count;
}

/** The pause in milliseconds after which a turn with these words is taken for ended. `responsiveness` is from 0 (patient) to 1 (quick). */
export function endpointMs(said: string, responsiveness: number): number {
  const base = PATIENT_MS - (PATIENT_MS - QUICK_MS) * responsiveness;
  switch (turnWordsOf(said)) {
    case "finished":
      return Math.round(base * FINISHED);
    case "unfinished":
      return Math.round(base + UNFINISHED_MS);
    case "digits":
      return Math.round(base + DIGITS_MS);
    default:
      return Math.round(base);
  }
}

/** The contact's turn was over at `endedMs`, which is when they fell silent; it was known at `atMs`. */
export type TurnEnd = { said: string; startedMs: number; endedMs: number; atMs: number };

/**
 * When the contact's turn is over. States: idle, speaking, pausing; a turn begins with speech, and ends when a pause has lasted as long as the
 * words so far require. Times are the call's milliseconds and never go back.
 */
export type Endpointing = {
  /** Speech has begun, or gone on after a pause. */
  speech(atMs: number): void;
  /** Speech has stopped: at the time of its last sound. */
  silence(sinceMs: number): void;
  /** All the words of this turn so far; also those that speech-to-text corrects or delivers late. */
  words(said: string): void;
  /** To be called every frame; returns the turn's end once. */
  check(nowMs: number): TurnEnd | undefined;
  /** When the turn will end if the silence goes on; undefined while there is none. */
  dueMs(): number | undefined;
  isSpeaking(): boolean;
  /** Forgets the turn: it was no turn, or has been taken otherwise. */
  reset(): void;
};

export function createEndpointing(responsiveness: number): Endpointing {
  let state: "idle" | "speaking" | "pausing" = "idle";
  let startedMs = 0;
  let silentMs = 0;
  let said = "";
  let waitMs = endpointMs("", responsiveness);

  const reset = () => {
    state = "idle";
    said = "";
    waitMs = endpointMs("", responsiveness);
  };

  return {
    reset,
    isSpeaking: () => state === "speaking",
    dueMs: () => (state === "pausing" ? silentMs + waitMs : undefined),
    speech(atMs) {
      if (state === "idle") startedMs = atMs;
      state = "speaking";
    },
    silence(sinceMs) {
      if (state !== "speaking") return;
      state = "pausing";
      silentMs = sinceMs;
    },
    words(text) {
      if (text === said) return;
      said = text;
      waitMs = endpointMs(text, responsiveness);
    },
    check(nowMs) {
      if (state !== "pausing" || nowMs < silentMs + waitMs) return undefined;
      const end = { said, startedMs, endedMs: silentMs, atMs: nowMs };
      reset();
      return end;
    },
  };
}
