import { BOUND_MS } from "./calls.ts";
import type { Measured } from "./costs.ts";
import type { Capacity } from "./measure.ts";

/** Beyond this share of a processor it is what more work waits for; below, it is something else. */
const FULL = 0.85;

/** What else is at work is said from this share of the processors on. */
const OTHERS = 0.15;

const percent = (share: number): string => `${Math.round(share * 100)} %`;
const whole = (value: number): string => Math.round(value).toLocaleString("en-US");

export const perSecond = ({ count, seconds }: Measured): number => count / seconds;

/** What keeps each of the three from being more. */
export function limitsOf({ cores, texts, imports, calls }: Capacity): string {
  const ofRate = (name: string, { busy }: Measured) =>
    busy >= FULL
      ? `${name} the ${cores} cores (${percent(busy)} busy)`
      : `${name} the database and its disk (the ${cores} cores were ${percent(busy)} busy)`;
  const ofCalls = calls.isLeast
    ? "calls nothing that was tried"
    : `calls the one core of a media process (${percent(calls.busy)} busy)`;
  return `What limits first: ${ofRate("texts", texts)}, ${ofCalls}, ${ofRate("imports", imports)}.`;
}

/** Three lines, and what limits first; one more where others were at work. */
export function reportLines(capacity: Capacity): string[] {
  const { texts, imports, calls } = capacity;
  const each = ({ cpuMsEach, logBytesEach }: Measured, one: string) =>
    `${cpuMsEach.toFixed(2)} ms of processor time and ${whole(logBytesEach)} bytes of the database's log ${one}`;
  const inTime = calls.calls === 0 ? "" : `, 99 % of their frames at most ${calls.p99Ms.toFixed(1)} ms late`;
  return [
    `Texts: ${whole(perSecond(texts))} a second from claim to settled (${whole(texts.count)} texts, ${each(texts, "a text")}).`,
    `Calls: ${calls.isLeast ? "at least " : ""}${calls.calls} with sound at once in a media process${inTime} (the bound is ${BOUND_MS} ms).`,
    `Imports: ${whole(perSecond(imports))} rows a second (${whole(imports.count)} rows, ${each(imports, "a row")}).`,
    limitsOf(capacity),
    ...(capacity.othersBusy < OTHERS
      ? []
      : [
          `Others kept ${percent(capacity.othersBusy)} of the processors busy as this began: on an idle machine the figures are higher.`,
        ]),
  ];
}

/**
 * The settings that keep this machine from taking more than it carries; none where not one call was in time. Texts and imports need none: they wait
 * in their queues.
 */
export const settingsOf = ({ calls }: Capacity): Record<string, string> =>
  calls.calls === 0 ? {} : { PARLEY_MEDIA_CALLS: String(calls.calls) };

export const envLines = (settings: Record<string, string>): string[] =>
  Object.entries(settings).map(([name, value]) => `${name}=${value}`);

export const reportJson = (capacity: Capacity) => {
  const rate = (measured: Measured) => ({
    per_second: perSecond(measured),
    count: measured.count,
    seconds: measured.seconds,
    busy: measured.busy,
    cpu_ms_each: measured.cpuMsEach,
    log_bytes_each: measured.logBytesEach,
  });
  const { calls } = capacity;
  return {
    cores: capacity.cores,
    others_busy: capacity.othersBusy,
    texts: rate(capacity.texts),
    calls: { per_process: calls.calls, is_least: calls.isLeast, late_p99_ms: calls.p99Ms, busy: calls.busy },
    imports: rate(capacity.imports),
    limits: limitsOf(capacity),
    settings: settingsOf(capacity),
  };
};
