import { appendFileSync } from "node:fs";
import { join } from "node:path";

/** Keeps what a process of a test writes: when that test fails, the runner prints the last of it (test/runner/process-logs.ts). */
export function keepLog(name: string, pid: number | undefined, text: string): void {
  const folder = process.env.TEST_LOG_FOLDER;
  if (folder !== undefined) appendFileSync(join(folder, `${name} ${pid ?? ""}.log`), text);
}

/** As whom a process that root starts goes on, and that a checkout of root's keeps it root: it says so at each start, and nothing is wrong. */
const AS_WHOM = /^(Parley goes on as root: |Started by root, Parley goes on as )/;

/** The lines of a text that say that something is wrong. */
export const complaintsIn = (text: string): string[] =>
  (text.match(/.+\n?/g) ?? []).filter((line) => !AS_WHOM.test(line));
