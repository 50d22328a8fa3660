import assert from "node:assert/strict";
import { test } from "node:test";
import { processorMs } from "#test/support/processor-ms.ts";
import { PUMPED_SIP, type Pump, type PumpedReader } from "#test/support/pumped-sip.ts";

/** Twice the length may take so many times as long: a reader that looks at everything once takes twice. */
const MOST_GROWTH = 2.5;
/** What takes less than this is measured too roughly to compare. */
const IGNORED_MS = 1;
/** At the limit. */
const MOST_MS = 20;
/** The first runs have the compiler's work in them, others a collection of garbage: the shortest of a length counts, and more are made while it looks wrong. */
const MOST_RUNS = 40;

const pumped = ({ before = "", pump, after = "" }: Pump, length: number): string =>
  before + pump.repeat(Math.max(0, Math.floor((length - before.length - after.length) / pump.length))) + after;

/** What is wrong with how long a reader takes; undefined for nothing. */
function problemOf({ run, limit }: PumpedReader, pump: Pump): string | undefined {
  const texts = [pumped(pump, limit / 2), pumped(pump, limit)];
  let [half, whole] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let runs = 0; runs < MOST_RUNS; runs++) {
    const [halfMs, wholeMs] = texts.map((text) => processorMs(() => void run(text)));
    [half, whole] = [Math.min(half, halfMs!), Math.min(whole, wholeMs!)];
    if (whole <= MOST_MS && whole / Math.max(half, IGNORED_MS) <= MOST_GROWTH) return undefined;
  }
  return `${JSON.stringify(pump).slice(0, 300)}: ${half.toFixed(1)} ms, then ${whole.toFixed(1)} ms`;
}

for (const reader of PUMPED_SIP) {
  test(`${reader.name}: twice the text takes twice the time, and the longest takes no time to speak of`, () => {
    const problems = reader.pumps.map((pump) => problemOf(reader, pump));
    assert.deepEqual(
      problems.filter((it) => it !== undefined),
      [],
    );
  });
}
