import { normalizePhone } from "#domain/phones/phone.ts";
import { type AppError, failedField } from "#domain/values/errors.ts";

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
    if ("problem" in normal) throw failedField("voice_not_enabled", field, normal.problem);
    return normal.phone;
  });
  return [...new Set(numbers)];
}

/** The field that one of them came in. */
export const outboundField = (numbers: readonly string[], number: string): string =>
  number === numbers[0] ? "agent_outbound_number" : "agent_outbound_numbers";

/** A campaign's calls leave by one trunk: 400 of a number that is on another. */
export const onAnotherTrunk = (field: string, number: string, than: string): AppError =>
  failedField(
    "voice_not_enabled",
    field,
    `is on another trunk than ${than}: the numbers of one campaign are on one trunk`,
    number,
  );

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
