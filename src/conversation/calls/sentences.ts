/** Never the end of a sentence: a name or a number follows. */
const BEFORE_NAMES = new Set(
  "mr mrs ms mx dr prof st mt ft gen sen rep gov lt col capt sgt rev hon sr sra srta dra mme mlle vs viz approx no nr fig art ext e.g i.e eg ie cf al".split(
    " ",
  ),
);
/** May end a sentence: a capital after it decides, so that the sentence waits for one more letter. */
const MAYBE_LAST = new Set(
  "inc ltd co corp llc jr ave blvd rd dept est etc a.m p.m am pm u.s u.k d.c usa jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thurs fri sat sun".split(
    " ",
  ),
);
/** "3 p.m. Tuesday" is one thought. */
const DAY = /^(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|^(?:eastern|central|mountain|pacific)\b/i;

/** Without a full stop for so long a text is cut at a comma or a space: a voice has to begin somewhere. */
const MAX_LENGTH = 240;
/** The weekday after "p.m." is known after this many letters. */
const LOOK_AHEAD = 10;

const MARKS = ".!?…。！？";
const CLOSERS = "\"'”’»)]*_";
const isSpace = (char: string): boolean => /\s/.test(char);

export type SentenceSplitter = {
  /** Takes what came and gives the sentences that are whole by it, in order. */
  push(delta: string): string[];
  /** What is left, whole or not. */
  end(): string[];
};

/**
 * Cuts a text that comes in pieces into sentences, each as soon as it is certain to be over: at the space after its mark, one letter later where
 * the mark may belong to an abbreviation ("Acme Inc. is", "Dr. Lee", "at 3 p.m. Tuesday") or an ellipsis. Decimals, addresses and
 * hosts have no space after their dots. Nothing is lost or changed: all that comes out, joined, is what went in.
 */
export function sentenceSplitter(): SentenceSplitter {
  let text = "";
  /** No sentence ends before this place. */
  let seen = 0;

  function take(length: number): string {
    const sentence = text.slice(0, length);
    text = text.slice(length);
    seen = 0;
    return sentence;
  }

  return {
    push(delta) {
      text += delta;
      const sentences: string[] = [];
      while (true) {
        const found = endOf(text, seen);
        if (found.end !== undefined) sentences.push(take(found.end));
        else {
          seen = found.seen;
          if (text.length <= MAX_LENGTH) return sentences;
          sentences.push(take(cutOf(text)));
        }
      }
    },
    end: () => (text === "" ? [] : [take(text.length)]),
  };
}

/** Where the first sentence ends, its white space included, or how far there is certainly no end. */
function endOf(text: string, from: number): { end: number; seen?: undefined } | { end?: undefined; seen: number } {
  // Past this it is cut anyway, as it is when it comes in pieces.
  const last = Math.min(text.length, MAX_LENGTH + 1);
  const first = text.slice(0, last).search(/\S/);
  for (let at = from; at < last; at++) {
    const char = text[at]!;
    if (char === "\n") {
      if (first >= 0 && first < at) return { end: at + 1 };
      continue;
    }
    if (!MARKS.includes(char)) continue;
    let after = at + 1;
    while (after < text.length && (MARKS + CLOSERS).includes(text[after]!)) after++;
    // What comes next decides.
    if (after >= text.length) return { seen: at };
    const wide = "。！？".includes(char);
    if (!wide && !isSpace(text[after]!)) {
      at = after - 1;
      continue;
    }
    const verdict = wide ? "end" : endsAt(text, at, after);
    if (verdict === "wait") return { seen: at };
    if (verdict === "end") return { end: wide ? after : after + 1 };
    at = after - 1;
  }
  return { seen: last };
}

/** What is longer is no title, initial or number. */
const LONGEST_TOKEN = 40;

/** Whether the mark at `at`, with a space at `after`, ends the sentence. */
function endsAt(text: string, at: number, after: number): "end" | "wait" | "no" {
  const run = text.slice(at, after);
  const dots = /^\.{2,}|…/.test(run);
  if (!dots && !run.startsWith(".")) return "end";
  const token = text
    .slice(Math.max(0, at - LONGEST_TOKEN), at)
    .split(/\s/)
    .at(-1)!
    .replace(/^[("'“‘«[*_]+/, "");
  const word = token.toLowerCase();
  if (!dots) {
    if (token === "" || BEFORE_NAMES.has(word)) return "no";
    // Initials (J. Smith), and the number of a list's item ("1. Call").
    if (/^\p{Lu}$/u.test(token) && token !== "I") return "no";
    if (/^\d{1,2}$/.test(token) && text.slice(0, at).trim() === token) return "no";
    if (!MAYBE_LAST.has(word)) return "end";
  }
  const next = text.slice(after).trimStart();
  if (next === "") return "wait";
  if (!/^[\p{Lu}\p{N}"“¿¡(]/u.test(next)) return "no";
  if (/^[ap]\.?m$/.test(word)) {
    if (next.length < LOOK_AHEAD && !isSettled(next)) return "wait";
    return DAY.test(next) ? "no" : "end";
  }
  return "end";
}

/** A first word that is whole. */
const isSettled = (next: string): boolean => /^\S+\s/.test(next);

/** Where a text without an end is cut best: after a comma or its like, else after a space, and in a long word anywhere. */
function cutOf(text: string): number {
  const head = text.slice(0, MAX_LENGTH);
  const clause = Math.max(...[", ", "; ", ": ", " — ", " – "].map((mark) => head.lastIndexOf(mark) + mark.length));
  if (clause > MAX_LENGTH / 3) return clause;
  const space = head.lastIndexOf(" ") + 1;
  if (space > 1) return space;
  // Not between the halves of a letter.
  return /[\ud800-\udbff]$/.test(head) ? MAX_LENGTH - 1 : MAX_LENGTH;
}
