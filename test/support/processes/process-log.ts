import { appendFileSync } from "node:fs";
import { join } from "node:path";

/** Keeps what a process of a test writes: when that test fails, the runner prints the last of it (test/runner/process-logs.ts). */
export function keepLog(name: string, pid: number | undefined, text: string): void {
  const folder = process.env.TEST_LOG_FOLDER;
  if (folder !== undefined) appendFileSync(join(folder, `${name} ${pid ?? ""}.log`), text);
}
