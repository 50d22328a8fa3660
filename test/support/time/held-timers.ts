import type { TestContext } from "node:test";

/**
 * Holds the timers of a length that `isOurs` knows: none of them goes off while the test lasts, and the function returns how many run. All others are
 * left alone: a client of HTTP that is given another time would give up its connections, in the tests after this one too.
 */
export function heldTimers(t: TestContext, isOurs: (ms: number) => boolean): () => number {
  const held = new Set<unknown>();
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  t.mock.method(globalThis, "setTimeout", (work: () => void, ms = 0, ...args: never[]) => {
    if (!isOurs(ms)) return Reflect.apply(set, globalThis, [work, ms, ...args]);
    const timer = {};
    held.add(timer);
    return timer;
  });
  t.mock.method(globalThis, "clearTimeout", (timer: NodeJS.Timeout | undefined) => {
    if (!held.delete(timer)) clear(timer);
  });
  return () => held.size;
}
