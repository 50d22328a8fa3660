import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** The program itself takes half of it. */
const LARGE_BYTES = 128 * 1024 * 1024;

type Collect = (how: { type: "major"; execution: "sync"; flavor: "last-resort" }) => void;

// A context that is made under the flag has the function.
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as Collect;
setFlagsFromString("--no-expose-gc");

/** Gives the system what the heap of this thread holds and nobody needs any more, for one that rests for a while: an import leaves 35 MB. */
export function sweepHeap(): void {
  collect({ type: "major", execution: "sync", flavor: "last-resort" });
}

/**
 * The same where the heap has grown large. V8 by itself lets it grow as far as it may before it looks, and keeps it: 100,000 leads left half a gigabyte
 * that nothing would have used until the next of them.
 */
export function sweepLargeHeap(): void {
  if (getHeapStatistics().total_heap_size > LARGE_BYTES) sweepHeap();
}
