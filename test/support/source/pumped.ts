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
const MOST_MS = 20;
/** Of twice the length, as a multiple. Less than MEASURABLE_MS is too little to measure. */
const MOST_RATIO = 2.5;
const MEASURABLE_MS = 2;
/** Both on a machine that counts to WALK in WALK_MS or less. A slower one has as much longer as it takes for that. */
const WALK = 1_000_000;
const WALK_MS = 2;
const SOON_MS = MOST_MS / 4;
/**
 * Of a text this many times as long, as a multiple. A step of the engine (a cache that is full, an array too large for
 * the young generation, a collection of garbage) can make twice the length look like a square; over sixteen times the
 * length a square takes 256 times as long, and a step is one step.
 */
const LONGER = 16;
const MOST_RATIO_LONGER = 4 * LONGER;
const RUNS = 3;
const MOST_RUNS = 40;
const MOST_LONGER_RUNS = 10;

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
      const of = (length: number) => pump.repeat(Math.max(1, Math.floor((length - end.length) / pump.length))) + end;
      const once = stopwatch(pumped, of(pumped.limit));
      const twice = stopwatch(pumped, of(2 * pumped.limit));
      const longer = stopwatch(pumped, of(LONGER * pumped.limit));
      const walk = stopwatch({ run: walked }, "");
      const slowness = () => Math.max(1, walk.leastMs() / WALK_MS);
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
        walk.run();
        once.run();
        if (once.leastMs() < 5 * mostMs()) twice.run();
        if (run >= RUNS && run < RUNS + MOST_LONGER_RUNS && twice.leastMs() < 5 * mostMs()) longer.run();
      }
      const ms = once.leastMs();
      const text = `${pumped.name} with ${JSON.stringify(pump)} again and again, and ${JSON.stringify(end)}`;
      assert.ok(
        isFine(),
        `${text}: ${ms.toFixed(2)} ms for ${pumped.limit} characters, ${ratio().toFixed(1)} times as long for twice as many`,
      );
      if (ms >= worst.ms) worst = { pump, ms, ratio: ratio() };
    }
  }
  return worst;
}

/** The same work each time, of a compiled loop: what it takes says how fast the machine is at the moment. */
function walked(): number {
  let sum = 0;
  for (let i = 0; i < WALK; i++) sum = (Math.imul(sum, 31) + i) | 0;
  return sum;
}

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
