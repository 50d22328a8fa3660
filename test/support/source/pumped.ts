import assert from "node:assert/strict";

/** A function that takes other people's text. */
export type Pumped = {
  name: string;
  /** The longest text that reaches it. */
  limit: number;
  /** Its answer and what it throws do not matter here. */
  run: (text: string) => unknown;
  /** Beside PUMPS. */
  pumps?: readonly string[];
};

/** At the limit a text may take this long. */
const MOST_MS = 40;
/** Of twice the length, as a multiple. Less than MEASURABLE_MS is too little to measure. */
const MOST_RATIO = 2.5;
const MEASURABLE_MS = 2;
/** Both on a machine that counts the words of ORDINARY in COUNTED_MS or less. A slower one has as much longer as it takes for that. */
const COUNTED_MS = 1;
const SOON_MS = MOST_MS / 8;
/**
 * Of a text this many times as long, as a multiple. A step of the engine (a cache that is full, an array too large for
 * the young generation, a collection of garbage) can make twice the length look like a square; over sixteen times the
 * length a square takes 256 times as long, and a step is one step.
 */
const LONGER = 16;
const MOST_RATIO_LONGER = 4 * LONGER;
const RUNS = 2;
const MOST_RUNS = 40;
const MOST_LONGER_RUNS = 10;

/** What people write. */
const ORDINARY =
  "Could you call me on Monday at 5 pm? My roof is 12 years old, and I live in Phoenix. I own the house with my wife; " +
  "we'd like to sell it before June for about $450,000, but not through an agent who takes 6 percent. ";
/** Words of which none is another, more than the longest message has: nothing that is kept of a word helps. */
const DIFFERENT = Array.from(
  { length: 800 },
  (_, word) => `${((word + 1) * 7_919).toString(26).padStart(4, "q")} `,
).join("");

/** What patterns stumble over when it comes again and again: every kind of character, and the words that ours look for. */
export const PUMPS: readonly string[] = [
  ..." \t\n\r.,!?;:=-_'\"“«<>[({})&#@/\\+*~`|%$0a\u00e9Я".split(""),
  ..."🛑✋\ufe0f\u0301\u200d\u00a0",
  ..."uhmostxvw".split(""),
  "👨‍👩‍👧",
  "\r\n",
  " \n",
  "{{",
  "}}",
  "{{a}}",
  "**",
  "``",
  "[](",
  "“a",
  ".-",
  "a@",
  "a.",
  "-%",
  "j+",
  "www.a.",
  "http://",
  "[.]",
  " dot ",
  "1,",
  "0,0",
  "1. ",
  "(5) ",
  "=0#A",
  "x=",
  "a:",
  "oh ",
  "uh ",
  "wow mhm ",
  "one ",
  "double ",
  "at 5 ",
  "monday ",
  "next week ",
  "very ",
  "any new ",
  "not accept ",
  "chat to ",
  "call me ",
  "my name is ",
  "I live in ",
  "between 1 and ",
  "stop ",
  "this stop my ",
  "not interested ",
  "never ask ",
  "told you ",
  "please ",
  "revoke",
  "no me ",
  "reply stop to ",
  "On a wrote:",
  "liked “",
  "i am a ",
  "hello ",
  "system:",
  "<a",
  ORDINARY,
  DIFFERENT,
];
const ENDS = ["", "x", "\u0000!"];

/**
 * Asserts that no text holds `pumped`: time grows as the text does, and the longest text takes little. Answers what took longest. In a sample only
 * what takes longer than SOON_MS at the limit is measured again, and at other lengths.
 */
export function assertLinear(pumped: Pumped, isSample = false): { pump: string; ms: number; ratio: number } {
  let worst = { pump: "", ms: 0, ratio: 0 };
  for (const pump of [...PUMPS, ...(pumped.pumps ?? [])]) {
    for (const end of isSample ? ENDS.slice(0, 1) : ENDS) {
      const of = (length: number) => pump.repeat(Math.ceil(length / pump.length)).slice(0, length - end.length) + end;
      const once = stopwatch(pumped, of(pumped.limit));
      const twice = stopwatch(pumped, of(2 * pumped.limit));
      const longer = stopwatch(pumped, of(LONGER * pumped.limit));
      const counted = stopwatch({ run: wordsCounted }, COUNTED);
      const slowness = () => Math.max(1, counted.leastMs() / COUNTED_MS);
      const mostMs = () => MOST_MS * slowness();
      const measurableMs = () => MEASURABLE_MS * slowness();
      const onceMs = () => Math.max(once.leastMs(), measurableMs() / MOST_RATIO);
      const ratio = () => twice.leastMs() / onceMs();
      const isLinear = () => twice.leastMs() < measurableMs() || ratio() <= MOST_RATIO;
      const isLinearOverall = () => longer.leastMs() <= MOST_RATIO_LONGER * onceMs();
      const isFine = () => once.leastMs() < mostMs() && (isLinear() || isLinearOverall());
      if (isSample) once.run();
      if (isSample && once.leastMs() < SOON_MS) continue;
      // Whatever else the machine does makes a run longer, never shorter: only what no run refutes is so.
      for (let run = 0; run < MOST_RUNS && (run < RUNS || !isFine()); run++) {
        counted.run();
        once.run();
        if (once.leastMs() < 5 * mostMs()) twice.run();
        if (run >= RUNS && run < RUNS + MOST_LONGER_RUNS && twice.leastMs() < 5 * mostMs()) longer.run();
      }
      const ms = once.leastMs();
      const text = `${pumped.name} with ${JSON.stringify(pump.slice(0, 40))} again and again, and ${JSON.stringify(end)}`;
      assert.ok(
        isFine(),
        `${text}: ${ms.toFixed(2)} ms for ${pumped.limit} characters, ${ratio().toFixed(1)} times as long for twice as many`,
      );
      if (ms >= worst.ms) worst = { pump: pump.slice(0, 40), ms, ratio: ratio() };
    }
  }
  return worst;
}

/** The same work each time, of the kind that reading texts is: what it takes says how fast the machine is at the moment. */
function wordsCounted(text: string): number {
  const counts = new Map<string, number>();
  for (const [found] of text.matchAll(/[a-z']+|\d+/gi)) {
    const word = found.toLowerCase();
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts.size;
}

const COUNTED = ORDINARY.repeat(300);
// Before the compiler has done its part it takes longer on every machine.
for (let run = 0; run < MOST_RUNS; run++) wordsCounted(COUNTED);

function stopwatch({ run }: Pick<Pumped, "run">, text: string): { run(): void; leastMs(): number } {
  let least = Number.POSITIVE_INFINITY;
  return {
    run() {
      const begin = performance.now();
      try {
        run(text);
      } catch {
        // Refused is answered, too.
      }
      least = Math.min(least, performance.now() - begin);
    },
    leastMs: () => least,
  };
}
