import { cpus } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { logBytes } from "#store/database/scratch.ts";

/** Long enough that a single burst is no load. */
const LOOK_MS = 2_000;

/** So many were done in a time, and what each of them cost. */
export type Measured = {
  count: number;
  seconds: number;
  /** Of all cores of the machine, whoever used them: too much where others are at work. */
  busy: number;
  cpuMsEach: number;
  /** Of the database's log of changes. */
  logBytesEach: number;
};

/** Does so many of something, and says what that took. */
export type Counted = (count: number, work: () => Promise<unknown>) => Promise<Measured>;

export const countedOn =
  (databaseUrl: string): Counted =>
  async (count, work) => {
    const [before, logged] = [cpuMs(), await logBytes(databaseUrl)];
    const began = performance.now();
    await work();
    const seconds = (performance.now() - began) / 1_000;
    const after = cpuMs();
    const used = after.busy - before.busy;
    return {
      count,
      seconds,
      busy: used / (after.all - before.all),
      cpuMsEach: used / count,
      logBytesEach: ((await logBytes(databaseUrl)) - logged) / count,
    };
  };

/** The share of all cores that is in use over a moment. */
export async function busyNow(signal: AbortSignal): Promise<number> {
  const before = cpuMs();
  await pause(LOOK_MS, undefined, { signal });
  const after = cpuMs();
  return (after.busy - before.busy) / (after.all - before.all);
}

/** Of all cores since the machine's start. */
function cpuMs(): { busy: number; all: number } {
  let [busy, all] = [0, 0];
  for (const { times } of cpus()) {
    const sum = times.user + times.nice + times.sys + times.irq;
    busy += sum;
    all += sum + times.idle;
  }
  return { busy, all };
}
