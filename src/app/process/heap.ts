import { setFlagsFromString } from "node:v8";

/**
 * Has old objects collected when a process holds this much more than it keeps, in percent. V8 waits until it holds two to four times as much where it has
 * the memory: an export of a million rows, each page of which is old for a moment, so took 400 MB, and takes 70. A collection stops the process for
 * 20 to 50 ms: with a smaller share they would be more.
 */
const GROWTH_PERCENT = 60;

/** Bounds what the process holds of objects that nobody needs any more, its threads' included. */
export const boundHeap = (): void => setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
