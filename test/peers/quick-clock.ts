import type { Clock } from "#adapters/sip-transport/clock.ts";

const TICK_MS = 5;
/** What passed beyond this between two ticks did not pass here: after a standstill the answers that came meanwhile are read first. */
const MOST_MS = 20;

type Alarm = { atMs: number; run: () => void };

/** A clock that goes so many times as fast: the minutes of the protocol's timers pass in seconds, and all of them stay in proportion. */
export function quickClock(times: number): Clock {
  let nowMs = 0;
  let last = performance.now();
  const alarms = new Set<Alarm>();
  const tick = () => {
    const at = performance.now();
    nowMs += Math.min(at - last, MOST_MS) * times;
    last = at;
    // What is set by one of these rings with the next tick at the earliest.
    const due = [...alarms].filter((alarm) => alarm.atMs <= nowMs).sort((a, b) => a.atMs - b.atMs);
    for (const alarm of due) if (alarms.delete(alarm)) alarm.run();
  };
  setInterval(tick, TICK_MS).unref();
  return {
    now: () => nowMs,
    after(ms, run) {
      const alarm = { atMs: nowMs + ms, run };
      alarms.add(alarm);
      return () => void alarms.delete(alarm);
    },
  };
}
