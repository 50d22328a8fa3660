import type { Placing, TwilioCalls } from "#adapters/twilio-calls/calls.ts";
import { type FinalStatus, isFinal, unansweredReason } from "#adapters/twilio-calls/outcome.ts";
import { openStream, type Stream } from "#adapters/twilio-calls/stream.ts";
import type { DisconnectionReason } from "#domain/calls/call.ts";
import type { CallPlan } from "#domain/calls/plan.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Log } from "#operations/context.ts";
import type { CallLine, CallLineCapabilities, CallObserver, LiveCall, PlaceOutcome } from "#ports/call-line.ts";
import type { CallNews, StreamBridge } from "#ports/call-streams.ts";
import type { ObjectStore } from "#ports/object-store.ts";
import { lineReport } from "./line-report.ts";
import type { Plane } from "./plane.ts";

/** A call that was answered, and whose stream does not come by then, has no sound. */
const STREAM_WITHIN_MS = 15_000;
/** Beyond the longest ring: Twilio's report of the end comes within moments, and the call is asked for where it does not. */
const NEWS_WITHIN_MS = 20_000;
/** A create without an answer is looked for this often and this long: others take its dial for lost after a minute. */
const LOOK_EVERY_MS = 3_000;
const LOOK_FOR_MS = 25_000;
/** The agent's last words are played to their end before the call is ended, where the carrier says when that is. */
const PLAYED_WITHIN_MS = 2_000;
const REQUEST_WITHIN_MS = 20_000;
/** Where Twilio has taken a transfer whose answer is lost, the stream is over by then. */
const LEFT_WITHIN_MS = 5_000;
/** Longer no call is kept from being taken for one whose request had no answer: it is older than any that is looked for. */
const KNOWN_FOR_MS = 5 * 60_000;
/** What is said last has been played. */
const LAST_WORDS = "last-words";

export const streamCapabilities = (callsPerSecond: number): CallLineCapabilities => ({
  lookupByRef: false,
  settleMs: LOOK_FOR_MS,
  callsPerSecond,
  concurrency: undefined,
});

/** The calls of this node whose sound comes by streams, by id, and what the carrier reports of them. */
export type Streams = { bridge: StreamBridge; held: Map<Uuid, (carrier: string, news: CallNews) => boolean> };

export type StreamLineParts = {
  account: { carrier: string; revision: number };
  calls: TwilioCalls;
  callsPerSecond: number;
  streams: Streams;
  plane: Plane;
  store: ObjectStore;
  mayCallFrom(tenantId: Uuid, number: string): Promise<boolean>;
  now(): Date;
  log: Log;
};

export type StreamLine = CallLine & {
  /** Takes a call to us, by the carrier's id: its stream is expected with the ticket. */
  take(carrierId: string, plan: CallPlan, on: CallObserver): Taken;
};

/** `begun`: its stream is there, or the call is over without one. */
export type Taken = { live: LiveCall; ticket: string; begun: Promise<void> };

type End = { reason: DisconnectionReason; code?: string; text?: string };

/** Calls over Twilio without a trunk: placed by its API, their sound by a Media Stream that another node passes on. */
export function streamLine(parts: StreamLineParts): StreamLine {
  const { account, calls, plane } = parts;
  /** Calls that the carrier is known to have, so that none is taken for one whose request had no answer. */
  const known = new Set<string>();
  return {
    name: account.carrier,
    revision: account.revision,
    capabilities: streamCapabilities(parts.callsPerSecond),
    room: () => (calls.isReachable ? plane.room() : 0),
    mayCallFrom: parts.mayCallFrom,
    lookUp: async () => new Map(),
    begin: (plan, on, mayLeave) => conduct(parts, known, plan, on, { mayLeave }).live,
    take: (carrierId, plan, on) => conduct(parts, known, plan, on, { carrierId }),
  };
}

/**
 * One call from its request to its report. It is placed, rings, is answered by its stream, and ends; the first end, from whichever side, counts.
 * The carrier's reports come in any order and may be lost: what matters is asked for.
 */
function conduct(
  parts: StreamLineParts,
  known: Set<string>,
  plan: CallPlan,
  on: CallObserver,
  how: { mayLeave: () => boolean } | { carrierId: string },
): Taken {
  const { log, calls, streams, account } = parts;
  const date = () => new Date(parts.now().getTime() + plan.clockOffsetMs);
  const dialedAt = date();
  const placed = Promise.withResolvers<PlaceOutcome>();
  const ended = Promise.withResolvers<End>();
  const isEnded = new AbortController();
  const begun = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  const timers = new Set<NodeJS.Timeout>();
  let sid: string | undefined = "carrierId" in how ? how.carrierId : undefined;
  let stream: Stream | undefined;
  let answeredAt: Date | undefined;
  let hasRung = false;
  let transfer: "none" | "asked" | "done" = "none";
  /** Twilio may have taken a transfer that it did not answer. */
  let mayBeThrough = false;
  let hasLeft = false;
  /** While a transfer is asked for, an end may be its doing: it counts once that has failed. */
  let ignored: End | undefined;
  let stopped: Parameters<LiveCall["stop"]>[0] | undefined;
  let played: (() => void) | undefined;

  const within = () => AbortSignal.timeout(REQUEST_WITHIN_MS);
  const after = (ms: number, run: () => void) => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      run();
    }, ms);
    timers.add(timer);
  };
  /** Until then, or until the call is over. */
  const pauseFor = (ms: number) =>
    new Promise<void>((resolve) => {
      after(ms, resolve);
      isEnded.signal.addEventListener("abort", () => resolve(), { once: true });
    });
  const reportEvent: CallObserver = (event) =>
    on(event).catch((err) => log.warn({ err, call: plan.callId, event: event.kind }, "an event of a call was lost"));

  const expected = streams.bridge.expect(account.carrier, plan.callId);
  const held = parts.plane.open(
    plan,
    { kind: "web" },
    { report: on, transfer: putThrough, sound: (frame) => stream?.send(frame), clear: () => stream?.clear() },
  );
  streams.held.set(plan.callId, (carrier, news) => {
    if (carrier !== account.carrier || (sid !== undefined && news.carrierId !== sid)) return false;
    take(news);
    return true;
  });

  function isPlaced(carrierId: string): void {
    sid ??= carrierId;
    keepKnown(sid);
    placed.resolve({ outcome: "placed", carrierId: sid });
    if (stopped && !answeredAt) void end({ reason: stopped });
  }

  function keepKnown(carrierId: string): void {
    if (known.has(carrierId)) return;
    known.add(carrierId);
    setTimeout(() => known.delete(carrierId), KNOWN_FOR_MS).unref();
  }

  /** The call is over, or has never been. */
  async function end(how: End): Promise<void> {
    if (isEnded.signal.aborted) return;
    isEnded.abort();
    for (const timer of timers) clearTimeout(timer);
    expected.withdraw();
    streams.held.delete(plan.callId);
    stream?.close();
    held.end(how.reason);
    ended.resolve(how);
    begun.resolve();
    // Who may be speaking to somebody else by now is not cut off.
    const isElsewhere = transfer === "done" || (hasLeft && (mayBeThrough || transfer === "asked"));
    if (sid !== undefined && !isElsewhere) await calls.hangUp(sid, within());
  }

  function answered(callSid: string): void {
    isPlaced(callSid);
    if (isEnded.signal.aborted) return;
    answeredAt = date();
    begun.resolve();
    void reportEvent({ kind: "answered", at: answeredAt.toISOString() });
    const at = answeredAt;
    held.local.then(
      () => {
        held.begin(at);
        if (stopped) held.end(stopped);
      },
      () => end({ reason: "error_unknown" }),
    );
  }

  expected.taken.then((socket) => {
    stream = openStream(socket, {
      started(start) {
        if (start.accountSid !== calls.accountSid || (sid !== undefined && start.callSid !== sid)) return false;
        answered(start.callSid);
        return true;
      },
      sound: held.receiveAudio,
      digit: held.digit,
      marked(name) {
        if (name === LAST_WORDS) played?.();
      },
      ended(how) {
        hasLeft = true;
        endUnlessTransferred({ reason: how === "stopped" ? "user_hangup" : "error_unknown" });
        left.resolve();
      },
    });
  });

  async function putThrough(to: string): Promise<boolean> {
    if (sid === undefined) return false;
    transfer = "asked";
    const outcome = await calls.transfer(sid, to, plan.number, within());
    const isThrough = outcome === "unclear" ? await isProbablyThrough(sid) : outcome === "through";
    transfer = isThrough ? "done" : "none";
    if (!isThrough && ignored) void end(ignored);
    return isThrough;
  }

  /** Whose stream goes on is with us; whose stream is over has been put through, unless Twilio says that the call is over too. */
  async function isProbablyThrough(carrierId: string): Promise<boolean> {
    mayBeThrough = true;
    await Promise.race([left.promise, pauseFor(LEFT_WITHIN_MS)]);
    if (!hasLeft) return false;
    const standing = await calls.read(carrierId, within());
    return !(standing && isFinal(standing.status));
  }

  function endUnlessTransferred(how: End): void {
    if (transfer === "none") void end(how);
    else ignored ??= how;
  }

  function take({ carrierId, status, code }: CallNews): void {
    isPlaced(carrierId);
    if (isFinal(status)) {
      endUnlessTransferred(answeredAt ? { reason: "user_hangup" } : unanswered(status, code));
      return;
    }
    if (status === "ringing" && !hasRung) {
      hasRung = true;
      void reportEvent({ kind: "ringing", at: date().toISOString() });
    }
    if (status === "in-progress" && !answeredAt) awaitStream();
  }

  function awaitStream(): void {
    after(STREAM_WITHIN_MS, () => {
      if (!answeredAt) void end({ reason: "error_no_audio_received", text: "no stream came for the call" });
    });
  }

  const unanswered = (status: FinalStatus, code?: number): End => ({
    reason: stopped ?? unansweredReason(status, code),
    ...(code === undefined ? {} : { code: String(code) }),
    text: status,
  });

  /** Where the report of the end was lost, the carrier is asked; one that does not say so has its call ended. */
  function watchRing(): void {
    after(plan.agent.ring_duration_ms + NEWS_WITHIN_MS, async () => {
      if (answeredAt) return;
      const standing = sid === undefined ? undefined : await calls.read(sid, within());
      if (answeredAt || isEnded.signal.aborted) return;
      const status = standing && isFinal(standing.status) ? standing.status : "no-answer";
      void end(unanswered(status));
    });
  }

  async function placeCall(mayLeave: () => boolean): Promise<void> {
    await held.local;
    if (stopped) {
      placed.resolve({ outcome: "not_placed", code: "not begun" });
      return end({ reason: stopped });
    }
    let since = parts.now();
    const { number: from, contactPhone: to, callId: ref } = plan;
    const ringMs = plan.agent.ring_duration_ms;
    // It may have waited for its turn.
    const leaves = () => {
      since = parts.now();
      return mayLeave();
    };
    const request = { from, to, ref, ticket: expected.ticket, ringMs, mayLeave: leaves };
    const placing = await calls.place(request, within());
    watchRing();
    if (placing.outcome === "placed") return isPlaced(placing.sid);
    if (placing.outcome === "refused") {
      placed.resolve(notPlaced(placing, stopped));
      return end({ reason: stopped ?? placing.reason, code: placing.code, text: placing.words });
    }
    await lookFor({ from, to, since });
    // The stream, or a report, may still come: then the call goes on, whatever is made of its dial.
    placed.resolve({ outcome: "uncertain", code: placing.code });
  }

  async function lookFor(wanted: { from: string; to: string; since: Date }): Promise<void> {
    const until = performance.now() + LOOK_FOR_MS;
    while (sid === undefined && !isEnded.signal.aborted && performance.now() < until) {
      const found = await calls.find({ ...wanted, now: parts.now, known }, within());
      if (sid !== undefined || isEnded.signal.aborted) return;
      if (found) return isPlaced(found.sid);
      await pauseFor(LOOK_EVERY_MS);
    }
  }

  if ("mayLeave" in how) {
    placeCall(how.mayLeave).catch((error) => {
      placed.resolve({ outcome: "not_placed", code: (error as Error).message, retryAfterMs: 1_000 });
      void end({ reason: "dial_failed", text: (error as Error).message });
    });
  } else {
    isPlaced(how.carrierId);
    awaitStream();
  }

  const result = held.ended.then(async (sound) => {
    // The agent is done, or the process that held the sound is gone.
    if (stream && transfer !== "done" && !isEnded.signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      played = resolve;
      stream.mark(LAST_WORDS);
      await Promise.race([promise, pauseFor(PLAYED_WITHIN_MS)]);
    }
    void end({ reason: sound.reason });
    return sound;
  });

  const live: LiveCall = {
    placed: placed.promise,
    report: ended.promise.then(async (end) => {
      const sound = await result;
      const signalled = {
        reason: stopped ?? end.reason,
        ...(end.code === undefined ? {} : { carrierCode: end.code }),
        ...(end.text === undefined ? {} : { carrierText: end.text }),
      };
      // All that a Media Stream has.
      const carried = { codec: "pcmu", encrypted: calls.isEncrypted };
      return lineReport(parts, plan, { dialedAt, answeredAt, endedAt: date() }, sound, signalled, carried);
    }),
    stop(reason) {
      stopped ??= reason;
      if (answeredAt) held.end(reason);
      else if (sid !== undefined) void end({ reason });
    },
    inject: (text) => held.inject(text),
  };
  return { live, ticket: expected.ticket, begun: begun.promise };
}

function notPlaced(
  { code, because, retryAfterMs }: Extract<Placing, { outcome: "refused" }>,
  stopped: Parameters<LiveCall["stop"]>[0] | undefined,
): PlaceOutcome {
  const again = stopped === "manual_stopped" || retryAfterMs === undefined ? {} : { retryAfterMs };
  return { outcome: "not_placed", code, ...(because ? { because } : {}), ...again };
}
