import type { SipAgent } from "#adapters/sip-calls/agent.ts";
import type { CallEnd, CallEvents, InboundCall, SipCall } from "#adapters/sip-calls/call.ts";
import { USUAL_CODECS } from "#adapters/sip-messages/formats.ts";
import type { LocalMedia, RemoteMedia } from "#adapters/sip-messages/offer-answer.ts";
import type { Trunk } from "#adapters/sip-transport/trunk.ts";
import type { CallPlan } from "#domain/calls/plan.ts";
import type { CallReport, CarriedSound } from "#domain/calls/report.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Log } from "#operations/context.ts";
import type { CallLine, CallLineCapabilities, CallObserver, LiveCall, PlaceOutcome } from "#ports/call-line.ts";
import type { ObjectStore } from "#ports/object-store.ts";
import { lineReport } from "./line-report.ts";
import type { Plane, PlaneCall } from "./plane.ts";

/** A transfer that the trunk has not decided by then counts as refused. */
const TRANSFER_WITHIN_MS = 30_000;
/** A trunk cannot report what became of an INVITE; one may be on its way as long as RFC 3261's timer B. */
export const sipCapabilities = (trunk: Trunk): CallLineCapabilities => ({
  lookupByRef: false,
  settleMs: 32_000,
  callsPerSecond: trunk.callsPerSecond,
  concurrency: trunk.maxCalls,
});

export type SipLineParts = {
  agent: Pick<SipAgent, "call" | "room">;
  trunk: Trunk;
  /** Where the trunk is a tenant's account: its name among carriers, and the revision that it was opened at. */
  account?: { carrier: string; revision: number };
  plane: Plane;
  store: ObjectStore;
  mayCallFrom(tenantId: Uuid, number: string): Promise<boolean>;
  now(): Date;
  log: Log;
};

export type SipLine = CallLine & {
  /** Takes a call to us. */
  take(call: InboundCall, plan: CallPlan, on: CallObserver): LiveCall;
};

/** As campaigns and numbers store it. */
export const sipLineName = (trunk: Pick<Trunk, "name">): string => `sip:${trunk.name}`;

/** Calls over a SIP trunk: signalled here, their sound in the media plane. A trunk cannot report what became of an INVITE. */
export function sipLine(parts: SipLineParts): SipLine {
  const { agent, trunk, plane, account } = parts;
  return {
    name: account?.carrier ?? sipLineName(trunk),
    ...(account ? { revision: account.revision } : {}),
    capabilities: sipCapabilities(trunk),
    room: (direction) => (direction === "inbound" ? plane.room() : Math.min(agent.room(trunk.name), plane.room())),
    mayCallFrom: parts.mayCallFrom,
    lookUp: async () => new Map(),
    begin: (plan, on, mayLeave) =>
      conduct(parts, plan, on, (local, events) => {
        const { number: from, contactPhone: to, ref: callId } = plan;
        return agent.call(
          trunk.name,
          { from, to, callId, local, ringMs: plan.agent.ring_duration_ms, mayLeave },
          events,
        );
      }),
    take: (call, plan, on) =>
      conduct(
        parts,
        plan,
        on,
        (local, events) => {
          call.listen(events);
          call.answer(local);
          return call;
        },
        call,
      ),
  };
}

/**
 * One call from the first byte to the report: it rings, is answered, has audio, ends. Each happens once; the first end, from either side, counts.
 * `incoming` is a call to us: it is rejected where it cannot be taken.
 */
function conduct(
  parts: SipLineParts,
  plan: CallPlan,
  on: CallObserver,
  signal: (local: LocalMedia, events: CallEvents) => SipCall,
  incoming?: SipCall,
): LiveCall {
  const { log } = parts;
  const date = () => new Date(parts.now().getTime() + plan.clockOffsetMs);
  const dialedAt = date();
  const placed = Promise.withResolvers<PlaceOutcome>();
  const signalled = Promise.withResolvers<CallEnd>();
  let sip = incoming;
  let answeredAt: Date | undefined;
  let carried: CarriedSound | undefined;
  let stopped: Parameters<LiveCall["stop"]>[0] | undefined;
  let transferring: ((ok: boolean) => void) | undefined;

  const reportEvent: CallObserver = (event) =>
    on(event).catch((err) => log.warn({ err, call: plan.callId, event: event.kind }, "an event of a call was lost"));

  const transfer = (to: string) =>
    new Promise<boolean>((resolve) => {
      const patience = setTimeout(() => transferring?.(false), TRANSFER_WITHIN_MS);
      transferring = (ok) => {
        clearTimeout(patience);
        transferring = undefined;
        resolve(ok);
      };
      sip?.refer(to);
    });

  const held: PlaneCall = parts.plane.open(
    plan,
    { kind: "rtp", srtp: parts.trunk.srtp !== "off", codecs: parts.trunk.codecs ?? USUAL_CODECS },
    { report: on, transfer, press: (digits) => sip?.press(digits) },
  );

  const events: CallEvents = {
    proceeding: () => placed.resolve({ outcome: "placed", carrierId: plan.ref }),
    ringing() {
      placed.resolve({ outcome: "placed", carrierId: plan.ref });
      reportEvent({ kind: "ringing", at: date().toISOString() });
    },
    answered(remote) {
      placed.resolve({ outcome: "placed", carrierId: plan.ref });
      answeredAt = date();
      reportEvent({ kind: "answered", at: answeredAt.toISOString() });
      carried = carriedBy(remote);
      held.begin(answeredAt, remote);
      if (stopped) held.end(stopped);
    },
    media(remote) {
      carried = carriedBy(remote, carried);
      held.move(remote);
    },
    dtmf: (digit) => held.digit(digit),
    transferred({ status, isFinal }) {
      if (isFinal) transferring?.(status < 300);
    },
    ended(end) {
      transferring?.(false);
      placed.resolve(placeOf(end, stopped, parts.account !== undefined));
      // Speech that is still playing is cut off; the session returns the result.
      held.end(answeredAt ? (end.cause === "lost" ? "error_unknown" : "user_hangup") : end.reason);
      signalled.resolve(end);
    },
  };

  held.local
    .then((local) => {
      if (stopped) return signalled.resolve(NOT_BEGUN);
      sip = signal(local!, events);
    })
    .catch((error) => signalled.resolve({ ...NOT_BEGUN, text: (error as Error).message, retryAfterMs: 1_000 }));
  signalled.promise.then((end) => placed.resolve(placeOf(end, stopped, parts.account !== undefined)));
  // The audio ends first when the agent is done: then we hang up.
  held.ended.then(() => sip?.hangup());

  return {
    placed: placed.promise,
    report: report(),
    stop(reason) {
      stopped ??= reason;
      if (answeredAt) held.end(reason);
      else sip?.hangup();
    },
    inject: (text) => held.inject(text),
  };

  async function report(): Promise<CallReport> {
    const end = await signalled.promise;
    if (!answeredAt) held.end(end.reason);
    const result = await held.ended;
    const times = { dialedAt, answeredAt, endedAt: date() };
    return lineReport(parts, plan, times, result, { reason: stopped ?? end.reason, ...wordsOf(end) }, carried);
  }
}

const carriedBy = ({ codec, srtp }: RemoteMedia, before?: CarriedSound): CarriedSound => ({
  codec: codec.toLowerCase(),
  encrypted: srtp !== undefined && before?.encrypted !== false,
});

const wordsOf = ({ status, text }: CallEnd) =>
  status === undefined ? {} : { carrierCode: String(status), ...(text === "" ? {} : { carrierText: text }) };

/** Nothing has left. */
const NOT_BEGUN: CallEnd = {
  cause: "not_placed",
  text: "not begun",
  reason: "dial_failed",
  mayHaveArrived: false,
};

/** After a tenant's trunk has refused its credentials. Until somebody repairs the account nothing more is dialled by it. */
const REFUSED_RETRY_MS = 60_000;

/** What the end of a call that the trunk never took means for its dial. A call that was stopped is not placed again later. */
function placeOf(end: CallEnd, stopped: Parameters<LiveCall["stop"]>[0] | undefined, isAccount: boolean): PlaceOutcome {
  // RFC 3261, 22.1: it was asked for credentials, and never went further than to who asks.
  if (isAccount && end.cause === "refused" && (end.status === 401 || end.status === 407)) {
    const again = stopped === "manual_stopped" ? {} : { retryAfterMs: REFUSED_RETRY_MS };
    return { outcome: "not_placed", code: String(end.status), because: "carrier_key_refused", ...again };
  }
  // A refusal is the trunk's answer: the call was placed, and this is what became of it.
  if (end.status !== undefined && end.cause === "refused") return { outcome: "placed", carrierId: "" };
  if (end.mayHaveArrived) return { outcome: "uncertain", code: end.text };
  if (stopped === "manual_stopped") return { outcome: "not_placed", code: end.text };
  return { outcome: "not_placed", code: end.text, retryAfterMs: end.retryAfterMs ?? 5_000 };
}
