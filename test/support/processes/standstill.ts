import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { root } from "#test/support/source/source.ts";
import type { Owner } from "./processes.ts";
import { processorTime, stolenShare } from "./stolen-time.ts";

/** The counters of stolen time are read so often, and how many threads are ready to run. */
const EVERY_MS = 100;
/** Where there are many processors, a process that waits for one that stands still is taken by another. */
const MOST_WATCHED = 4;
/** Of the processors' time. A little is always given to others, and harms nobody. */
const STOLEN = 0.05;
/** Of the time: more than a call needs by itself, and its program's start. */
const BUSY = 0.5;
const MOST_TRIES = 5;

/**
 * How long processors stood still within a time, at least one of them, and how much of theirs the host gave to others. `busyShare` is the
 * share of the time in which more threads were ready to run than there are processors.
 */
export type Standstill = { ms: number; longestMs: number; share: number; stolenShare: number; busyShare: number };

/** Sees processors stand still, whoever took them away: sound in real time is late then, whoever plays it. */
export type MachineWatch = {
  /** Between two moments of `performance.now()`. */
  between(fromMs: number, toMs: number): Promise<Standstill>;
};

/** From when it resolves until its owner ends. */
export async function watchMachine(owner: Owner): Promise<MachineWatch> {
  const sample = () => ({ ...processorTime(), isBusy: readyToRun() > availableParallelism() });
  const samples = [sample()];
  const timer = setInterval(() => samples.push(sample()), EVERY_MS);
  owner.after(() => clearInterval(timer));
  const wakers = await Promise.all(processors().map((processor) => startWaker(owner, processor)));
  const epoch = Number(process.hrtime.bigint()) / 1e6 - performance.now();
  return {
    async between(fromMs, toMs) {
      samples.push(sample());
      const from = samples.findLast((sample) => sample.atMs <= fromMs) ?? samples[0]!;
      const to = samples.find((sample) => sample.atMs >= toMs) ?? samples.at(-1)!;
      const standstills = (await Promise.all(wakers.map(standstillsOf))).flat();
      const within = standstills
        .map(([begin, end]) => [Math.max(begin - epoch, fromMs), Math.min(end - epoch, toMs)] as const)
        .filter(([begin, end]) => begin < end)
        .sort(([a], [b]) => a - b);
      let [ms, longestMs, until] = [0, 0, fromMs];
      for (const [begin, end] of within) {
        ms += Math.max(0, end - Math.max(begin, until));
        longestMs = Math.max(longestMs, end - begin);
        until = Math.max(until, end);
      }
      const stolen = stolenShare(from, to);
      const meanwhile = samples.filter((sample) => sample.atMs > fromMs && sample.atMs <= toMs);
      const busyShare = meanwhile.filter(({ isBusy }) => isBusy).length / Math.max(1, meanwhile.length);
      return { ms, longestMs, share: Math.max(stolen, ms / (toMs - fromMs)), stolenShare: stolen, busyShare };
    },
  };
}

/** Whether sound in real time may have been late for no fault of ours. */
const wasLate = (standstill: Standstill): boolean =>
  standstill.ms > 0 || standstill.stolenShare > STOLEN || standstill.busyShare > BUSY;

/**
 * Does what speaks in real time. Where the machine stood still meanwhile, or had more to do than it has processors, and there alone, it may
 * have failed by that, and is done again: what is wrong with us is wrong each time. What `hold` starts ends with each try.
 */
export async function heldAgain(
  t: TestContext,
  hold: (owner: Owner, machine: MachineWatch) => Promise<void>,
): Promise<void> {
  const machine = await watchMachine(t);
  for (let tries = 1; ; tries++) {
    const closers: (() => unknown)[] = [];
    const begin = performance.now();
    try {
      return await hold({ after: (close) => void closers.push(close) }, machine);
    } catch (error) {
      const still = await machine.between(begin, performance.now());
      if (!wasLate(still) || tries === MOST_TRIES) throw error;
      t.diagnostic(`held again, for the machine was late: ${JSON.stringify(still)}, ${(error as Error).message}`);
    } finally {
      for (const close of closers.toReversed()) await close();
    }
  }
}

const LOAD = "/proc/loadavg";

/** How many threads of all processes run or are ready to run, this one among them: proc_loadavg(5). 0 where the system does not say. */
const readyToRun = (): number =>
  existsSync(LOAD) ? Number.parseInt(readFileSync(LOAD, "utf8").split(" ")[3]!, 10) : 0;

/** The processors that we may run on, by their numbers; none where the system does not say, or nothing binds a process to one. */
function processors(): (number | undefined)[] {
  const status = existsSync("/proc/self/status") ? readFileSync("/proc/self/status", "utf8") : "";
  const list = /^Cpus_allowed_list:\s*(\S+)/m.exec(status)?.[1];
  if (list === undefined || spawnSync("taskset", ["--version"]).status !== 0) return [undefined];
  const numbers = list.split(",").flatMap((range) => {
    const [first, last = first] = range.split("-").map(Number) as [number, number?];
    return Array.from({ length: last! - first + 1 }, (_, i) => first + i);
  });
  return numbers.slice(0, MOST_WATCHED);
}

async function startWaker(owner: Owner, processor: number | undefined): Promise<ChildProcess> {
  const command = [process.execPath, join(root, "test/support/processes/wakes-late.ts")];
  if (processor !== undefined) command.unshift("taskset", "-c", String(processor));
  const waker = spawn(command[0]!, command.slice(1), { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  owner.after(() => waker.kill());
  await once(waker, "message");
  // Before all ordinary ones, where we may: what these take from one another is no standstill.
  spawnSync("chrt", ["-f", "-p", "1", String(waker.pid)]);
  return waker;
}

/** When it stood still, from and to, by the system's clock. */
async function standstillsOf(waker: ChildProcess): Promise<[number, number][]> {
  const answer = once(waker, "message");
  waker.send("report");
  const [standstills] = await answer;
  return standstills;
}
