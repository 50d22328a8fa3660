import { AsyncLocalStorage } from "node:async_hooks";
import { createHash } from "node:crypto";
import type { Random } from "./random.ts";

/** A process of the service, or the world around it. A paused one does nothing; a dead one never does anything again. */
export type Process = { readonly name: string; state: "running" | "paused" | "dead" };
/** What a process is about: one operation, one loop. Everything that code waits for belongs to the task that waits. */
export type Task = { readonly process: Process; readonly name: string; readonly scheduler: Scheduler };
/** Something that can happen next. */
export type Action = {
  task: Task;
  what: string;
  run(): void | Promise<void>;
  /** It says itself in the trace what it did. */
  tracesItself?: true;
};
/**
 * `due`: may happen once it is time, like all else. `patient`: a limit; nobody waits for it to come. `punctual`: happens
 * at that very moment and takes none.
 */
export type Timer = { at: number; action: Action; kind: "due" | "patient" | "punctual" };

const current = new AsyncLocalStorage<Task>();

/** The task whose code is running, if it is simulated code. */
export const currentTask = (): Task | undefined => current.getStore();

/** Everything that waits for nothing but the processor has been done when this resolves. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Lets one thing happen at a time: of all that could happen next it draws one, waits until the code that this has set
 * going waits again, and moves the clock a little. Time, in milliseconds from the run's beginning, passes nowhere else.
 */
export class Scheduler {
  now = 0;
  steps = 0;
  /** The last steps, or all of them. */
  readonly lines: string[] = [];
  private readonly digest = createHash("sha256");
  private readonly random: Random;
  /** How likely it is that the same task goes on. */
  private readonly stickiness: number;
  private readonly keepAll: boolean;
  private ready: Action[] = [];
  private timers: Timer[] = [];
  private last: Task | undefined;

  constructor(random: Random, keepAll: boolean) {
    this.random = random;
    this.stickiness = random.pick([0, 0.3, 0.6, 0.85]);
    this.keepAll = keepAll;
  }

  /** Something that may happen from now on. */
  offer(action: Action): void {
    this.ready.push(action);
  }

  /** Something that may happen once it is `at`. */
  at(at: number, action: Action, kind: Timer["kind"] = "due"): Timer {
    const timer = { at, action, kind };
    this.timers.push(timer);
    return timer;
  }

  cancel(timer: Timer): void {
    this.timers = this.timers.filter((other) => other !== timer);
    this.ready = this.ready.filter((other) => other !== timer.action);
  }

  /** Runs code as a task of a process. It begins at once. */
  spawn<T>(process: Process, name: string, work: () => Promise<T>): Promise<T> {
    return current.run({ process, name, scheduler: this }, work);
  }

  /** Draws what happens next, without doing it; undefined when nothing can until time passes. */
  async draw(): Promise<Action | undefined> {
    await turn();
    this.wake();
    this.ready = this.ready.filter(({ task }) => task.process.state !== "dead");
    const possible = this.ready.filter(({ task }) => task.process.state === "running");
    const same = possible.filter(({ task }) => task === this.last);
    if (same.length > 0 && this.random.chance(this.stickiness)) return same[0];
    return possible.length === 0 ? undefined : this.random.pick(possible);
  }

  /** Does what was drawn. */
  async perform(action: Action): Promise<void> {
    this.ready = this.ready.filter((other) => other !== action);
    this.last = action.task;
    this.steps++;
    this.passTo(this.now + this.latencyMs());
    if (!action.tracesItself) this.trace(`${action.task.process.name} ${action.task.name}`, action.what);
    await action.run();
  }

  /** When the next timer of a living process is due; patient ones only when there is no other. */
  nextAt(): number | undefined {
    const living = this.timers.filter(({ action }) => action.task.process.state === "running");
    const pressing = living.filter(({ kind }) => kind !== "patient");
    return (pressing.length > 0 ? pressing : living).reduce<number | undefined>(
      (soonest, { at }) => (soonest === undefined || at < soonest ? at : soonest),
      undefined,
    );
  }

  /** Moves the clock; on its way it stops for what is punctual. */
  passTo(now: number): void {
    const punctual = this.timers.filter(({ at, kind }) => kind === "punctual" && at <= now);
    this.timers = this.timers.filter((timer) => !punctual.includes(timer));
    for (const { at, action } of punctual.sort((a, b) => a.at - b.at)) {
      this.now = Math.max(this.now, at);
      action.run();
    }
    this.now = now;
  }

  trace(who: string, what: string): void {
    const line = `#${this.steps} +${this.now} ${who}: ${what}`;
    this.digest.update(line);
    this.lines.push(line);
    if (!this.keepAll && this.lines.length > 400) this.lines.splice(0, 200);
  }

  /** Names the whole run: two runs of equal fingerprints did the same. */
  fingerprint(): string {
    return this.digest.copy().digest("hex").slice(0, 16);
  }

  private wake(): void {
    const due = this.timers.filter(({ at }) => at <= this.now);
    if (due.length === 0) return;
    this.timers = this.timers.filter(({ at }) => at > this.now);
    for (const { action } of due) this.ready.push(action);
  }

  /** Most steps take no time to speak of, some take as long as a slow disk, a few as long as a stuck one. */
  private latencyMs(): number {
    const draw = this.random.next();
    if (draw < 0.9) return draw < 0.5 ? 0 : 1;
    return draw < 0.98 ? this.random.int(5, 120) : this.random.int(300, 3_000);
  }
}
