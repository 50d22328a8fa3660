import { FRAME_MS } from "#domain/calls/g711.ts";

/** Calls are spread over so many groups, whose turns come evenly within a frame: none waits for all the others. */
const GROUPS = 4;
const STEP_MS = FRAME_MS / GROUPS;
/** After a standstill a call's frames come at most this often, until it has caught up: no burst for the network. */
const CATCH_UP_MS = 10;
/** Frames further behind are left out, and told: sound that is so late is of no use. */
const MOST_BEHIND_MS = 200;
/** Bounds of the histogram of lateness, in milliseconds; the last holds everything beyond. */
export const LATENESS_MS = [1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 100, Number.POSITIVE_INFINITY] as const;

/** A call's 20 ms. `nowMs` is the clock's; `skipped` frames before this one were left out. Must not throw and must not wait. */
export type Tick = (nowMs: number, skipped: number) => void;

export type SchedulerClock = {
  /** Monotonic milliseconds, in fractions: `performance.now`. */
  now(): number;
  /** Calls back once after about so many milliseconds; returns how to take it back. */
  after(ms: number, callback: () => void): () => void;
};

export type Lateness = { ticks: number; counts: number[]; longestMs: number };

export type Scheduler = {
  /** Ticks a call every 20 ms from now on, in the group that has the fewest; returns how to stop. */
  add(tick: Tick): () => void;
  /** How late groups were ticked, by LATENESS_MS; with `reset` the counting begins again. */
  lateness(reset?: boolean): Lateness;
  calls(): number;
  /** Ends all ticks. */
  stop(): void;
};

type Group = { calls: (Tick | undefined)[]; count: number; dueMs: number; lastMs: number; skipped: number };

/**
 * The clock of all calls of a process. Every group's times are counted from the beginning, never from the last tick, so that nothing drifts; it
 * sleeps while there are no calls. Which frame is due is the monotonic clock's to say, a timer only wakes it.
 */
export function createScheduler(clock: SchedulerClock): Scheduler {
  const groups: Group[] = Array.from({ length: GROUPS }, () => ({
    calls: [],
    count: 0,
    dueMs: 0,
    lastMs: 0,
    skipped: 0,
  }));
  let counts = LATENESS_MS.map(() => 0);
  let ticks = 0;
  let longestMs = 0;
  let originMs = 0;
  let total = 0;
  let cancel: (() => void) | undefined;
  let isStopped = false;

  const measure = (lateMs: number) => {
    ticks += 1;
    if (lateMs > longestMs) longestMs = lateMs;
    let at = 0;
    while (lateMs > (LATENESS_MS[at] as number)) at += 1;
    counts[at] = (counts[at] as number) + 1;
  };

  /** When a group's next tick may be: at its time, or soon after the last one when it is behind. */
  const turnMs = (group: Group) => Math.max(group.dueMs, group.lastMs + CATCH_UP_MS);

  const tick = (group: Group, nowMs: number) => {
    const behindMs = nowMs - group.dueMs;
    measure(behindMs);
    if (behindMs > MOST_BEHIND_MS) {
      const skipped = Math.floor(behindMs / FRAME_MS);
      group.skipped = skipped;
      group.dueMs += skipped * FRAME_MS;
    }
    const { calls, skipped } = group;
    group.skipped = 0;
    group.dueMs += FRAME_MS;
    group.lastMs = nowMs;
    // A call that is added by another's tick has its first in the next round.
    const length = calls.length;
    for (let i = 0; i < length; i++) calls[i]?.(nowMs, skipped);
    if (group.count < calls.length) group.calls = calls.filter((call) => call !== undefined);
  };

  const wake = () => {
    cancel = undefined;
    let nextMs = Number.POSITIVE_INFINITY;
    for (const group of groups) {
      if (group.count === 0) continue;
      const nowMs = clock.now();
      if (turnMs(group) <= nowMs) tick(group, nowMs);
      if (group.count > 0) nextMs = Math.min(nextMs, turnMs(group));
    }
    if (total > 0 && !isStopped) wakeAt(nextMs);
  };

  /** One timer at a time: what another had set is taken back. */
  const wakeAt = (ms: number) => {
    cancel?.();
    cancel = clock.after(Math.max(0, ms - clock.now()), wake);
  };

  /** A group that was empty goes on in step with the others. */
  const begin = (group: Group, index: number) => {
    const nowMs = clock.now();
    if (total === 0) originMs = nowMs;
    const offsetMs = originMs + index * STEP_MS;
    group.dueMs = offsetMs + Math.max(0, Math.ceil((nowMs - offsetMs) / FRAME_MS)) * FRAME_MS;
    group.lastMs = Number.NEGATIVE_INFINITY;
    group.calls = [];
  };

  return {
    calls: () => total,
    add(call) {
      const group = groups.reduce((fewest, it) => (it.count < fewest.count ? it : fewest));
      if (group.count === 0) begin(group, groups.indexOf(group));
      group.calls.push(call);
      group.count += 1;
      total += 1;
      // The timer may be set for another group's later turn.
      if (!isStopped) wakeAt(Math.min(...groups.filter((it) => it.count > 0).map(turnMs)));
      let isAdded = true;
      return () => {
        if (!isAdded) return;
        isAdded = false;
        group.calls[group.calls.indexOf(call)] = undefined;
        group.count -= 1;
        total -= 1;
        if (total > 0) return;
        cancel?.();
        cancel = undefined;
      };
    },
    lateness(reset = false) {
      const found = { ticks, counts: [...counts], longestMs };
      if (reset) {
        counts = LATENESS_MS.map(() => 0);
        ticks = 0;
        longestMs = 0;
      }
      return found;
    },
    stop() {
      isStopped = true;
      cancel?.();
      cancel = undefined;
      for (const group of groups) {
        group.calls = [];
        group.count = 0;
      }
      total = 0;
    },
  };
}

/** The process's own clock. Its timers wake up to a millisecond late. */
export const systemClock: SchedulerClock = {
  now: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};
