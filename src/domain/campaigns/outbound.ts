import { normalizePhone } from "#domain/phones/phone.ts";
import { failure } from "#domain/values/errors.ts";

// What a campaign calls from, and how fast.

/** A hundred calls at once and ten a second: what a small provider's trunk takes. */
const DEFAULT_CONCURRENCY = 100;
const DEFAULT_PER_SECOND = 10;

type Numbers = { agent_outbound_number: string; agent_outbound_numbers?: readonly string[] };

/** The default number and the pool, each once. 400 that names one that is none. */
export function outboundNumbers(given: Numbers): string[] {
  const named: [string, string][] = [
    ["agent_outbound_number", given.agent_outbound_number],
    ...(given.agent_outbound_numbers ?? []).map((number, i): [string, string] => [
      `agent_outbound_numbers[${i}]`,
      number,
    ]),
  ];
  const numbers = named.map(([field, number]) => {
    const normal = normalizePhone(number);
    if ("problem" in normal) throw failure("voice_not_enabled", `${field} ${normal.problem}`);
    return normal.phone;
  });
  return [...new Set(numbers)];
}

/** A campaign's calls leave by one trunk: of a number that is on another. */
export const onAnotherTrunk = (number: string, than: string): string =>
  `${number} is on another trunk than ${than}: the numbers of one campaign are on one trunk`;

type Pace = { calls_per_second?: number | undefined; max_concurrent_calls?: number | undefined };

/** Calls a second and at once: as requested, but no more than the line takes for each number. */
export function callPace(
  wanted: Pace,
  line: { callsPerSecond?: number | undefined; concurrency?: number | undefined },
  numbers: readonly string[],
): { perSecond: number; concurrency: number } {
  const most = (asked: number, each: number | undefined) => Math.min(asked, (each ?? Infinity) * numbers.length);
  return {
    perSecond: most(wanted.calls_per_second ?? DEFAULT_PER_SECOND, line.callsPerSecond),
    concurrency: most(wanted.max_concurrent_calls ?? DEFAULT_CONCURRENCY, line.concurrency),
  };
}
