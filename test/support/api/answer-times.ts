import type { MarkedTenant } from "#test/support/isolation/marked-tenant.ts";
import { ask } from "./answers.ts";
import { compare, type Verdict } from "./paired.ts";

/** A median difference of more than this reveals whether a thing exists. */
export const WITHIN_MS = 5;
/** Enough where single answers differ by a hundred milliseconds. */
const MOST_PAIRS = 3_000;

/** The request for another tenant's thing, and the request for one that does not exist. */
export type Pair = {
  name: string;
  method: string;
  foreign(): { path: string; body?: object };
  random(): { path: string; body?: object };
};

/** How much longer it takes to ask for the other tenant's thing than for one that nobody has, in milliseconds. */
export function compareTimes({ api }: MarkedTenant, questions: Pair): Promise<Verdict> {
  const take = async (kind: "foreign" | "random"): Promise<number> => {
    const { path, body } = questions[kind]();
    const started = performance.now();
    const { status } = await ask(api.url + path, questions.method, body, { "x-api-key": api.key });
    const tookMs = performance.now() - started;
    if (status >= 300 && status !== 404) throw new Error(`${questions.name}, ${kind}: ${status}`);
    return tookMs;
  };
  return compare(WITHIN_MS, MOST_PAIRS, async (pair) => {
    if (pair % 2 === 0) return (await take("foreign")) - (await take("random"));
    const randomMs = await take("random");
    return (await take("foreign")) - randomMs;
  });
}
