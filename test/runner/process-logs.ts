import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

const LINES = 40;
/** A fault may have twenty processes; the last that wrote something are reported. */
const MOST_LOGS = 4;

/** Of the processes that wrote something since a time: the last lines of each, under its name. Times are of Date.now(). */
export function logsSince(folder: string, sinceMs: number): string[] {
  const logs = readdirSync(folder)
    .map((name) => ({ name, at: statSync(join(folder, name)).mtimeMs }))
    .filter(({ at }) => at >= sinceMs)
    .sort((a, b) => b.at - a.at);
  return logs.slice(0, MOST_LOGS).map(({ name }) => {
    const lines = readFileSync(join(folder, name), "utf8").trimEnd().split("\n");
    return [`last lines of ${name.replace(/\.log$/, "")}:`, ...lines.slice(-LINES).map((line) => `  ${line}`)].join(
      "\n",
    );
  });
}
