import type { DisconnectionReason } from "#domain/calls/call.ts";
import type { TextCall } from "#ports/scripted-contact.ts";

/** The time of a call in words: milliseconds since the answer, which only grow. The first reason to end it counts, and then it stands still. */
export type TextClock = {
  nowMs: number;
  readonly limitMs: number;
  reason: DisconnectionReason | undefined;
  isOver(): boolean;
  end(reason: DisconnectionReason): void;
  /** Comes to a moment of the call, unless the call ends before: then it is at its end, and false. */
  reach(atMs: number): Promise<boolean>;
  /** Now, in the tenant's own time. */
  date(): string;
};

export function textClock(call: TextCall): TextClock {
  const { hangsUpAtMs } = call.contact;
  const limitMs = Math.min(call.plan.agent.max_call_duration_ms, hangsUpAtMs ?? Number.POSITIVE_INFINITY);
  const aborted = new Promise<void>((resolve) => {
    if (call.stop.aborted) resolve();
    else call.stop.addEventListener("abort", () => resolve(), { once: true });
  });
  const clock: TextClock = {
    nowMs: 0,
    limitMs,
    reason: undefined,
    isOver: () => clock.reason !== undefined,
    end(reason) {
      clock.reason ??= reason;
    },
    async reach(atMs) {
      if (clock.isOver()) return false;
      const at = Math.min(Math.max(atMs, clock.nowMs), limitMs);
      await Promise.race([call.reach(at), aborted]);
      if (call.stop.aborted) clock.end(call.stopReason());
      else {
        clock.nowMs = at;
        if (at === limitMs) clock.end(limitMs === hangsUpAtMs ? "user_hangup" : "max_duration_reached");
      }
      return !clock.isOver();
    },
    date: () => new Date(call.answeredAt.getTime() + Math.round(clock.nowMs)).toISOString(),
  };
  return clock;
}
