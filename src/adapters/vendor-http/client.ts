import { Agent } from "node:http";
import { Agent as TlsAgent } from "node:https";
import { setTimeout as pause } from "node:timers/promises";
import { type Breaker, circuitBreaker } from "#domain/system/circuit-breaker.ts";
import { exchange, type Limits, type VendorAnswer, type VendorRequest } from "./exchange.ts";
import { VendorFailure } from "./failure.ts";
import { retryAfterMs } from "./retry-after.ts";
import { takeTurns } from "./turns.ts";

export type { VendorAnswer, VendorRequest } from "./exchange.ts";

/** Of one account: what it does to a vendor's limits and how the vendor does are its own. */
export interface VendorClient {
  /**
   * One request, never repeated; `mayLeave` is asked right before its first byte. Answers with whatever status but 429, which is a failure that was
   * not sent, as are those while the account rests after one. Rejects with VendorFailure only.
   */
  once(request: VendorRequest, signal: AbortSignal, mayLeave?: () => boolean): Promise<VendorAnswer>;
  /** A request that changes nothing or the same again: repeated after a 429, a 5xx or a failure, for a few seconds. */
  safely(request: VendorRequest, signal: AbortSignal): Promise<VendorAnswer>;
  /** The same account for one of those who share it: where requests wait, each party has its turn. To be closed as the whole. */
  of(party: string): Pick<VendorClient, "once" | "safely">;
  /** Takes nothing more, and resolves once what is under way has its answer. */
  close(): Promise<void>;
}

export type ClientSettings = {
  /** Requests at a time: more wait, in order. */
  concurrency: number;
  limits?: Partial<Limits>;
  /** Failures in a row, timeouts and 5xx alike, after which the vendor is left alone, and for how long. */
  breaker?: { failures: number; restMs: number };
  /** Milliseconds of a clock that only goes forward. */
  now?: () => number;
  random?: () => number;
};

/** A text's answer takes a vendor a tenth of a second; the batch's deadline (operations/sending/hand-over.ts) is 30 s. */
const LIMITS: Limits = { connectMs: 5_000, answerMs: 20_000, maxBytes: 4 * 1024 * 1024 };
const BREAKER = { failures: 10, restMs: 10_000 };
/** A connection that nobody uses is closed before the vendor's side does, which would lose the request that has just left. */
const IDLE_MS = 4_000;
/** After a 429 without Retry-After. */
const RATE_REST_MS = 1_000;
/** Longer a whole account does not rest for one answer: it is asked again, and says so again. */
const MOST_REST_MS = 5 * 60_000;
const TRIES = 3;
const AGAIN_MS = 250;
/** Longer nobody waits for a read: the caller fails, and tries when it will. */
const MAX_WAIT_MS = 5_000;

export function vendorClient(settings: ClientSettings): VendorClient {
  const { concurrency, now = () => performance.now(), random = Math.random } = settings;
  const limits = { ...LIMITS, ...settings.limits };
  const pool = { keepAlive: true, maxTotalSockets: concurrency, maxSockets: concurrency, timeout: IDLE_MS };
  const agents = { http: new Agent(pool), https: new TlsAgent(pool) };
  const breaker = circuitBreaker({ ...BREAKER, ...settings.breaker, now });
  let restsUntil = 0;
  let open = 0;
  const turns = takeTurns(concurrency);
  const closing = Promise.withResolvers<void>();
  let isClosed = false;

  function endIfClosed(): void {
    if (!isClosed || open > 0) return;
    agents.http.destroy();
    agents.https.destroy();
    closing.resolve();
  }

  function resting(): VendorFailure | undefined {
    const restMs = Math.ceil(restsUntil - now());
    return restMs > 0 ? new VendorFailure("429", { wasSent: false, retryAfterMs: restMs }) : undefined;
  }

  async function onceOf(
    party: string,
    request: VendorRequest,
    signal: AbortSignal,
    mayLeave = () => true,
  ): Promise<VendorAnswer> {
    const early = resting();
    if (early) throw early;
    if (!breaker.allows()) throw new VendorFailure("left_alone", { wasSent: false, retryAfterMs: breaker.restMs() });
    // A request that has waited for its turn may find the vendor failing, or itself too late.
    const refusal = () =>
      resting() ?? (mayLeave() ? undefined : new VendorFailure("held_up", { wasSent: false, retryAfterMs: 0 }));
    if (isClosed) throw new VendorFailure("closed", { wasSent: false });
    open++;
    try {
      // Whoever waits has no connection yet, so that a refusal then costs none.
      return await turns(signal, () => inTurn(request, refusal, signal), party);
    } finally {
      open--;
      endIfClosed();
    }
  }

  /** What its answer means for the account is noted before the next one's turn. */
  async function inTurn(
    request: VendorRequest,
    refusal: () => VendorFailure | undefined,
    signal: AbortSignal,
  ): Promise<VendorAnswer> {
    const refused = refusal();
    if (refused) throw refused;
    const answer = await exchange(agents, request, { limits, refusal }, signal).catch((error) => {
      if (isVendors(error)) breaker.failed();
      throw error;
    });
    note(breaker, answer.status);
    if (answer.status !== 429) return answer;
    const waitMs = Math.min(retryAfterMs(answer.headers) ?? RATE_REST_MS, MOST_REST_MS);
    restsUntil = Math.max(restsUntil, now() + waitMs);
    throw new VendorFailure("429", { wasSent: false, retryAfterMs: waitMs });
  }

  async function safelyOf(party: string, request: VendorRequest, signal: AbortSignal): Promise<VendorAnswer> {
    for (let attempt = 1; ; attempt++) {
      let waitMs = AGAIN_MS * 2 ** attempt * (0.5 + random());
      try {
        const answer = await onceOf(party, request, signal);
        if (answer.status < 500 || attempt === TRIES) return answer;
      } catch (error) {
        if (!(error instanceof VendorFailure) || attempt === TRIES || signal.aborted) throw error;
        waitMs = Math.max(waitMs, error.retryAfterMs);
        if (waitMs > MAX_WAIT_MS) throw error;
      }
      await pause(waitMs, undefined, { signal }).catch(() => {
        throw new VendorFailure("aborted", { wasSent: true });
      });
    }
  }

  const of: VendorClient["of"] = (party) => ({
    once: (request, signal, mayLeave) => onceOf(party, request, signal, mayLeave),
    safely: (request, signal) => safelyOf(party, request, signal),
  });
  return {
    ...of(""),
    of,
    close() {
      isClosed = true;
      endIfClosed();
      return closing.promise;
    },
  };
}

/** An abort and what we held back say nothing about the vendor. */
const isVendors = (error: unknown): boolean =>
  error instanceof VendorFailure && !["aborted", "held_up", "429"].includes(error.code);

function note(breaker: Breaker, status: number): void {
  if (status >= 500) breaker.failed();
  else breaker.succeeded();
}
