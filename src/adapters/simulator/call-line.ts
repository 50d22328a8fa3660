import { setTimeout as pause } from "node:timers/promises";
import { SIMULATOR } from "#domain/accounts/tenant-clock.ts";
import type { DisconnectionReason } from "#domain/calls/call.ts";
import type { CallPlan } from "#domain/calls/plan.ts";
import type { CallReport } from "#domain/calls/report.ts";
import type { CallingWindows } from "#domain/compliance/calling-window.ts";
import { normalizePhone } from "#domain/phones/phone.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { CallLine, CallObserver, IncomingCalls, LiveCall, PlaceOutcome } from "#ports/call-line.ts";
import type { CallStore, OwedCall } from "#ports/call-store.ts";
import type { Conductor } from "#ports/scripted-contact.ts";
import { type CallBehavior, callBehaviorOf, isCongested } from "./call-behavior.ts";
import {
  type Carried,
  type CourseParts,
  type Handle,
  inOrder,
  notConnected,
  openHandle,
  ring,
  talk,
  unanswered,
} from "./call-course.ts";
import { gathered } from "./gathered.ts";
import { type CallPace, paceOf } from "./pace.ts";
import { ringForPerson } from "./played-call.ts";

export type SimulatedLineSettings = {
  latencyMs: number;
  /** The share of calls taken whose reply is lost. */
  lostReplyRate: number;
  reports: "lookup" | "receipt" | "nothing";
  profile: "strict" | "federal";
  pace: CallPace;
};

type Parts = {
  store: CallStore;
  conduct: Conductor;
  bridge?: CourseParts["bridge"];
  /** Calls that `conduct` could hold now beside those that it holds, where it holds only so many. */
  room?: () => number;
  windows: CallingWindows;
  now: () => Date;
  random: () => number;
};

export type SimulatedCallLine = CallLine & {
  /**
   * Brings the calls that phones have made to us by now; answers with how many. Any number of processes may do so at once; what a crash
   * cuts off is brought again, as carriers do. Calls that are taken go on after it.
   */
  deliver(incoming: IncomingCalls, now: Date, signal: AbortSignal): Promise<number>;
};

/** How long a caller has to wait when the network is full. */
const RETRY_AFTER_MS = 200;
/** As long as a text's: shorter than any real carrier's. */
const SETTLE_MS = 2_000;
/** Of its latency, what passes before it has the call; the rest before it answers. */
const ON_THE_WAY_MS = 1_000;
/** So many in hand fill the database statements, and are some megabytes; by the clock a call stays in hand for minutes. */
const MOST_AT_ONCE = { full: 1_000, clock: 20_000 };
const BATCH = 100;
const BROUGHT_AT_ONCE = 4;
/** A call to us is taken after one ring. */
const WE_ANSWER_AFTER_MS = 1_000;

type Refusal = { code: string; reason: DisconnectionReason; retryAfterMs?: number };
type Dialed =
  | { kind: "taken"; call: Carried; behavior: CallBehavior }
  | ({ kind: "refused" } & Refusal)
  | { kind: "doubtful"; code: string };

type Dialing = { plan: CallPlan; on: CallObserver; handle: Handle; mayLeave: () => boolean };

/** Simulated calls: the carrier commits what it accepts before it answers, and never looks whether it had it before. */
export function simulatedCallLine(parts: Parts, settings: SimulatedLineSettings): SimulatedCallLine {
  const { store } = parts;
  let inHand = 0;
  /** Of those in hand, the calls that are not answered yet, by their handles' signals: each is conducted as soon as it is. */
  const ringing = new Set<AbortSignal>();
  const course: CourseParts = {
    conduct(call, on) {
      ringing.delete(call.stop);
      return parts.conduct(call, on);
    },
    pace: paceOf(settings.pace, store, parts.now),
    clock: paceOf("clock", store, parts.now),
    store,
    bridge: parts.bridge,
    now: parts.now,
    end: gathered(async (tenantId, calls) => store.end(tenantId, calls).then(() => [])),
    acknowledge: gathered(async (tenantId, calls) => store.acknowledge(tenantId, calls).then(() => [])),
  };
  const dial = gathered((tenantId, calls: readonly Dialing[]) => accept(parts, settings, tenantId, calls));

  /** Holds a place for the call until its end is reported. */
  const live = (handle: Handle, placed: Promise<PlaceOutcome>, report: Promise<CallReport>): LiveCall => {
    inHand++;
    ringing.add(handle.signal);
    const script = report.catch((): CallReport => {
      const at = parts.now();
      return unanswered(at, at, { reason: "error_unknown", code: "internal", status: "error" });
    });
    void script.then(() => {
      inHand--;
      ringing.delete(handle.signal);
      handle.over = true;
    });
    return { placed, report: script, stop: handle.stop, inject: handle.inject };
  };

  const bring = async (incoming: IncomingCalls, tenantId: Uuid, owedCall: OwedCall, now: Date): Promise<void> => {
    const stored = { handset: owedCall.handset, seq: owedCall.seq };
    const outcome: PlaceOutcome = { outcome: "placed", carrierId: `sim_${owedCall.seq}` };
    const answerAt = new Date(now.getTime() + WE_ANSWER_AFTER_MS);
    await incoming({
      tenantId,
      carrier: SIMULATOR,
      carrierId: outcome.carrierId,
      from: owedCall.handset,
      to: owedCall.number,
      at: owedCall.at,
      answer(plan, on) {
        const handle = openHandle();
        const contact = { answerer: "human" as const, says: owedCall.says, hangsUpWhenDone: true };
        const call = { plan, events: inOrder(on), handle, stored, dialedAt: owedCall.at };
        return live(handle, Promise.resolve(outcome), talk(course, call, answerAt, contact));
      },
      refuse() {
        const ended = { ...stored, outcome: "rejected" as const, endedAt: now, durationMs: 0, heard: [] };
        void course.end(tenantId, ended).catch(() => {});
      },
    });
  };

  return {
    name: SIMULATOR,
    capabilities: {
      lookupByRef: settings.reports === "lookup",
      settleMs: SETTLE_MS,
      callsPerSecond: undefined,
      concurrency: undefined,
    },
    room() {
      const left = MOST_AT_ONCE[settings.pace] - inHand;
      return Math.max(0, parts.room ? Math.min(left, parts.room() - ringing.size) : left);
    },
    mayCallFrom: async (_tenantId, number) => "phone" in normalizePhone(number),

    begin(plan, on, mayLeave) {
      const handle = openHandle();
      const dialed = dial(plan.tenantId, { plan, on, handle, mayLeave });
      const placed = dialed.then((result) => answerOf(result, parts, settings));
      const report = Promise.all([dialed, placed]).then(([result, { outcome }]) => {
        const at = new Date(parts.now().getTime() + plan.clockOffsetMs);
        if (result.kind === "refused") return unanswered(at, at, result);
        const lost = { outcome: "lost", reason: "error_unknown", status: "error", code: "reply_lost" } as const;
        if (result.kind === "doubtful") return unanswered(at, at, { ...lost, code: result.code });
        return outcome === "placed"
          ? result.behavior.isPlayed
            ? ringForPerson(course, result.call)
            : ring(course, result.call, result.behavior)
          : notConnected(course, result.call, result.call.dialedAt, lost);
      });
      return live(handle, placed, report);
    },

    async lookUp(tenantId, refs) {
      const found = await store.byRefs(tenantId, refs);
      return new Map([...found].map(([ref, seq]) => [ref, { carrierId: `sim_${seq}` }]));
    },

    async deliver(incoming, now, signal) {
      let delivered = 0;
      for (const { tenantId, tenantNow } of await store.owing(now)) {
        let served = BATCH;
        while (served === BATCH && !signal.aborted) {
          served = await store.serveOwed(tenantId, tenantNow, BATCH, async (owed) => {
            const left = owed.values();
            const some = async () => {
              for (const call of left) await bring(incoming, tenantId, call, tenantNow);
            };
            await Promise.all(Array.from({ length: BROUGHT_AT_ONCE }, some));
          });
          delivered += served;
        }
      }
      return delivered;
    },
  } satisfies SimulatedCallLine;
}

/** Takes what may be taken of many calls of a tenant, in two statements whatever their number. Never rejects. */
async function accept(
  parts: Parts,
  settings: SimulatedLineSettings,
  tenantId: Uuid,
  calls: readonly Dialing[],
): Promise<Dialed[]> {
  const onTheWayMs = Math.min(settings.latencyMs, ON_THE_WAY_MS);
  if (onTheWayMs > 0) await pause(onTheWayMs);
  const phones = [...new Set(calls.map(({ plan }) => plan.contactPhone))];
  const scripts = await parts.store.scripts(tenantId, phones).catch(() => undefined);
  if (scripts === undefined) return calls.map((call) => ({ kind: "refused", ...(stoppedBefore(call) ?? FULL) }));
  const behaviors = calls.map(({ plan }) => callBehaviorOf(plan, scripts.get(plan.contactPhone)));
  const refusals = calls.map((call, i) => refusalOf(call, behaviors[i]!));
  const taken = calls.flatMap((call, i) => {
    if (refusals[i]) return [];
    const at = new Date(parts.now().getTime() + call.plan.clockOffsetMs);
    return [{ ...call, at, outsideWindow: isOutsideWindow(parts, settings, call.plan, at) }];
  });
  let seqs: string[];
  try {
    seqs = taken.length === 0 ? [] : await parts.store.accept(tenantId, taken.map(entryOf));
  } catch {
    return refusals.map(
      (refusal): Dialed => (refusal ? { kind: "refused", ...refusal } : { kind: "doubtful", code: "books_away" }),
    );
  }
  let next = 0;
  return calls.map(({ plan, on, handle }, i): Dialed => {
    const refusal = refusals[i];
    if (refusal) return { kind: "refused", ...refusal };
    const { at } = taken[next]!;
    const stored = { handset: plan.contactPhone, seq: seqs[next++]! };
    return {
      kind: "taken",
      behavior: behaviors[i]!,
      call: { plan, events: inOrder(on), handle, stored, dialedAt: at },
    };
  });
}

const FULL: Refusal = { code: "503", reason: "telephony_provider_unavailable", retryAfterMs: RETRY_AFTER_MS };

/** What somebody has stopped is never placed; what only a process that stops cannot have is for another. */
function stoppedBefore({ handle: { signal, stopReason: reason } }: Dialing): Refusal | undefined {
  if (!signal.aborted) return undefined;
  return { code: "stopped", reason, ...(reason === "manual_stopped" ? {} : { retryAfterMs: 0 }) };
}

/** Asked right before the statement that takes the call. */
function refusalOf(dialing: Dialing, behavior: CallBehavior): Refusal | undefined {
  const { plan, mayLeave } = dialing;
  const stopped = stoppedBefore(dialing);
  if (stopped) return stopped;
  if (behavior.refuses === "invalid_number") return { code: "404", reason: "invalid_destination" };
  if (isCongested(behavior, plan.ref)) return FULL;
  return mayLeave() ? undefined : { code: "held_up", reason: "dial_failed", retryAfterMs: 0 };
}

const entryOf = ({ plan, at, outsideWindow }: Dialing & { at: Date; outsideWindow: boolean }) => ({
  handset: plan.contactPhone,
  number: plan.number,
  ref: plan.ref,
  campaign: plan.campaign,
  n: plan.n,
  at,
  endsBy: new Date(at.getTime() + plan.agent.ring_duration_ms + plan.agent.max_call_duration_ms),
  outsideWindow,
});

/** The carrier's own opinion on hours, by the contact's zone, of calls that nobody asked for. */
function isOutsideWindow(
  { windows }: Parts,
  { profile }: SimulatedLineSettings,
  { purpose, contactZone }: CallPlan,
  at: Date,
): boolean {
  if (purpose !== "call" && purpose !== "redial") return false;
  return !windows(at, { zones: [contactZone], states: [] }, { profile, channel: "voice" }).open;
}

/** What is reported to us, after the rest of the latency. */
async function answerOf(result: Dialed, { random }: Parts, settings: SimulatedLineSettings): Promise<PlaceOutcome> {
  if (settings.latencyMs > ON_THE_WAY_MS) await pause(settings.latencyMs - ON_THE_WAY_MS);
  if (result.kind === "doubtful") return { outcome: "uncertain", code: result.code };
  if (result.kind === "refused") {
    const { code, retryAfterMs } = result;
    return { outcome: "not_placed", code, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  }
  const lost = result.behavior.losesReply || (settings.lostReplyRate > 0 && random() < settings.lostReplyRate);
  return lost
    ? { outcome: "uncertain", code: "reply_lost" }
    : { outcome: "placed", carrierId: `sim_${result.call.stored.seq}` };
}
