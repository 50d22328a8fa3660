import { syncBuiltinESMExports } from "node:module";
import timersPromises from "node:timers/promises";
import { currentTask, type Task, type Timer } from "./scheduler.ts";

// The service takes its wall clock from its context, but measures and waits by what Node has for it. For simulated
// tasks these are made to go by the scheduler's time; everyone else in this process keeps the real ones.

const real = {
  now: performance.now.bind(performance),
  pause: timersPromises.setTimeout,
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  timeout: AbortSignal.timeout,
};

/** A wait may take longer than was asked for, never shorter. Short ones do so most: a busy machine's do. */
const OVERSLEEP_MS = 400;

type Handle = { task: Task; timer: Timer };
let isOurs = false;

/** Replaces Node's clocks and timers in this process, for simulated tasks only. Safe to repeat. */
export function takeOverTime(random: () => number): void {
  chance = random;
  if (isOurs) return;
  isOurs = true;
  performance.now = () => currentTask()?.scheduler.now ?? real.now();
  timersPromises.setTimeout = ((ms?: number, value?: unknown, options?: { signal?: AbortSignal }) => {
    const task = currentTask();
    return task ? wait(task, ms ?? 0, value, options?.signal) : real.pause(ms, value, options);
  }) as typeof timersPromises.setTimeout;
  globalThis.setTimeout = ((callback: () => void, ms?: number, ...args: unknown[]) => {
    const task = currentTask();
    if (!task) return (real.setTimeout as (...all: unknown[]) => unknown)(callback, ms, ...args);
    return limit(task, ms ?? 0, () => void task.scheduler.spawn(task.process, task.name, async () => callback()));
  }) as typeof globalThis.setTimeout;
  globalThis.clearTimeout = ((handle: unknown) => {
    if (isHandle(handle)) handle.task.scheduler.cancel(handle.timer);
    else (real.clearTimeout as (handle: unknown) => void)(handle);
  }) as typeof globalThis.clearTimeout;
  AbortSignal.timeout = (ms) => {
    const task = currentTask();
    if (!task) return real.timeout.call(AbortSignal, ms);
    const controller = new AbortController();
    limit(task, ms, () => controller.abort(new DOMException("The operation timed out", "TimeoutError")));
    return controller.signal;
  };
  syncBuiltinESMExports();
}

let chance: () => number = Math.random;

function wait(task: Task, ms: number, value: unknown, signal: AbortSignal | undefined): Promise<unknown> {
  const { scheduler } = task;
  return new Promise((resolve, reject) => {
    const at = scheduler.now + ms + Math.floor(chance() ** 2 * OVERSLEEP_MS);
    const timer = scheduler.at(at, { task, what: `has waited ${ms} ms`, run: () => resolve(value) });
    signal?.addEventListener("abort", () => {
      scheduler.cancel(timer);
      reject(signal.reason);
    });
  });
}

/** A time limit: passes when it is its time, but no run goes on for its sake. */
function limit(task: Task, ms: number, run: () => void): Handle & { unref(): void; ref(): void } {
  const timer = task.scheduler.at(task.scheduler.now + ms, { task, what: `limit of ${ms} ms`, run }, "patient");
  return { task, timer, unref() {}, ref() {} };
}

const isHandle = (value: unknown): value is Handle =>
  typeof value === "object" && value !== null && "timer" in value && "task" in value;
