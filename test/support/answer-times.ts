import { ask } from "./answers.ts";
import type { MarkedTenant } from "./marked-tenant.ts";

/** Requests of either kind whose median is taken. */
export const SAMPLES = 200;
/** Medians further apart than this tell whether a thing is there. */
export const WITHIN_MS = 5;

/** How a thing of another tenant's is asked for, and how one that nobody has. */
export type Pair = {
  name: string;
  method: string;
  foreign(): { path: string; body?: object };
  random(): { path: string; body?: object };
};

export type Times = { name: string; foreignMs: number; randomMs: number; apartMs: number };

/**
 * The medians of how long both kinds take. They are asked for in turn, the first of a pair changing with every pair: whatever else the machine does
 * falls on both alike. A test is no benchmark, and a median over two seconds may still be a neighbour's: whoever finds them apart asks again.
 */
export async function timesOf({ api }: MarkedTenant, it: Pair): Promise<Times> {
  const took = { foreign: [] as number[], random: [] as number[] };
  const kinds = ["foreign", "random"] as const;
  for (let i = 0; i < SAMPLES; i++) {
    for (const kind of i % 2 === 0 ? kinds : kinds.toReversed()) {
      const { path, body } = it[kind]();
      const started = performance.now();
      const { status } = await ask(api.url + path, it.method, body, { "x-api-key": api.key });
      took[kind].push(performance.now() - started);
      if (status >= 300 && status !== 404) throw new Error(`${it.name}, ${kind}: ${status}`);
    }
  }
  const [foreignMs, randomMs] = kinds.map((kind) => median(took[kind])) as [number, number];
  return { name: it.name, foreignMs, randomMs, apartMs: Math.abs(foreignMs - randomMs) };
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;
