import assert from "node:assert/strict";
import { test } from "node:test";
import { createScheduler, LATENESS_MS, type SchedulerClock, systemClock } from "./scheduler.ts";

/** A clock that is moved by hand; timers come `lag` late. */
function handClock(lag = 0) {
  let now = 1_000;
  const timers = new Set<{ at: number; callback: () => void }>();
  const clock: SchedulerClock = {
    now: () => now,
    after(ms, callback) {
      const timer = { at: now + ms + lag, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
  };
  const run = (untilMs: number) => {
    for (;;) {
      assert.ok(timers.size <= 1, "one timer at a time");
      const [timer] = timers;
      if (timer === undefined || timer.at > 1_000 + untilMs) break;
      timers.delete(timer);
      now = Math.max(now, timer.at);
      timer.callback();
    }
    now = Math.max(now, 1_000 + untilMs);
  };
  /** Nothing runs for so long. */
  const stall = (ms: number) => {
    now += ms;
  };
  return { clock, run, stall, now: () => now - 1_000, isIdle: () => timers.size === 0 };
}

test("a call has 50 ticks a second, and timers that are late do not add up", () => {
  const { clock, run, now } = handClock(0.9);
  const scheduler = createScheduler(clock);
  const times: number[] = [];
  scheduler.add(() => times.push(now()));
  run(60_000);

  assert.ok(Math.abs(times.length - 3_000) <= 1, `${times.length} ticks`);
  assert.ok(
    times.every((at, i) => at - i * 20 < 2),
    "each within 2 ms of its time",
  );
});

test("calls are spread over four groups, 5 ms apart", () => {
  const { clock, run, now } = handClock();
  const scheduler = createScheduler(clock);
  const firsts: number[][] = [];
  for (let i = 0; i < 8; i++) {
    firsts.push([]);
    scheduler.add(() => firsts[i]!.push(now()));
  }
  run(1_000);

  assert.deepEqual(
    firsts.map((times) => times[1]! % 20),
    [0, 5, 10, 15, 0, 5, 10, 15],
  );
  assert.equal(scheduler.calls(), 8);
});

test("after a short stall frames come at twice the rate, not all at once", () => {
  const { clock, run, stall, now } = handClock();
  const scheduler = createScheduler(clock);
  const times: number[] = [];
  const skips: number[] = [];
  scheduler.add((_, skipped) => {
    times.push(now());
    skips.push(skipped);
  });
  run(100);
  stall(100);
  run(400);

  const gaps = times.slice(1).map((at, i) => at - times[i]!);
  assert.ok(Math.min(...gaps) >= 10, gaps.join(" "));
  assert.ok(Math.abs(times.length - 21) <= 1, `${times.length} ticks in 400 ms`);
  assert.deepEqual(new Set(skips), new Set([0]));
});

test("after a long stall frames are left out, and counted as skipped", () => {
  const { clock, run, stall } = handClock();
  const scheduler = createScheduler(clock);
  let [ticks, skipped] = [0, 0];
  scheduler.add((_, left) => {
    ticks += 1;
    skipped += left;
  });
  run(100);
  stall(3_000);
  run(4_000);

  assert.ok(skipped >= 145 && skipped <= 150, `${skipped} were left out`);
  assert.ok(Math.abs(ticks + skipped - 200) <= 1, "every frame is either ticked or counted as skipped");
});

test("lateness is measured", () => {
  const { clock, run, stall } = handClock(0.5);
  const scheduler = createScheduler(clock);
  scheduler.add(() => undefined);
  run(200);
  stall(60);
  run(400);

  const { ticks, counts, longestMs } = scheduler.lateness(true);
  assert.ok(ticks >= 18 && counts.reduce((sum, count) => sum + count, 0) === ticks);
  assert.equal(counts.length, LATENESS_MS.length);
  assert.ok(longestMs >= 40 && longestMs <= 61, `${longestMs} ms`);
  assert.ok(counts[0]! >= 10);
  assert.equal(scheduler.lateness().ticks, 0);
});

test("how late nearly all ticks were lately is known, and the question begins anew with each answer", () => {
  const { clock, run, stall } = handClock(0.5);
  const scheduler = createScheduler(clock);
  assert.equal(scheduler.lately(), 0);
  scheduler.add(() => undefined);
  run(4_000);
  assert.equal(scheduler.lately(), 1);
  stall(70);
  run(4_470);
  assert.ok(scheduler.lately() >= 50);
  stall(5_000);
  run(9_500);
  assert.equal(scheduler.lately(), 1_000);
});

test("calls come and go, also within a tick, and an empty scheduler sleeps", () => {
  const { clock, run, isIdle } = handClock();
  const scheduler = createScheduler(clock);
  const seen: string[] = [];
  const removeA = scheduler.add(() => {
    seen.push("a");
    if (seen.length === 3) removeA();
  });
  run(200);
  assert.deepEqual(seen, ["a", "a", "a"]);
  assert.ok(isIdle());

  const removeB = scheduler.add(() => {
    seen.push("b");
    if (!seen.includes("c")) {
      const removeC = scheduler.add(() => {
        seen.push("c");
        removeC();
        removeC();
      });
    }
  });
  run(320);
  removeB();
  run(600);
  assert.equal(seen.filter((name) => name === "c").length, 1);
  assert.ok(seen.filter((name) => name === "b").length >= 5);
  assert.equal(scheduler.calls(), 0);
  scheduler.stop();
});

test("on the real clock a second has 50 ticks", async () => {
  const scheduler = createScheduler(systemClock);
  const from = performance.now();
  let ticks = 0;
  let mostAhead = 0;
  // A machine that stood still delays ticks, and they come up with the clock again; none ever comes before its time.
  const { promise: cameUp, resolve } = Promise.withResolvers<void>();
  scheduler.add((_, skipped) => {
    ticks += 1 + skipped;
    const expected = (performance.now() - from) / 20;
    mostAhead = Math.max(mostAhead, ticks - expected);
    if (ticks >= 50 && Math.abs(ticks - expected) <= 2) resolve();
  });
  await cameUp;
  scheduler.stop();

  assert.ok(mostAhead <= 2, `${mostAhead} ticks before their time`);
});
