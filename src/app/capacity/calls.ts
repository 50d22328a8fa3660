import { setTimeout as pause } from "node:timers/promises";
import type { PlaneCall } from "#app/plane/plane.ts";
import { answered, lateP99, planeFor, startTelephones } from "./telephone-calls.ts";

/** Frames that come later are heard as gaps by whoever has the usual jitter buffer. */
export const BOUND_MS = 20;
/** As a dialer places them: calls that were answered in one moment would speak in one, too. */
const APART_MS = 40;
/** Of the packets due so many have to come, those of calls that have ended by themselves among them: fewer are heard. */
const COME = 0.98;
const PACKETS_A_SECOND = 50;
const [FIRST_CALLS, GROWTH] = [40, 1.5];
/** The search ends where what is carried and what is not are this close: machines differ by more from minute to minute. */
const CLOSE = 0.06;
/** Of a look, what passes before the calls that have just begun or ended count. */
const [LOOKS, SETTLES] = [14, 0.3];
/** The first call brings the process up, and its voice with the first words: what they weigh is not the calls'. */
const WARM_UP_MS = 5_000;
const LONGEST_LOOK_MS = 8_000;

export type CallsFound = {
  /** As many at once had their frames in time. */
  calls: number;
  p99Ms: number;
  /** Of one core, with so many. */
  busy: number;
  /** More were not tried. */
  isLeast: boolean;
};

type Look = { isInTime: boolean; p99Ms: number; busy: number };

/**
 * How many calls with sound one media process holds so that 99 % of their frames are at most 20 ms late and their packets come: whole calls over RTP
 * with detector, speech-to-text, agent, voice and recording. More and more are held until they are late, and then between the two.
 */
export async function measureCalls(parts: {
  seconds: number;
  /** No more are tried. */
  most: number;
  dataDir: string;
  signal: AbortSignal;
}): Promise<CallsFound> {
  const { signal, most } = parts;
  const endsAt = performance.now() + parts.seconds * 1_000;
  const lookMs = Math.min(LONGEST_LOOK_MS, (parts.seconds * 1_000) / LOOKS);
  const telephones = await startTelephones();
  const plane = planeFor(telephones, parts);
  const held: { at: number; call: PlaneCall }[] = [];
  let next = 0;
  let wanted = 0;
  /** Calls whose sound is very late end by themselves, as the agent takes what it hears for a mailbox. */
  const follow = async (one: { at: number; call: PlaneCall }) => {
    held.push(one);
    await one.call.ended;
    const at = held.indexOf(one);
    if (at < 0) return;
    held.splice(at, 1);
    telephones.hangUp(one.at);
  };
  const hold = async (count: number) => {
    wanted = count;
    while (held.length > count) {
      const { at, call } = held.pop()!;
      call.end("manual_stopped");
      telephones.hangUp(at);
    }
    while (held.length < count) {
      void follow({ at: next, call: await answered(plane, telephones, next) });
      next++;
      await pause(APART_MS, undefined, { signal });
    }
  };
  const look = async (): Promise<Look> => {
    await pause(lookMs * SETTLES, undefined, { signal });
    await Promise.all([plane.states(), telephones.report()]);
    const from = performance.now();
    await pause(lookMs * (1 - SETTLES), undefined, { signal });
    const [[state], { received }] = await Promise.all([plane.states(), telephones.report()]);
    const seconds = (performance.now() - from) / 1_000;
    if (!state) throw new Error("The media process to measure has ended");
    const p99Ms = lateP99(state.lateness);
    const isInTime = p99Ms <= BOUND_MS && received >= COME * wanted * PACKETS_A_SECOND * seconds;
    return { isInTime, p99Ms, busy: state.cpuMs / 1_000 / seconds };
  };
  try {
    await hold(1);
    telephones.begin(true);
    await pause(Math.min(WARM_UP_MS, lookMs), undefined, { signal });
    return await search({ hold, look, most, isOver: () => performance.now() > endsAt });
  } finally {
    await plane.close();
    telephones.close();
  }
}

/** The most that is in time, found by `look` at so many that are held. A second look decides where the first found them late: a moment of something else's work is no limit. */
export async function search(parts: {
  hold(count: number): Promise<void>;
  look(): Promise<Look>;
  most: number;
  isOver(): boolean;
}): Promise<CallsFound> {
  let found: CallsFound = { calls: 0, p99Ms: 0, busy: 0, isLeast: true };
  let tooMany: number | undefined;
  for (let count = Math.min(parts.most, FIRST_CALLS); ; ) {
    await parts.hold(count);
    let seen = await parts.look();
    if (!seen.isInTime && !parts.isOver()) seen = await parts.look();
    const { isInTime, p99Ms, busy } = seen;
    if (isInTime) found = { calls: count, p99Ms, busy, isLeast: true };
    else tooMany = count;
    if (found.calls === parts.most || (parts.isOver() && tooMany === undefined)) return found;
    const isFound = tooMany !== undefined && tooMany - found.calls <= Math.max(1, tooMany * CLOSE);
    if (isFound || parts.isOver()) return { ...found, isLeast: false };
    count =
      tooMany === undefined ? Math.min(parts.most, Math.ceil(count * GROWTH)) : Math.floor((found.calls + tooMany) / 2);
  }
}
