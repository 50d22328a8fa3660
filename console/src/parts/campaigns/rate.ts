import { useEffect, useState } from "react";
import { useNow } from "#parts/show/time.tsx";

/** Over as long a time a rate is measured. */
const SPAN_MS = 15_000;

type Sample = { at: number; count: number };

/**
 * How fast a count grows, per second, by the last seconds in which it was looked at; undefined until it has been seen to
 * grow, and once it has stood still for a while.
 */
export function useRate(count: number | undefined): number | undefined {
  const [samples, setSamples] = useState<readonly Sample[]>([]);
  useNow();
  useEffect(() => {
    if (count === undefined) return;
    const at = Date.now();
    setSamples((before) => [
      ...before.filter((sample) => sample.at > at - SPAN_MS && sample.count <= count),
      { at, count },
    ]);
  }, [count]);
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || last.count <= first.count) return undefined;
  if (Date.now() - last.at > SPAN_MS) return undefined;
  return ((last.count - first.count) / (last.at - first.at)) * 1_000;
}
