import { once } from "node:events";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";

type Pattern = { source: string; flags: string };

/** What is wrong with each pattern, null where nothing is; in threads, since some take many seconds. */
export async function judgeAll(patterns: readonly Pattern[]): Promise<Map<Pattern, string | null>> {
  const judged = new Map<Pattern, string | null>();
  // The longest first: one of them that came last would be waited for alone.
  const waiting = patterns.toSorted((a, b) => a.source.length - b.source.length);
  const threads = Math.min(availableParallelism(), patterns.length);
  await Promise.all(
    Array.from({ length: threads }, async () => {
      const worker = new Worker(new URL("./judge.ts", import.meta.url));
      for (let pattern = waiting.pop(); pattern !== undefined; pattern = waiting.pop()) {
        worker.postMessage(pattern);
        const [problem] = (await once(worker, "message")) as [string | null];
        judged.set(pattern, problem);
      }
      await worker.terminate();
    }),
  );
  return judged;
}
