import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "#test/support/source/source.ts";
import type { Ring } from "./rings.ts";
import { type BatchResult, type Failure, runBatch } from "./run-batch.ts";

/** A failure, and how what failed is run by itself. */
export type Failed = Failure & { ring: Ring; only?: string };

/** More is no bad luck: the run stays red without their second try. */
export const MOST_TRIED_AGAIN = 8;
/** So many tests that only passed the second time make a run red: something is wrong with the tests or with the machine. */
export const MOST_FLAKY = 3;

export type Tried = { failed: Failed; passed: boolean; result: BatchResult };

/** Parts of one test are tried again as that test, and a file of which none failed as a whole. */
export function unitsOf(failures: readonly Failed[]): Failed[] {
  const units = new Map<string, Failed>();
  for (const failure of failures) {
    const key = JSON.stringify([failure.files, failure.only, failure.path?.[0]]);
    if (!units.has(key)) units.set(key, failure);
  }
  return [...units.values()];
}

/** Runs what failed once more, by itself, with nothing beside it. */
export async function tryAgain(
  failures: readonly Failed[],
  environmentOf: (ring: Ring) => Readonly<Record<string, string>>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Tried[]> {
  const tried: Tried[] = [];
  for (const failed of failures) {
    if (signal.aborted) break;
    const result = await runBatch({
      files: failed.files,
      ...(failed.path && { names: [failed.path[0]!] }),
      env: { ...environmentOf(failed.ring), ...(failed.only !== undefined && { PARLEY_TEST_ONLY: failed.only }) },
      timeoutMs,
      signal,
    });
    const ran = result.tests.some(({ outcome }) => outcome === "passed");
    tried.push({ failed, passed: ran && result.failures.length === 0, result });
  }
  return tried;
}

const FLAKY_LIST = join(root, "test/flaky.md");

/** One line for people, with what went wrong: a comparison says what differs some lines further on. */
export const reasonOf = ({ error }: Failure): string => error.replace(/\s+/g, " ").slice(0, 600);

/** Adds tests that passed the second time only to the list of what is to be mended. */
export function noteFlaky(flaky: readonly Failed[], seed: string, today: Date): void {
  const day = today.toISOString().slice(0, 10);
  const lines = flaky.map((failure) => `- ${day}, seed ${seed}: ${titleOf(failure)}: ${reasonOf(failure)}\n`);
  appendFileSync(FLAKY_LIST, lines.join(""));
}

export const titleOf = ({ files, path }: Failure): string =>
  path === undefined ? files.join(", ") : `${files[0]}: ${path.join(" > ")}`;
