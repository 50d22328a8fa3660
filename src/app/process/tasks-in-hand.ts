import { parseTaskKey, taskKey, type WatchedTask } from "#domain/system/watched-task.ts";

// What a process is at, in memory that the watchdog's thread reads when the process stands still. A message to the thread, at the beginning and the end of each
// task, took longer than many a task.

/** More than a process is at at once; a task that finds no place is not named. */
const PLACES = 1_024;
/** A task's key takes about 210 at most: with its account's name a carrier's id of a text. One that is longer is not named. */
const KEY_BYTES = 252;
const LENGTH_BYTES = Int32Array.BYTES_PER_ELEMENT;

export const taskMemory = (): SharedArrayBuffer => new SharedArrayBuffer(PLACES * (LENGTH_BYTES + KEY_BYTES));

/** The length of each place's key, 0 where it is free, and the keys. */
const partsOf = (memory: SharedArrayBuffer) => ({
  lengths: new Int32Array(memory, 0, PLACES),
  keys: Buffer.from(memory, PLACES * LENGTH_BYTES),
});

/** Notes a task that begins; what it returns notes its end. */
export function noteTasks(memory: SharedArrayBuffer): (task: WatchedTask) => () => void {
  const { lengths, keys } = partsOf(memory);
  const free = Array.from(lengths.keys());
  return (task) => {
    const key = taskKey(task);
    const place = Buffer.byteLength(key) > KEY_BYTES ? undefined : free.pop();
    if (place === undefined) return () => {};
    Atomics.store(lengths, place, keys.write(key, place * KEY_BYTES));
    return () => {
      Atomics.store(lengths, place, 0);
      free.push(place);
    };
  };
}

/** The tasks that have begun and not ended, each once. */
export function tasksIn(memory: SharedArrayBuffer): WatchedTask[] {
  const { lengths, keys } = partsOf(memory);
  const found = new Set<string>();
  for (const place of lengths.keys()) {
    const begin = place * KEY_BYTES;
    const length = Atomics.load(lengths, place);
    if (length > 0) found.add(keys.toString("utf8", begin, begin + length));
  }
  return [...found].flatMap((key) => parseTaskKey(key) ?? []);
}
