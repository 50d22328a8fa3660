import assert from "node:assert/strict";
import { test } from "node:test";
import { processorMs } from "#test/support/processes/processor-ms.ts";
import { PUMPED_SIP, type Pump, type PumpedReader } from "#test/support/source/pumped-sip.ts";

/** Twice the length may take so many times as long: a reader that looks at everything once takes twice. */
const MOST_GROWTH = 2.5;
/** What takes less than this is measured too roughly to compare. */
const IGNORED_MS = 1;
/** At the limit. */
const MOST_MS = 20;
/** The first runs have the compiler's work in them, others a collection of garbage: the shortest of a length counts, and more are made while it looks wrong. */
const MOST_RUNS = 20;
/** Linux counts a thread's time by the tick, which is 4 ms at most: so many in a row are measured until they are this long together. */
const MEASURABLE_MS = 40;
/** Of fewer milliseconds each these are not worth more. */
const MOST_IN_A_ROW = MEASURABLE_MS / IGNORED_MS;

const pumped = ({ before = "", pump, after = "" }: Pump, length: number): string =>
  before + pump.repeat(Math.max(0, Math.floor((length - before.length - after.length) / pump.length))) + after;

/** How long one run of it takes, by as many as can be measured. */
function msOf(run: (text: string) => unknown, text: string): number {
  for (let times = 1; ; times = Math.min(MOST_IN_A_ROW, times * 4)) {
    const ms = processorMs(() => {
      for (let i = 0; i < times; i++) run(text);
    });
    if (ms >= MEASURABLE_MS || times === MOST_IN_A_ROW) return ms / times;
  }
}

/** What is wrong with how long a reader takes; undefined for nothing. */
function problemOf({ run, limit }: PumpedReader, pump: Pump): string | undefined {
  const [short, long, longer] = [limit / 2, limit, 2 * limit].map((length) => pumped(pump, length)) as [
    string,
    string,
    string,
  ];
  let [half, whole, double] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let runs = 0; runs < MOST_RUNS; runs++) {
    whole = Math.min(whole, msOf(run, long));
    if (whole <= IGNORED_MS) return undefined;
    half = Math.min(half, msOf(run, short));
    if (whole <= MOST_MS && whole / Math.max(half, IGNORED_MS) <= MOST_GROWTH) return undefined;
    // A cache that is full, or a collection of garbage, may look like a square once; a square goes on to be one.
    if (whole <= MOST_MS) {
      double = Math.min(double, msOf(run, longer));
      if (double / whole <= MOST_GROWTH) return undefined;
    }
    // No run of a busy machine is so long.
    if (whole > 10 * MOST_MS) break;
  }
  return `${JSON.stringify(pump).slice(0, 300)}: ${half.toFixed(1)} ms, then ${whole.toFixed(1)} ms, then ${double.toFixed(1)} ms`;
}

for (const reader of PUMPED_SIP) {
  test(`${reader.name}: twice the text takes twice the time, and the longest takes no time to speak of`, () => {
    const problems = reader.pumps.map((pump) => problemOf(reader, pump));
    assert.deepEqual(
      problems.filter((problem) => problem !== undefined),
      [],
    );
  });
}
