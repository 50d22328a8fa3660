import type { Attestation } from "#domain/calls/attestation.ts";
import type { CallPlan } from "#domain/calls/plan.ts";
import type { CallEvent, CallReport } from "#domain/calls/report.ts";
import type { Uuid } from "#domain/values/id.ts";

/**
 * A way to hold calls: a carrier of voice with whatever lets an agent speak and listen over it. From outside a call is one thing,
 * begun with a plan and ended with a report; signalling, codecs and dialog in between are internal to the line.
 */
export interface CallLine {
  /** The carrier's name, as campaigns and numbers store it. */
  readonly name: string;
  readonly capabilities: CallLineCapabilities;
  /** Of the tenant's account that it leads over, as it was opened; absent for the service's own lines. */
  readonly revision?: number;
  /**
   * Calls that it could hold now beside those that it holds, Infinity where nothing limits it: that it could begin, or of those that come in,
   * which are there already and are bounded by no rate of ours.
   */
  room(direction?: CallPlan["direction"]): number;
  /** Whether the tenant may call from this number. */
  mayCallFrom(tenantId: Uuid, number: string): Promise<boolean>;
  /**
   * Begins a call. `mayLeave` is called right before the first byte leaves, and when false none does: the outcome is then `not_placed`. It is
   * called again before each further try, which is left out when false: the outcome is then that of the try before. Never throws.
   */
  begin(plan: CallPlan, on: CallObserver, mayLeave: () => boolean): LiveCall;
  /** By the reference planted at the dial; absent from the answer = never dialled. Only called where `lookupByRef`. */
  lookUp(tenantId: Uuid, refs: readonly Uuid[], signal: AbortSignal): Promise<Map<Uuid, { carrierId: string }>>;
}

export interface CallLineCapabilities {
  readonly lookupByRef: boolean;
  /** After this long a look-up is authoritative. */
  readonly settleMs: number;
  /** Calls a second that the carrier takes from one number, and at once; undefined = as many as there are. */
  readonly callsPerSecond: number | undefined;
  readonly concurrency: number | undefined;
}

/**
 * Receives the events of a call, in order. An event is handled once the promise resolves; the line does not wait for it, except for an opt-out:
 * the agent confirms it only once it has been handled.
 */
export type CallObserver = (event: CallEvent) => Promise<void>;

export interface LiveCall {
  /** Resolves once the carrier has the call (`placed`), or certainly has not (`not_placed`), or nobody can say. */
  readonly placed: Promise<PlaceOutcome>;
  /** Resolves once, when everything is over and written; also for a call that was not placed. Never rejects. */
  readonly report: Promise<CallReport>;
  /** Ends it as soon as can be. The reason is what the report will have. */
  stop(reason: "manual_stopped" | "agent_hangup" | "error_unknown"): void;
  /** Gives the agent something to take in now, as if its prompt had said so. False when the call is over. */
  inject(text: string): boolean;
}

export type PlaceOutcome =
  | { outcome: "placed"; carrierId: string }
  /**
   * Certainly not dialled: may be tried again after `retryAfterMs`; never with these numbers, or as it was stopped by hand, when that is absent.
   * `because`: the carrier does not take the credentials of the tenant's account, and will take no other call.
   */
  | { outcome: "not_placed"; code: string; retryAfterMs?: number; because?: "carrier_key_refused" }
  | { outcome: "uncertain"; code: string };

/** A call that somebody makes to one of our numbers. Times are in the tenant's own. */
export type IncomingCall = {
  tenantId: Uuid;
  /** The line's name, and its carrier's id of the call: the same again when the call is brought again. */
  carrier: string;
  carrierId: string;
  from: string;
  to: string;
  at: Date;
  /** What the carrier says about the caller's right to its number, where it does. */
  attestation?: Attestation | undefined;
  /** Takes it; at most once. As `begin`, but for what comes before somebody answers: the carrier has it, and `placed` says so. */
  answer(plan: CallPlan, on: CallObserver): LiveCall;
  /** Turns it away, with the SIP status that says why: nobody by this number, not now, not at all. */
  refuse(code: "404" | "480" | "603"): void;
};

/**
 * Takes in one call from a line. Resolves once what it decided is committed, while the call goes on; rejects when that could not be, and
 * the call is brought again. Safe to repeat: a carrier's id counts once, and one that is known already is neither answered nor refused: it says so.
 */
export type IncomingCalls = (call: IncomingCall) => Promise<"known" | undefined>;

/** A tenant, and the mode that says which carriers there are for it at all. */
export type LineUser = { tenantId: Uuid; mode: "live" | "test" };

/** The lines that there are. In test mode there are simulated calls and nothing else. */
export type CallLines = {
  /** The service's own line that a tenant's calls from a number leave by; undefined where the tenant may not call from it by any of them. */
  forNumber(user: LineUser, number: string): Promise<CallLine | undefined>;
  /** Names of the service's own lines that calls of a mode can leave by; none where no carrier of voice is configured. */
  names(mode: "live" | "test"): string[];
  byName(name: string): CallLine | undefined;
};
