import { setTimeout as pause } from "node:timers/promises";
import type { DisconnectionReason } from "#domain/calls/call.ts";
import type { CallPlan } from "#domain/calls/plan.ts";
import type { CallEvent, CallReport } from "#domain/calls/report.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { CallObserver, LiveCall } from "#ports/call-line.ts";
import type { CallOutcome, CallStore, EndedCall, StoredCall } from "#ports/call-store.ts";
import type { ConductedCall, Conductor } from "#ports/scripted-contact.ts";
import type { SoundBridge } from "#ports/sound-bridge.ts";
import type { CallBehavior } from "./call-behavior.ts";
import type { Pace } from "./pace.ts";

export type CourseParts = {
  conduct: Conductor;
  pace: Pace;
  now: () => Date;
  /** Commits how a call ended. */
  end(tenantId: Uuid, call: EndedCall): Promise<void>;
  /** Of calls that a person plays: time that passes. */
  clock: Pace;
  store: Pick<CallStore, "play" | "note" | "takeAsked" | "clockOffsetMs">;
  /** Where calls that a person plays are had by a microphone; undefined where nothing can hear. */
  bridge: Pick<SoundBridge, "address" | "offer"> | undefined;
  /** Commits that an opt-out in a call has been taken in. */
  acknowledge(tenantId: Uuid, call: StoredCall): Promise<void>;
};

/** What was asked of a call from outside. */
export type Handle = Pick<LiveCall, "stop" | "inject"> & {
  signal: AbortSignal;
  stopReason: Parameters<LiveCall["stop"]>[0];
  injected: string[];
  over: boolean;
};

/** A call that the carrier has: who it is for, its stored row, and when it was dialled. */
export type Carried = { plan: CallPlan; events: Events; handle: Handle; stored: StoredCall; dialedAt: Date };

export type Events = {
  /** Each after the one before was taken in. Rejects as the observer does. */
  report: CallObserver;
  /** Resolves once every report has been taken in, or has failed. */
  settled(): Promise<unknown>;
};

/** While the database is away: the stored call stays open until it is back, or for ever. */
const STORE_AGAIN_MS = 1_000;
const STORE_TRIES = 30;

export const UNANSWERED: Record<
  NonNullable<CallBehavior["turnsAway"]>,
  { outcome: CallOutcome; reason: DisconnectionReason; code: string }
> = {
  busy: { outcome: "busy", reason: "dial_busy", code: "486" },
  decline: { outcome: "declined", reason: "user_declined", code: "603" },
  // RFC 3261, 9: we cancel, and that is what is answered.
  no_answer: { outcome: "no_answer", reason: "dial_no_answer", code: "487" },
  unreachable: { outcome: "unreachable", reason: "dial_failed", code: "480" },
  // RFC 8197 and RFC 8688.
  unwanted: { outcome: "declined", reason: "marked_as_spam", code: "607" },
  spam_blocked: { outcome: "declined", reason: "marked_as_spam", code: "608" },
};

export function openHandle(): Handle {
  const stopping = new AbortController();
  const handle: Handle = {
    signal: stopping.signal,
    stopReason: "manual_stopped",
    injected: [],
    over: false,
    stop(reason) {
      if (stopping.signal.aborted) return;
      handle.stopReason = reason;
      stopping.abort();
    },
    inject(text) {
      if (!handle.over) handle.injected.push(text);
      return !handle.over;
    },
  };
  return handle;
}

/** Lets the phone ring, and whoever takes the call hold it. Resolves once the end is stored. */
export async function ring(parts: CourseParts, call: Carried, behavior: CallBehavior): Promise<CallReport> {
  const { plan, dialedAt, handle } = call;
  const { ring_duration_ms: patienceMs } = plan.agent;
  const turnsAway = behavior.turnsAway ?? (behavior.ringMs >= patienceMs ? "no_answer" : undefined);
  const ringMs = turnsAway === "no_answer" ? patienceMs : behavior.ringMs;
  if (ringMs > 0) note(call, { kind: "ringing", at: dialedAt.toISOString() });
  const endsRinging = new Date(dialedAt.getTime() + ringMs);
  await parts.pace.reach(plan.tenantId, endsRinging, handle.signal);
  if (handle.signal.aborted) {
    const at = earlier(new Date(parts.now().getTime() + plan.clockOffsetMs), endsRinging, dialedAt);
    return notConnected(parts, call, at, { outcome: "cancelled", reason: handle.stopReason, code: "487" });
  }
  if (turnsAway) return notConnected(parts, call, endsRinging, UNANSWERED[turnsAway]);
  return talk(parts, call, endsRinging, behavior.contact);
}

/** Holds a call that has been taken, at this moment. Resolves once the end is stored. */
export async function talk(
  parts: CourseParts,
  call: Carried,
  answeredAt: Date,
  contact: CallBehavior["contact"],
): Promise<CallReport> {
  const { plan, handle, dialedAt } = call;
  note(call, { kind: "answered", at: answeredAt.toISOString() });
  await parts.pace.turn();
  const conducted = await parts.conduct(
    {
      plan,
      contact,
      answeredAt,
      stop: handle.signal,
      stopReason: () => handle.stopReason,
      takeInjected: () => handle.injected.shift(),
      reach: (atMs) => parts.pace.reach(plan.tenantId, new Date(answeredAt.getTime() + atMs), handle.signal),
    },
    async (event) => {
      if (contact.played && event.kind === "utterance") {
        const { role, text } = event.utterance;
        const line = { by: role === "contact" ? ("handset" as const) : ("agent" as const), text };
        await parts.store.note(plan.tenantId, call.stored, { line });
      }
      await call.events.report(event);
      if (event.kind === "opt_out") await parts.acknowledge(plan.tenantId, call.stored);
    },
  );
  handle.over = true;
  const endedAt = new Date(answeredAt.getTime() + conducted.durationMs);
  const isMailbox = contact.answerer === "voicemail" || contact.answerer === "full_mailbox";
  await storeEnd(parts, call, {
    ...call.stored,
    outcome: isMailbox ? "voicemail" : "answered",
    endedAt,
    durationMs: conducted.durationMs,
    heard: conducted.utterances.flatMap(({ role, text }) => (role === "agent" ? [text] : [])),
  });
  return {
    dialedAt: dialedAt.toISOString(),
    answeredAt: answeredAt.toISOString(),
    endedAt: endedAt.toISOString(),
    ...conducted,
  };
}

/** Ends a call that nobody took, or whose reply was lost. Resolves once that is stored. */
export async function notConnected(
  parts: CourseParts,
  call: Carried,
  at: Date,
  why: { outcome: CallOutcome; reason: DisconnectionReason; code: string; status?: "error" },
): Promise<CallReport> {
  call.handle.over = true;
  const ended = { ...call.stored, outcome: why.outcome, endedAt: at, durationMs: 0, heard: [] };
  await storeEnd(parts, call, ended);
  return unanswered(call.dialedAt, at, why);
}

/** The report of a call that came to nothing. */
export function unanswered(
  dialedAt: Date,
  endedAt: Date,
  { reason, code, status }: { reason: DisconnectionReason; code: string; status?: "error" },
): CallReport {
  return {
    status: status ?? "not_connected",
    reason,
    carrierCode: code,
    dialedAt: dialedAt.toISOString(),
    endedAt: endedAt.toISOString(),
    ...NOTHING_SAID,
  };
}

const NOTHING_SAID = {
  durationMs: 0,
  inVoicemail: false,
  voicemailLeft: false,
  utterances: [],
  latencies: [],
  requests: {},
  usage: { voiceCharacters: 0, speechToTextMs: 0, inputTokens: 0, outputTokens: 0 },
} satisfies Partial<ConductedCall>;

export function inOrder(on: CallObserver): Events {
  let last: Promise<unknown> = Promise.resolve();
  return {
    report(event) {
      const script = last.then(() => on(event));
      last = script.catch(() => {});
      return script;
    },
    settled: () => last,
  };
}

/** Nothing waits for it, and nothing fails with it. */
export const note = ({ events }: Carried, event: CallEvent): void => void events.report(event).catch(() => {});

/** After the observer, so that whoever reads the report has all that came before. */
async function storeEnd({ end }: CourseParts, { plan, events }: Carried, call: EndedCall): Promise<void> {
  await events.settled();
  await insist(() => end(plan.tenantId, call));
}

/** Writes to the database, again while it is away, for as long as it makes sense. Never rejects. */
export async function insist(write: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await write();
    } catch {
      if (tries === STORE_TRIES) return;
      await pause(STORE_AGAIN_MS);
    }
  }
}

/** A stop comes between the two. */
const earlier = (at: Date, latest: Date, least: Date): Date =>
  new Date(Math.max(least.getTime(), Math.min(at.getTime(), latest.getTime())));
