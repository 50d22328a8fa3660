import { setTimeout as pause } from "node:timers/promises";
import type { Log } from "#operations/context.ts";

/** A loop that has failed waits this long: the database may be on its way back. */
const AFTER_FAILURE_MS = 1_000;

/**
 * Runs `work` again and again until the signal: at once while it says there is more, else after `everyMs`. A failure is
 * logged and does not end it. Resolves when the run that the signal found has ended.
 */
export async function loop(
  name: string,
  everyMs: number,
  work: (signal: AbortSignal) => Promise<boolean>,
  { signal, log }: { signal: AbortSignal; log: Log },
): Promise<void> {
  while (!signal.aborted) {
    let waitMs = everyMs;
    try {
      if (await work(signal)) waitMs = 0;
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error, loop: name }, "a background loop failed and goes on");
      waitMs = Math.max(everyMs, AFTER_FAILURE_MS);
    }
    if (waitMs > 0) await pause(waitMs, undefined, { signal }).catch(() => {});
  }
}
