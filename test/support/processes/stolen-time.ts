import { existsSync, readFileSync } from "node:fs";

/** Of the counters in the first line of `/proc/stat`, proc_stat(5): what a virtual machine waited for while its host served others. */
const STEAL = 7;
/** Guests' time, which is in the others already. */
const GUEST = 8;

/** Time in which a processor does nothing, or waits for a disk. */
const IDLE = [3, 4];
/** Counters are in hundredths of a second on every Linux that Node runs on. */
const TICKS = 100;

/** What the processors have done until a moment of `performance.now()`, in ticks: all of it, and what the host gave to others. */
export type ProcessorTime = { atMs: number; stolen: number; idle: number; all: number };

/** Of all processors' time between two moments, 0 to 1; 0 where the system does not say. */
export const stolenShare = (from: ProcessorTime, to: ProcessorTime): number =>
  to.all > from.all ? (to.stolen - from.stolen) / (to.all - from.all) : 0;

/** Seconds of processor time that this machine used between two moments, whoever did. */
export const busySeconds = (from: ProcessorTime, to: ProcessorTime): number =>
  (to.all - from.all - (to.idle - from.idle) - (to.stolen - from.stolen)) / TICKS;

export function processorTime(): ProcessorTime {
  const line = existsSync("/proc/stat") ? readFileSync("/proc/stat", "utf8").split("\n", 1)[0]! : "";
  const counters = line.split(/\s+/).slice(1).map(Number);
  const all = counters.slice(0, GUEST).reduce((sum, counter) => sum + counter, 0);
  const idle = IDLE.reduce((sum, at) => sum + (counters[at] ?? 0), 0);
  return { atMs: performance.now(), stolen: counters[STEAL] ?? 0, idle, all };
}
