import { FRAME_MS } from "#domain/calls/g711.ts";

/** Calls are spread over this many groups, ticked at even distances within a frame, so that no call waits for all the others. */
const GROUPS = 4;
const STEP_MS = FRAME_MS / GROUPS;
/** After a stall a call is ticked at most this often until it has caught up, so that the network gets no burst. */
const CATCH_UP_MS = 10;
/** Frames further behind are left out and counted in `skipped`: sound that late is of no use. */
const MOST_BEHIND_MS = 200;
/** Upper bounds of the lateness histogram, in milliseconds; the last bucket holds everything beyond. */
export const LATENESS_MS = [1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 100, Number.POSITIVE_INFINITY] as const;

/** `lately` judges by how late this share of the ticks is, and says no more than this. */
const [IN_TIME, LATEST_MS] = [0.99, 1_000];

/** Processes 20 ms of a call. `nowMs` is the clock's time; `skipped` frames before this one were left out. Must not throw or block. */
export type Tick = (nowMs: number, skipped: number) => void;

export type SchedulerClock = {
  /** Monotonic milliseconds with fractions, as of `performance.now`. */
  now(): number;
  /** Calls back once after about this many milliseconds; returns a function that cancels it. */
  after(ms: number, callback: () => void): () => void;
};

export type Lateness = { ticks: number; counts: number[]; longestMs: number };

export type Scheduler = {
  /** Ticks a call every 20 ms from now on, in the group with the fewest calls; returns a function that removes it. */
  add(tick: Tick): () => void;
  /** How late groups were ticked, by LATENESS_MS; with `reset` the counts start again at 0. */
  lateness(reset?: boolean): Lateness;
  /** How late 99 % of the ticks since the last question were at most, by LATENESS_MS but no more than a second; 0 when there was none. */
  lately(): number;
  calls(): number;
  /** Ends all ticks. */
  stop(): void;
};

type Group = { calls: (Tick | undefined)[]; count: number; dueMs: number; lastMs: number; skipped: number };

/**
 * Ticks all calls of a process. Every group's due times are counted from the start, never from the last tick, so that they do not drift. No
 * timer runs while there are no calls. The monotonic clock decides which frame is due; a timer only wakes the scheduler.
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
  const recent = LATENESS_MS.map(() => 0);
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
    recent[at] = (recent[at] as number) + 1;
  };

  /** When a group may tick next: when it is due, or CATCH_UP_MS after its last tick when it is behind. */
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
    // A call that was added during a tick is first ticked in the next round.
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

  /** One timer at a time: the earlier one is cancelled. */
  const wakeAt = (ms: number) => {
    cancel?.();
    cancel = clock.after(Math.max(0, ms - clock.now()), wake);
  };

  /** Aligns a group that was empty with the others again. */
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
      const group = groups.reduce((fewest, group) => (group.count < fewest.count ? group : fewest));
      if (group.count === 0) begin(group, groups.indexOf(group));
      group.calls.push(call);
      group.count += 1;
      total += 1;
      // The timer may have been set for another group's later tick.
      if (!isStopped) wakeAt(Math.min(...groups.filter((group) => group.count > 0).map(turnMs)));
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
    lately() {
      let left = recent.reduce((sum, count) => sum + count, 0) * IN_TIME;
      if (left === 0) return 0;
      const at = recent.findIndex((count) => {
        left -= count;
        return left <= 0;
      });
      recent.fill(0);
      return Math.min(LATENESS_MS[at] as number, LATEST_MS);
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
