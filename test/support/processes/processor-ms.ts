import { readFileSync } from "node:fs";

/**
 * How long this thread has computed for `work`, in milliseconds: what other processes take of the machine meanwhile is not in it. For limits that only
 * an explosion exceeds; how fast something is, is for bench/.
 */
export function processorMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/** Of a process in `/proc/<pid>/stat`, proc_pid_stat(5), after its name: what it has computed for itself, and the kernel for it. */
const UTIME = 11;
const TICK_MS = 10;

/** How long a process has computed so far, in milliseconds. Linux only, elsewhere 0. */
export function processorMsOf(pid: number): number {
  if (process.platform !== "linux") return 0;
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The name is in brackets and may hold anything.
  const [user, system] = text
    .slice(text.lastIndexOf(")") + 2)
    .split(" ")
    .slice(UTIME, UTIME + 2)
    .map(Number) as [number, number];
  return (user + system) * TICK_MS;
}
