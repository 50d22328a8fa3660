import type { TestContext } from "node:test";
import { SEED } from "#test/support/source/draw.ts";

/** What was tried and what was found, for a machine; and for a person in one sentence. */
export type Report = { tried: Record<string, unknown>; found: Record<string, unknown>; says: string };

/** Options of \`npm run faults\`; without it a short version of everything runs. */
export const options = {
  long: process.env.PARLEY_TEST_FAULTS === "long",
  seed: Number(SEED),
  minutes: Number(process.env.PARLEY_TEST_MINUTES ?? 0),
  kills: Number(process.env.PARLEY_TEST_KILLS ?? 0),
  texts: Number(process.env.PARLEY_TEST_TEXTS ?? 0),
  rate: Number(process.env.PARLEY_TEST_RATE ?? 0),
  lost: Number(process.env.PARLEY_TEST_LOST ?? 0.03),
};

/** These take long whatever their size; `npm test` leaves them to `npm run faults`. */
const LONG_ONLY = [
  "F05-receipt",
  "F10",
  "F12",
  "F17",
  "F37-forgotten",
  "F37-harm",
  "PATRONI",
  "PATRONI-behind",
  "UPGRADE",
];

const only = process.env.PARLEY_TEST_ONLY?.split(",");

/** Whether any of these faults is to be run: those that were named, else all, but for the long ones in a short run. */
export const wants = (...ids: readonly string[]): boolean =>
  ids.some((id) => (only ? only.includes(id) : options.long || !LONG_ONLY.includes(id)));

/** The short version's value, or the long one's, or what was asked for. */
export const size = (asked: number, short: number, long: number): number => asked || (options.long ? long : short);

const HANGS_MS = 60_000;

/** A time that is promised, as this run can judge it: a short one has others beside it, and finds what hangs, not what is slow. */
export const promised = (ms: number): number => (options.long ? ms : Math.max(ms, HANGS_MS));

/** One fault of the list: its outcome is printed, a broken promise fails it. */
export async function scenario(
  t: TestContext,
  id: string,
  title: string,
  run: (t: TestContext) => Promise<Report | { skip: string }>,
): Promise<void> {
  if (!wants(id)) return;
  await t.test(`${id}: ${title}`, async (t) => {
    const begin = performance.now();
    const report = await run(t);
    if ("skip" in report) {
      t.skip(report.skip);
      return;
    }
    const seconds = Math.round((performance.now() - begin) / 100) / 10;
    const { says, ...rest } = report;
    t.diagnostic(JSON.stringify({ fault: id, seed: options.seed, ...rest, seconds }));
    t.diagnostic(`${id}: ${says}`);
  });
}
