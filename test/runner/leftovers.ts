import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

const LOOK_AGAIN_MS = 25;

/** Waits for the processes that a batch has started, whoever their parent is by now, and ends those that stay. Which these were; Linux only. */
export async function endLeftovers(batch: string, patienceMs: number): Promise<string[]> {
  const until = performance.now() + patienceMs;
  for (;;) {
    const left = ofBatch(batch);
    if (left.length === 0) return [];
    if (performance.now() > until) {
      for (const { pid } of left) process.kill(pid, "SIGKILL");
      return left.map(({ pid, command }) => `${pid} ${command}`);
    }
    await pause(LOOK_AGAIN_MS);
  }
}

/** By the mark in their environment, which children inherit. */
function ofBatch(batch: string): { pid: number; command: string }[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        if (!readFileSync(`/proc/${name}/environ`, "latin1").includes(`TEST_BATCH=${batch}`)) return [];
        const command = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ").trim();
        // One that has ended has none.
        return command === "" ? [] : [{ pid: Number(name), command }];
      } catch {
        // It has gone, or is another user's.
        return [];
      }
    });
}
