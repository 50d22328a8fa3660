// How a process of tests ends: by itself, or with the names of what keeps it; and with all that it has started.
import { readFileSync } from "node:fs";
import { startedBy } from "#test/support/processes/children.ts";

/** Ends a process that has nothing to do for `limitMs` and does not end, and says what keeps it. `before` is done first. */
export function endsWhenIdle(limitMs: number, isIdle: () => boolean, before: () => void): NodeJS.Timeout {
  let idleSince: number | undefined;
  const look = () => {
    idleSince = isIdle() ? (idleSince ?? performance.now()) : undefined;
    if (idleSince === undefined || performance.now() - idleSince < limitMs) return;
    before();
    // By an immediate: while a timer goes off, the others do not show. It shows as idle itself.
    setImmediate(report, limitMs);
  };
  return setInterval(look, Math.min(limitMs, LOOK_AGAIN_MS)).unref();
}

const LOOK_AGAIN_MS = 1_000;

function report(limitMs: number): void {
  const { libuv } = process.report.getReport() as unknown as { libuv: Handle[] };
  const kept = libuv.filter((handle) => handle.is_active && handle.is_referenced && handle.type !== "idle");
  const list = kept.map((handle) => JSON.stringify(handle)).join("\n  ");
  console.error(
    `These tests are through, and their process has not ended after ${limitMs} ms. It was kept by:\n  ${list}`,
  );
  endWithAll(1);
}

type Handle = { type: string; is_active: boolean; is_referenced: boolean };

/** Ends this process and all that it has started. */
export function endWithAll(code: number): never {
  if (process.platform === "linux") startedBy(process.pid).forEach(kill);
  process.exit(code);
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has gone by itself.
  }
}

/** Clock ticks a second, as proc_stat(5) counts on every Linux that Node runs on. */
const TICKS = 100;
/** Fields of /proc/self/stat after the name: utime, stime, and the same of children that have ended. */
const TIMES = [11, 12, 13, 14];

/** Processor time of this process and of what it has started and seen end. */
export function processorMs(): number {
  if (process.platform !== "linux") {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  }
  const stat = readFileSync("/proc/self/stat", "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return TIMES.reduce((sum, at) => sum + Number(fields[at]), 0) * (1000 / TICKS);
}
