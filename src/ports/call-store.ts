import type { Uuid } from "#domain/values/id.ts";
import type { CallTraffic, HandsetAction, HandsetCall, HandsetScript, SaidLine } from "./handset-network.ts";

/** The simulated carrier's own records of calls, separate from Parley's. Times are in the tenant's own. */
export interface CallStore {
  scripts(tenantId: Uuid, phones: readonly string[]): Promise<Map<string, HandsetScript>>;
  /** Commits calls to handsets before it answers; their sequence numbers, in order. */
  accept(tenantId: Uuid, calls: readonly AcceptedCall[]): Promise<string[]>;
  /** Commits how calls ended. */
  end(tenantId: Uuid, calls: readonly EndedCall[]): Promise<void>;
  /** Commits that an opt-out which was said in these calls has been taken in: what the carrier takes from here on came after it. */
  acknowledge(tenantId: Uuid, calls: readonly StoredCall[]): Promise<void>;
  /** Commits that a person plays this call from here on, and the `host:port` at which it can be had by a microphone. */
  play(tenantId: Uuid, call: StoredCall, soundAt: string | undefined): Promise<void>;
  /** Commits that a played call was taken, and whether by a microphone; and what was said in it. */
  note(
    tenantId: Uuid,
    call: StoredCall,
    note: { answeredAt: Date; isSpoken: boolean } | { line: SaidLine },
  ): Promise<void>;
  /** Stores an action for a played call; false where there is none that is so far. */
  ask(tenantId: Uuid, call: StoredCall, action: HandsetAction, now: Date): Promise<boolean>;
  /** The actions stored for it since, in order, each once. */
  takeAsked(tenantId: Uuid, call: StoredCall): Promise<HandsetAction[]>;
  /** The `host:port` of a played call that rings and can be had by a microphone. */
  soundAt(tenantId: Uuid, call: StoredCall, now: Date): Promise<string | undefined>;
  byRefs(tenantId: Uuid, refs: readonly Uuid[]): Promise<Map<Uuid, string>>;
  /** Commits a call of a handset to us; its sequence number. */
  fromHandset(
    tenantId: Uuid,
    call: { handset: string; number: string; says: readonly string[]; at: Date },
  ): Promise<string>;
  /** Tenants to whom calls are owed by now, and their own times. */
  owing(now: Date): Promise<{ tenantId: Uuid; tenantNow: Date }[]>;
  /**
   * Hands the calls that are owed, oldest first, to `serve`, and strikes them off once that resolves. Two at once never get the same; a
   * crash between leaves them owed. The number served.
   */
  serveOwed(
    tenantId: Uuid,
    now: Date,
    limit: number,
    serve: (owed: readonly OwedCall[]) => Promise<void>,
  ): Promise<number>;
  /** How far the tenant's own time is ahead of real time, in milliseconds. */
  clockOffsetMs(tenantId: Uuid): Promise<number>;
  read(tenantId: Uuid, handset: string, now: Date): Promise<HandsetCall[]>;
  traffic(tenantId: Uuid, campaign: string | undefined): Promise<CallTraffic>;
}

export type StoredCall = { handset: string; seq: string };

export type AcceptedCall = {
  handset: string;
  number: string;
  ref: Uuid;
  campaign: string;
  n: number;
  at: Date;
  /** It cannot last longer. */
  endsBy: Date;
  outsideWindow: boolean;
};

export type EndedCall = StoredCall & {
  outcome: CallOutcome;
  endedAt: Date;
  durationMs: number;
  heard: readonly string[];
};

/** As the phone knows it. `lost`: nobody was there any more. `rejected`: we did not take its call. */
export type CallOutcome =
  | "answered"
  | "voicemail"
  | "no_answer"
  | "busy"
  | "declined"
  | "unreachable"
  | "cancelled"
  | "rejected"
  | "lost";

/** A call of a handset that is still to reach us. */
export type OwedCall = StoredCall & { number: string; says: readonly string[]; at: Date };
