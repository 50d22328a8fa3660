import type { Clock } from "#adapters/sip-transport/clock.ts";

export type HandClock = Clock & { pass(ms: number): void };

/** Time that passes when the test moves it. */
export function handClock(): HandClock {
  let now = 0;
  const alarms = new Set<{ at: number; run(): void }>();
  return {
    now: () => now,
    after(ms, run) {
      const alarm = { at: now + ms, run };
      alarms.add(alarm);
      return () => alarms.delete(alarm);
    },
    pass(ms) {
      const end = now + ms;
      for (;;) {
        const next = [...alarms].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        if (next === undefined) break;
        alarms.delete(next);
        now = next.at;
        next.run();
      }
      now = end;
    },
  };
}
