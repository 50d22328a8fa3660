import { randomBytes } from "node:crypto";
import { promises as dns } from "node:dns";
import { type Header, header, headerList, type SipRequest } from "#adapters/sip-messages/message.ts";
import { KNOWN_METHODS } from "#adapters/sip-messages/parse-message.ts";
import { parseUri } from "#adapters/sip-messages/uri.ts";
import { type Clock, fraction, type Log, type Random, stoppable, systemClock } from "#adapters/sip-transport/clock.ts";
import { createDoor } from "#adapters/sip-transport/door.ts";
import { calledIn, gatekeeper } from "#adapters/sip-transport/gatekeeper.ts";
import { keepAlive } from "#adapters/sip-transport/keep-alive.ts";
import { type DialogListener, type Link, linkOf } from "#adapters/sip-transport/link.ts";
import type { Resolver } from "#adapters/sip-transport/locate.ts";
import { type Registration, register } from "#adapters/sip-transport/registration.ts";
import { type Core, type ServerTransaction, transactionLayer } from "#adapters/sip-transport/transactions.ts";
import { type Bind, openTransports, type Protocol, type Transports } from "#adapters/sip-transport/transports.ts";
import type { Trunk } from "#adapters/sip-transport/trunk.ts";
import { dropCounter, type NetworkDrops } from "#domain/system/network-drop.ts";
import type { CallEvents, CallRequest, InboundCall, SipCall } from "./call.ts";
import { dialogOfCall, takeCall } from "./inbound-call.ts";
import { notPlaced, placeCall } from "./outbound-call.ts";
import { reasonOf } from "./outcome.ts";
import { ALLOW, SUPPORTED } from "./session.ts";
import { asksForTooLittle, MIN_SESSION_SECONDS } from "./session-timer.ts";

export type SipAgentParts = {
  /** Those that are there from the start. */
  trunks: readonly Trunk[];
  bind: Bind;
  log: Log;
  clock?: Clock;
  random?: Random;
  resolver?: Resolver;
  /** Sees every message that leaves or comes: for whoever finds out what is wrong with a trunk. */
  trace?(way: "sent" | "received", bytes: Buffer): void;
};

export type TrunkEvents = {
  refused?(status: number, reason: string): void;
  problem?(sentence: string | undefined): void;
};

export type SipAgent = {
  /**
   * Adds a trunk, or takes another's place by its name: what is placed or taken from now on is by this one. `refused` learns of each registration that
   * the registrar refuses, `problem` of what is wrong with its servers or its registration, as a sentence without its end, and (undefined) that nothing is.
   */
  put(trunk: Trunk, on?: TrunkEvents): void;
  /** Nothing is placed or taken by it any more, and its registration ends; its calls go on. Safe to repeat. */
  remove(name: string): void;
  /** Registers anew within seconds where a trunk is registered. */
  registerAnew(name: string): void;
  /** Places a call over a trunk. Never throws: what is wrong is reported by `ended`. */
  call(trunk: string, request: CallRequest, on: CallEvents): SipCall;
  /** Who takes calls to us; until somebody does they are answered 480. The listener answers, rings or rejects, now or later. */
  onInvite(listener: (call: InboundCall) => void): void;
  /** Calls that could be placed over a trunk now: none while it does not answer. */
  room(trunk: string): number;
  trunkState(trunk: string): { isUp: boolean; isRegistered: boolean; calls: number };
  /** Where it listens, when the port was left to chance. */
  port(protocol: Protocol): number | undefined;
  /** Figures for tests and metrics. */
  count(): { calls: number; dialogs: number; client: number; server: number };
  /** What was dropped of what came, since it began. */
  drops(): NetworkDrops;
  /** Hangs up every call, then closes after the time that the goodbyes take. Safe to repeat. */
  close(): Promise<void>;
};

/** Goodbyes that take longer than this on the way out are not waited for. */
const CLOSE_WITHIN_MS = 500;
/** Registrations that are made anew for all trunks are spread over this. */
const REGISTER_ANEW_WITHIN_MS = 5_000;
/** A dialer that finds no room comes back after this. */
const NO_ROOM_RETRY_MS = 1_000;

/** Whether our side of a call may be described to the caller: an Accept that leaves that out forbids it (RFC 3261, 20.1). */
function takesSdp(request: SipRequest): boolean {
  const accepted = headerList(request, "accept").map((value) => value.split(";")[0]!.trim().toLowerCase());
  return accepted.length === 0 || ["application/sdp", "application/*", "*/*"].some((type) => accepted.includes(type));
}

/** What an INVITE outside of a call has to be refused with, and any other request answered; undefined for one that is fit to ring. */
function refusalOf(request: SipRequest): { status: number; headers?: readonly Header[] } | undefined {
  const scheme = /^[^:]*/.exec(request.uri)![0].toLowerCase();
  const uri = parseUri(request.uri);
  if (uri === undefined) return { status: ["sip", "sips", "tel"].includes(scheme) ? 400 : 416 };
  // RFC 3261, 19.1.1: what they ask for would be done in somebody's name.
  if (uri.hasHeaders) return { status: 400 };
  const unknown = headerList(request, "require").filter((one) => !SUPPORTED.split(", ").includes(one.toLowerCase()));
  if (unknown.length > 0) return { status: 420, headers: [["unsupported", unknown.join(", ")]] };
  const about: Header[] = [
    ["allow", ALLOW],
    ["supported", SUPPORTED],
    ["accept", "application/sdp"],
  ];
  if (request.method === "OPTIONS") return { status: 200, headers: about };
  const isKnown = KNOWN_METHODS.has(request.method);
  const isOurs = ALLOW.split(", ").includes(request.method);
  if (request.method !== "INVITE") return { status: isOurs ? 481 : isKnown ? 405 : 501, headers: about };
  const type = header(request, "content-type")?.split(";")[0]?.trim().toLowerCase();
  const isOther = type !== "application/sdp" || header(request, "content-encoding") !== undefined;
  if (request.body.length > 0 && isOther) return { status: 415, headers: about };
  if (!takesSdp(request)) return { status: 406, headers: about };
  if (asksForTooLittle(request)) return { status: 422, headers: [["min-se", String(MIN_SESSION_SECONDS)]] };
  return undefined;
}

type Lane = {
  link: Link;
  calls: Set<SipCall>;
  tokens: number;
  filledAt: number;
  registration: Registration | undefined;
  /** Ends what is asked of the trunk by itself. */
  stopAsking(): void;
};

/** A SIP user agent for trunks: opens its sockets, registers where it is to, and takes and places calls until it is closed. */
export async function createSipAgent(parts: SipAgentParts): Promise<SipAgent> {
  const { random = randomBytes, resolver = dns, log } = parts;
  const clock = stoppable(parts.clock ?? systemClock);
  const dialogs = new Map<string, DialogListener>();
  const lanes = new Map<string, Lane>();
  /** Registrations that are being ended, by their trunk's name: the next one begins after it, or the goodbye would end that. */
  const parting = new Map<string, Promise<void>>();
  /** All that go on, also of trunks that are gone. */
  const calls = new Set<SipCall>();
  /** Inbound INVITEs by what stays the same when they come over two ways (RFC 3261, 8.2.2.2). */
  const merging = new Map<string, ServerTransaction>();
  let listener: ((call: InboundCall) => void) | undefined;
  let isClosing = false;
  let closed: Promise<void> | undefined;

  const keyOf = (callId: string, localTag: string) => `${callId} ${localTag}`;
  const dialogFor = (request: SipRequest) => dialogs.get(keyOf(request.callId, request.to.params.get("tag") ?? ""));
  const drops = dropCounter();
  const gate = gatekeeper({
    ...{ trunks: [], realm: "parley", clock, random, drops },
    isServerOf: ({ name }, address) => lanes.get(name)?.link.isServer(address) ?? false,
  });
  const door = createDoor({
    clock,
    drops,
    isListed: gate.isListed,
    isLocked: gate.isLocked,
    // An answer, or the end of a call, may come from another address than it was asked at.
    expectsStrangers: () => gate.asksOverUdp || dialogs.size > 0 || transactions.count().client > 0,
  });

  const core: Core = {
    isKnown: (request, source) => dialogFor(request) !== undefined || gate.trunkOf(request, source) !== undefined,
    refuse: (request, source) => gate.refusal(request, source),
    request(transaction) {
      const { request } = transaction;
      if (request.to.params.has("tag")) {
        const dialog = dialogFor(request);
        if (dialog) dialog.request(transaction);
        else transaction.respond({ status: 481, reason: reasonOf(481) });
        return;
      }
      outside(transaction, gate.trunkOf(request, transaction.source));
    },
    ack: (request) => dialogFor(request)?.ack(request),
  };

  const transports: Transports = await openTransports({
    bind: parts.bind,
    clock,
    log,
    door,
    drops,
    received(bytes, source) {
      parts.trace?.("received", bytes);
      transactions.received(bytes, source);
    },
  });
  const traced: Transports = {
    ...transports,
    send(hop, bytes, failed) {
      parts.trace?.("sent", bytes);
      transports.send(hop, bytes, failed);
    },
  };
  const transactions = transactionLayer({ clock, random, transports: traced, core, drops, log });

  for (const trunk of parts.trunks) begin(trunk);
  admit();

  /** Those that were there from the start come first: where two have a number and an address, the call is theirs. */
  function admit(): void {
    gate.admit([...lanes.values()].map(({ link }) => link.trunk));
  }

  function begin(trunk: Trunk, on: TrunkEvents = {}): void {
    const { refused, problem } = on;
    // Of one that was changed or removed meanwhile nothing is reported any more.
    const report =
      problem && ((sentence?: string) => (lanes.get(trunk.name)?.link === link ? problem(sentence) : undefined));
    const link: Link = linkOf({
      ...{ trunk, clock, random, log, transactions, transports, resolver, door, enroll },
      ...(report ? { problem: report } : {}),
    });
    const before = lanes.get(trunk.name);
    if (before) end(trunk.name, before);
    const lane: Lane = {
      link,
      // They count still.
      calls: before?.calls ?? new Set(),
      tokens: before?.tokens ?? trunk.callsPerSecond,
      filledAt: before?.filledAt ?? clock.now(),
      registration: undefined,
      stopAsking: trunk.keepAliveSeconds > 0 ? keepAlive(link) : () => {},
    };
    lanes.set(trunk.name, lane);
    if (!trunk.register) return;
    const join = () => {
      if (lanes.get(trunk.name) === lane && !isClosing) lane.registration = register(link, refused);
    };
    const former = parting.get(trunk.name);
    if (former) void former.then(join);
    else join();
  }

  /** Ends what a trunk does by itself. */
  function end(name: string, { registration, stopAsking }: Lane): void {
    stopAsking();
    if (!registration) return;
    const parted = registration.stop().then(() => {
      if (parting.get(name) === parted) parting.delete(name);
    });
    parting.set(name, parted);
  }

  /** A call of a trunk's, until it is over. */
  function hold(lane: Lane, call: SipCall): void {
    lane.calls.add(call);
    calls.add(call);
  }
  function release(lane: Lane, call: SipCall): void {
    lane.calls.delete(call);
    calls.delete(call);
  }

  function enroll(callId: string, localTag: string, dialog: DialogListener): () => void {
    dialogs.set(keyOf(callId, localTag), dialog);
    return () => dialogs.delete(keyOf(callId, localTag));
  }

  /** A request that is part of no call yet. */
  function outside(transaction: ServerTransaction, trunk: Trunk | undefined): void {
    const { request } = transaction;
    const lane = trunk && lanes.get(trunk.name);
    const say = (status: number, headers: readonly Header[] = []) =>
      void transaction.respond({ status, reason: reasonOf(status), headers });
    if (lane === undefined) {
      say(403);
      return;
    }
    const refusal = refusalOf(request);
    if (refusal) {
      say(refusal.status, refusal.headers);
      return;
    }
    const { numbers } = lane.link.trunk;
    if (numbers !== undefined && !numbers.includes(calledIn(request, lane.link.trunk))) {
      say(404);
      return;
    }
    const dialog = dialogOfCall(request, lane.link);
    if (dialog === undefined) {
      say(400, [["warning", '399 parley "no contact"']]);
      return;
    }
    if (isClosing || listener === undefined) {
      say(480);
      return;
    }
    if (lane.calls.size >= lane.link.trunk.maxCalls) {
      say(503, [["retry-after", "5"]]);
      return;
    }
    const merge = `${request.callId} ${request.cseq} ${request.from.params.get("tag") ?? ""}`;
    if (merging.has(merge)) {
      say(482);
      return;
    }
    merging.set(merge, transaction);
    const call: InboundCall = takeCall(lane.link, transaction, dialog, {
      ended: () => release(lane, call),
      closed: () => merging.delete(merge),
    });
    hold(lane, call);
    listener(call);
  }

  /** The bucket of calls per second, filled up to now. */
  function tokensOf(lane: Lane): number {
    const rate = lane.link.trunk.callsPerSecond;
    const now = clock.now();
    lane.tokens = Math.min(Math.max(1, rate), lane.tokens + ((now - lane.filledAt) / 1_000) * rate);
    lane.filledAt = now;
    return Math.floor(lane.tokens);
  }

  const roomOf = (lane: Lane): number =>
    isClosing || !lane.link.isUp()
      ? 0
      : Math.max(0, Math.min(lane.link.trunk.maxCalls - lane.calls.size, tokensOf(lane)));

  function refused(name: string, callId: string, on: CallEvents, text: string, retryAfterMs?: number): SipCall {
    queueMicrotask(() => on.ended({ ...notPlaced(text, retryAfterMs), reason: "dial_failed" }));
    return { callId, trunk: name, hangup() {}, hold: async () => false, refer() {}, press() {} };
  }

  async function close(): Promise<void> {
    isClosing = true;
    for (const call of calls) call.hangup();
    for (const [name, lane] of lanes) end(name, lane);
    // What is said in parting leaves a moment later: whereto is looked up first, and who has only just been answered acknowledges that.
    const until = clock.now() + CLOSE_WITHIN_MS;
    const isParting = () =>
      transactions.count().client > 0 || [...dialogs.values()].some((dialog) => dialog.waitsForAck());
    do {
      await new Promise<void>((done) => clock.after(10, done));
    } while (isParting() && clock.now() < until);
    transactions.close();
    clock.stop();
    await transports.close();
  }

  return {
    put(trunk, on) {
      if (isClosing) return;
      begin(trunk, on);
      admit();
    },
    remove(name) {
      const lane = lanes.get(name);
      if (lane === undefined) return;
      end(name, lane);
      lanes.delete(name);
      admit();
    },
    registerAnew(name) {
      // One that was refused is not asked sooner than it would be, nor are all the trunks of all nodes asked at once.
      clock.after(fraction(random) * REGISTER_ANEW_WITHIN_MS, () => {
        const registration = lanes.get(name)?.registration;
        if (registration?.isRegistered()) registration.renew();
      });
    },
    call(name, request, on) {
      const lane = lanes.get(name);
      // It may be being put back with other settings; where it stays away, the next claim finds no line.
      if (lane === undefined) return refused(name, request.callId, on, `there is no trunk ${name}`, NO_ROOM_RETRY_MS);
      if (roomOf(lane) < 1) return refused(name, request.callId, on, "the trunk has no room", NO_ROOM_RETRY_MS);
      lane.tokens--;
      const events: CallEvents = { ...on, ended: (why) => done(why) };
      // Not by a trunk that was changed or removed while its address was looked up.
      const mayLeave = () => lanes.get(name) === lane && request.mayLeave?.() !== false;
      const call = placeCall(lane.link, { ...request, mayLeave }, events);
      const done = (why: Parameters<CallEvents["ended"]>[0]) => {
        release(lane, call);
        on.ended(why);
      };
      hold(lane, call);
      return call;
    },
    onInvite(next) {
      listener = next;
    },
    room: (name) => {
      const lane = lanes.get(name);
      return lane === undefined ? 0 : roomOf(lane);
    },
    trunkState(name) {
      const lane = lanes.get(name);
      return {
        isUp: lane?.link.isUp() ?? false,
        isRegistered: lane?.registration?.isRegistered() ?? false,
        calls: lane?.calls.size ?? 0,
      };
    },
    port: transports.port,
    count: () => ({
      calls: calls.size,
      dialogs: dialogs.size,
      ...transactions.count(),
    }),
    drops: drops.totals,
    close: () => (closed ??= close()),
  };
}
