import type { LiveCheck } from "#domain/sending/live-check.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { LiveCall } from "#ports/call-line.ts";
import type { byLookups } from "#store/accounts/api-keys.ts";
import type { CallEnd } from "#store/calls/conclusions.ts";
import type { PlacedCall } from "#store/calls/progress.ts";
import type { SaidInCall } from "#store/compliance/call-opt-outs.ts";
import { createRuns, type Runs } from "#store/database/queue.ts";
import type { Together } from "#store/database/together.ts";

/** What a process keeps in memory from one operation to the next. Made once by app/context.ts; it ends with the process. */
export type ProcessState = {
  /** Jobs that are running. */
  runs: Runs;
  /** Texts that would be in doubt, should the process die now, by tenant and carrier: see sending/doubt.ts. */
  inDoubt: Map<string, number>;
  /** Lanes that wanted to send by an account a moment ago, by tenant and carrier, and when, by performance.now(). */
  roomWanted: Map<string, Map<Uuid, number>>;
  /** The calls that this process holds, by id. */
  calls: Map<Uuid, HeldCall>;
  /** What is to be written of calls, by tenant. */
  callWrites: Map<Uuid, CallWriter>;
  /** Since when calls of this node have been seen in the database that it does not hold, by a monotonic clock. */
  unheldSince: ReadonlyMap<Uuid, number>;
  /** Reads API keys, by the part of the key that is no secret, for all requests of a moment; undefined before the first. */
  readKeys: ((lookup: string) => ReturnType<typeof byLookups>) | undefined;
  /** API keys that were right here, by the hash of their text: what is to be compared with their row, never what the row says. */
  digested: Map<string, DigestedKey>;
  usedKeys: UsedKeys;
  together: Together;
  /** Tenants whose sending is stopped, as this process saw it a moment ago: what it has claimed before and not handed over stays here. */
  stopped: { tenants: ReadonlySet<Uuid>; readMs: number };
  /** What carriers are being asked for checks before going live, by tenant: whoever asks meanwhile waits for the same. */
  liveChecks: Map<Uuid, Promise<LiveCheck[]>>;
};

/**
 * Whether a tenant's sending was stopped after something was claimed, which had found no stop at `unstoppedMs` or later, by performance.now(). What was
 * seen before that is over: the claim has read that the sending goes on.
 */
export const isStoppedSince = ({ stopped }: ProcessState, tenantId: Uuid, unstoppedMs: number): boolean =>
  stopped.tenants.has(tenantId) && stopped.readMs >= unstoppedMs;

export type HeldCall = {
  tenantId: Uuid;
  callId: Uuid;
  phone: string;
  live: LiveCall;
  done: Promise<void>;
  /** By performance.now(). By then the call is over, or its line will never report its end. */
  overdueAtMs: number;
};

/** What is to be written of a call. The writes of one call come in this order. */
export type CallWrite =
  | { kind: "placed"; placed: PlacedCall; settleMs: number; retryAfterMs?: number }
  /** `notAfter`: the tenant's time as it was written. A call in words only is answered at a time that has not come. */
  | { kind: "answered"; callId: Uuid; at: Date; notAfter: Date }
  | { kind: "recorded"; callId: Uuid }
  /** An opt-out that could not be written. Nothing is sent to its phone from here on (compliance/judge-opt-out.ts). */
  | { kind: "doubted"; said: SaidInCall }
  | { kind: "ended"; end: CallEnd };

export type CallWriter = { waiting: { write: CallWrite; done: () => void }[]; running: Promise<void> | undefined };

/** A key's digest, and the part of it that finds its row. */
export type DigestedKey = { digest: Buffer; lookup: string };

/** Keys whose use is to be noted, whether that is under way, and when a use of a key was noted last, by the clock. */
export type UsedKeys = { waiting: Set<Uuid>; isWriting: boolean; notedMs: Map<Uuid, number> };

/** The state of a process that has done nothing yet. */
export const processState = (): ProcessState => ({
  runs: createRuns(),
  inDoubt: new Map(),
  roomWanted: new Map(),
  calls: new Map(),
  callWrites: new Map(),
  unheldSince: new Map(),
  readKeys: undefined,
  digested: new Map(),
  usedKeys: { waiting: new Set(), isWriting: false, notedMs: new Map() },
  together: new Map(),
  stopped: { tenants: new Set(), readMs: 0 },
  liveChecks: new Map(),
});
