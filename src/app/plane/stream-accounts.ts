import type { TwilioApi } from "#adapters/twilio/api.ts";
import type { AccountCalls, BaseOf } from "#adapters/twilio/driver.ts";
import { twilioCalls } from "#adapters/twilio-calls/calls.ts";
import { ticketIn } from "#adapters/twilio-calls/messages.ts";
import { readCallWebhook } from "#adapters/twilio-calls/webhooks.ts";
import type { LiveTenantId } from "#domain/accounts/modes.ts";
import type { Accounts } from "#operations/carriers.ts";
import type { Log } from "#operations/context.ts";
import type { CallLine, IncomingCalls } from "#ports/call-line.ts";
import type { BroughtAnswer, CallNodeHandlers } from "#ports/call-streams.ts";
import type { CarrierAccount } from "#ports/carrier-account.ts";
import type { ObjectStore } from "#ports/object-store.ts";
import type { Tx } from "#store/database/db.ts";
import { type StreamLine, type Streams, streamCapabilities, streamLine } from "./stream-line.ts";
import type { Sound } from "./voice-lines.ts";

/**
 * Calls of tenants' accounts whose sound comes by streams. Without `sound`, in a process that holds no calls, a line can be named and its pace asked for,
 * and webhooks are read all the same.
 */
export function streamAccounts(
  sound: Sound | undefined,
  parts: { store: ObjectStore; now(): Date; log: Log },
): (account: CarrierAccount, api: TwilioApi, baseOf: BaseOf, callsPerSecond: number) => AccountCalls {
  return ({ carrier, tenantId, revision }, api, baseOf, callsPerSecond) => {
    // Which numbers are the account's is known to the store: a line is found by a number of it.
    const mayCallFrom = async (asking: string) => asking === tenantId;
    const reading = {
      readWebhook: (path: string, fields: URLSearchParams) => readCallWebhook(path, fields, (of) => baseOf(of) ?? ""),
      streamTicket: ticketIn,
    };
    const streams = sound?.streams;
    if (streams === undefined) {
      const line: CallLine = {
        ...{ name: carrier, revision, capabilities: streamCapabilities(callsPerSecond), mayCallFrom },
        room: () => 0,
        lookUp: async () => new Map(),
        begin() {
          throw new Error("calls are held by media nodes only");
        },
      };
      return { ...reading, line };
    }
    const { plane } = sound!;
    const calls = twilioCalls(api, baseOf(carrier));
    const account = { carrier, revision };
    return { ...reading, line: streamLine({ ...parts, account, calls, callsPerSecond, streams, plane, mayCallFrom }) };
  };
}

/** Calls that were brought are kept this long: a carrier that has no answer brings one again. */
const BROUGHT_MS = 30_000;
/** Calls to an account's numbers that have no sound yet, at a time: a carrier brings a stream within a second or two. */
const MOST_SILENT = 10;

/** Takes what other nodes pass on: calls to the numbers of tenants' accounts, and what carriers report of the calls that are held here. */
export function takeStreamCalls(
  { bridge, held }: Streams,
  parts: {
    accounts: Pick<Accounts, "open">;
    db: Tx;
    incoming: IncomingCalls;
    stopping: AbortSignal;
    now(): Date;
    log: Log;
  },
): void {
  const brought = new Map<string, Promise<BroughtAnswer | undefined>>();
  const silent = new Map<string, number>();
  const bring: CallNodeHandlers["bring"] = async ({ tenantId, carrier }, call) => {
    const line = (await parts.accounts.open(tenantId as LiveTenantId, carrier, { tx: parts.db }))?.line;
    if (line === undefined) return { refused: "404" };
    const before = silent.get(carrier) ?? 0;
    if (before >= MOST_SILENT) return { refused: "480" };
    silent.set(carrier, before + 1);
    const leave = () => {
      const left = silent.get(carrier)! - 1;
      if (left > 0) silent.set(carrier, left);
      else silent.delete(carrier);
    };
    let isAnswered = false;
    const { promise, resolve } = Promise.withResolvers<BroughtAnswer | undefined>();
    // One that is known already was taken by another node: neither is called.
    const taking = parts.incoming({
      ...call,
      ...{ tenantId, carrier, at: parts.now() },
      answer(plan, on) {
        const { live, ticket, begun } = (line as StreamLine).take(call.carrierId, plan, on);
        isAnswered = true;
        void begun.then(leave);
        resolve({ ticket });
        return live;
      },
      refuse: (code) => resolve({ refused: code }),
    });
    try {
      await taking;
    } finally {
      if (!isAnswered) leave();
    }
    resolve(undefined);
    return promise;
  };
  bridge.serve({
    report({ carrier }, news) {
      return held.get(news.ref)?.(carrier, news) ?? false;
    },
    bring(of, call) {
      if (parts.stopping.aborted) return Promise.resolve({ refused: "480" });
      const id = `${of.carrier} ${call.carrierId}`;
      const before = brought.get(id);
      if (before) return before;
      const answer = bring(of, call).catch((err) => {
        parts.log.warn({ err, carrier: of.carrier }, "a call to us could not be taken in");
        brought.delete(id);
        return { refused: "480" } as const;
      });
      brought.set(id, answer);
      setTimeout(() => brought.delete(id), BROUGHT_MS).unref();
      return answer;
    },
  });
}
