import { type Header, header, lists, type SipMessage, type SipResponse } from "#adapters/sip-messages/message.ts";
import { alarmsOf } from "#adapters/sip-transport/client-transaction.ts";
import type { Clock } from "#adapters/sip-transport/clock.ts";

/** RFC 4028, 4 and 5: what we propose, and the least that it allows anyone to ask for. */
export const SESSION_SECONDS = 1_800;
export const MIN_SESSION_SECONDS = 90;
/** A far end may ask for longer sessions; one that wants more than this never means to answer. */
const MAX_SESSION_SECONDS = 86_400;

/** How long a session lives without a refresh, and who sends it. */
export type SessionInterval = { seconds: number; isRefresher: boolean };

export const askForInterval = (seconds: number, minimum: number): Header[] => [
  ["session-expires", String(seconds)],
  ["min-se", String(minimum)],
];

/** What a 422 to a request of ours asks for, in seconds, where `minimum` was not enough; undefined when that is nothing we can meet. */
export function raisedMinimum(response: SipResponse, minimum: number): number | undefined {
  const wanted = Number.parseInt(header(response, "min-se") ?? "", 10);
  return response.status === 422 && wanted > minimum && wanted <= MAX_SESSION_SECONDS ? wanted : undefined;
}

/** What a 2xx to a request of ours sets; undefined when there is no timer. */
export function intervalOfAnswer(response: SipMessage): SessionInterval | undefined {
  const asked = sessionExpires(response);
  return asked && { seconds: asked.seconds, isRefresher: asked.refresher !== "uas" };
}

/** What we set in the answer to such a request, with the headers that say so; undefined when the other side knows no timer. */
export function intervalForAnswer(request: SipMessage): (SessionInterval & { headers: Header[] }) | undefined {
  const asked = sessionExpires(request);
  if (asked === undefined || !lists(request, "supported", "timer")) return undefined;
  const refresher = asked.refresher ?? "uac";
  const headers: Header[] = [["session-expires", `${asked.seconds};refresher=${refresher}`]];
  if (refresher === "uac") headers.push(["require", "timer"]);
  return { seconds: asked.seconds, isRefresher: refresher === "uas", headers };
}

/** Whether a request asks for less than anyone may (answered by 422). */
export function asksForTooLittle(request: SipMessage): boolean {
  const asked = sessionExpires(request);
  return asked !== undefined && asked.seconds < MIN_SESSION_SECONDS && lists(request, "supported", "timer");
}

function sessionExpires(message: SipMessage): { seconds: number; refresher: string | undefined } | undefined {
  const [, digits, rest] = /^(\d{1,9})\s*(;.*)?$/.exec(header(message, "session-expires") ?? "") ?? [];
  if (digits === undefined) return undefined;
  const [, refresher] = /;\s*refresher\s*=\s*(uac|uas)/i.exec(rest ?? "") ?? [];
  return { seconds: Number(digits), refresher: refresher?.toLowerCase() };
}

/**
 * Calls `refresh` at half of the interval when that is our part, and `expired` shortly before its end, whoever had to refresh it, when
 * nothing came that restarted it (RFC 4028, 10).
 */
export function sessionTimer(clock: Clock, on: { refresh(): void; expired(): void }) {
  const alarms = alarmsOf(clock);
  return {
    restart(interval: SessionInterval | undefined): void {
      alarms.stop();
      if (interval === undefined) return;
      const { seconds, isRefresher } = interval;
      alarms.after((seconds - Math.min(32, seconds / 3)) * 1_000, on.expired);
      if (isRefresher) alarms.after((seconds / 2) * 1_000, on.refresh);
    },
    stop: alarms.stop,
  };
}
