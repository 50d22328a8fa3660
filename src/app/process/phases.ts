import { setTimeout as pause } from "node:timers/promises";
import type { Log } from "#operations/context.ts";

/** One step of a shutdown, and the longest that the next one waits for it. */
export type Phase = { name: string; withinMs: number; run(): Promise<unknown> };

/**
 * Runs the phases in order. One that fails, or is not through in its time, is logged and left behind: the next begins
 * all the same. Answers with the names of those.
 */
export async function runPhases(phases: readonly Phase[], log: Log): Promise<string[]> {
  const leftBehind: string[] = [];
  for (const { name, withinMs, run } of phases) {
    const inTime = new AbortController();
    const late = pause(withinMs, "late", { signal: inTime.signal }).catch(() => "in time");
    const outcome = await Promise.race([Promise.try(run).then(() => undefined), late]).catch((error: Error) => error);
    inTime.abort();
    if (outcome === undefined) continue;
    leftBehind.push(name);
    const err = outcome instanceof Error ? outcome : undefined;
    log.warn({ phase: name, withinMs, ...(err ? { err } : {}) }, "a phase of the shutdown was left behind");
  }
  return leftBehind;
}
