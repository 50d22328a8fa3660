import type { CallPlan } from "#domain/calls/plan.ts";
import type { CallEvent, CallReport } from "#domain/calls/report.ts";
import type { Uuid } from "#domain/values/id.ts";
import { accountBarred } from "#operations/carriers.ts";
import type { Context } from "#operations/context.ts";
import type { CallWrite, HeldCall } from "#operations/process-state.ts";
import type { CallLine, CallLineCapabilities, CallObserver, LiveCall, PlaceOutcome } from "#ports/call-line.ts";
import { recordOptOut } from "./opt-outs.ts";
import { write } from "./writes.ts";

/** Beyond a call's longest ring and talk: for its setting up, a transfer, its recording, and a database that is away at its end. */
const OVERDUE_AFTER_MS = 600_000;

/** The dial that a call was placed for; an inbound one has none. */
export type PlacedFor = { campaignId: Uuid; dialId: Uuid };

type Followed = Pick<CallLine, "name" | "capabilities" | "revision">;

/** An opt-out that was said in the call so far. `isWritten` never rejects. */
type OptOutState = { optOut?: { quote: string; isWritten: Promise<boolean> } };

/** Begins a call and follows it: what happens in it is written as it happens, and its result once it is over. */
export function hold(
  ctx: Context,
  plan: CallPlan,
  dial: PlacedFor | undefined,
  line: Followed,
  begin: (on: CallObserver) => LiveCall,
): HeldCall {
  const { tenantId, callId, contactPhone, agent } = plan;
  const state: OptOutState = {};
  const on: CallObserver = (event) => observe(ctx, plan, state, event);
  const live = begin(on);
  const done = follow(ctx, plan, dial, line, state, live)
    .catch((error: unknown) => ctx.log.error({ err: error, callId }, "a call could not be followed to its end"))
    .finally(() => ctx.process.calls.delete(callId));
  const overdueAtMs = performance.now() + agent.ring_duration_ms + agent.max_call_duration_ms + OVERDUE_AFTER_MS;
  const heldCall = { tenantId, callId, phone: contactPhone, live, done, overdueAtMs };
  ctx.process.calls.set(callId, heldCall);
  return heldCall;
}

/** Begins the call of a claimed dial. */
export const place = (
  ctx: Context,
  line: CallLine,
  plan: CallPlan,
  dial: PlacedFor,
  mayLeave: () => boolean,
): HeldCall => hold(ctx, plan, dial, line, (on) => line.begin(plan, on, mayLeave));

/** Puts back a claimed dial that was not begun. */
export async function putBack(
  ctx: Context,
  tenantId: Uuid,
  dial: PlacedFor & { ref: Uuid; callId: Uuid },
  why: { code: string; retryAfterMs: number },
): Promise<void> {
  const placed = { ...dial, state: "not_sent" as const, carrierId: null, errorCode: why.code };
  await write(ctx, tenantId, { kind: "placed", placed, settleMs: 0, retryAfterMs: why.retryAfterMs });
}

async function follow(
  ctx: Context,
  plan: CallPlan,
  dial: PlacedFor | undefined,
  line: Followed,
  state: OptOutState,
  live: LiveCall,
): Promise<void> {
  const placed = await live.placed;
  // First, so that the dial that is put back below finds its campaign paused.
  if (placed.outcome === "not_placed" && placed.because) await heedRefusal(ctx, plan, line, placed.code);
  const isBack = placed.outcome === "not_placed" && placed.retryAfterMs !== undefined;
  // Awaited together with the write after it: one call's writes stay in their order.
  if (dial) void write(ctx, plan.tenantId, placement(plan, dial, line.capabilities, placed));
  const report = await live.report;
  if (isBack && dial) return;
  const { optOut = state.optOut } = report.requests;
  // Written or not, the call ends: it does not wait for what is left to do for the opt-out.
  if (optOut) await stopFor(ctx, plan, state, optOut.quote, report.endedAt);
  const requests = { ...report.requests, ...(optOut ? { optOut: { quote: optOut.quote } } : {}) };
  await write(ctx, plan.tenantId, ending(plan, placed, { ...report, requests }));
}

/** A process that dies in between, or a database that is away: the next call gets the same answer. */
async function heedRefusal(ctx: Context, plan: CallPlan, { name, revision }: Followed, code: string): Promise<void> {
  ctx.log.error({ carrier: name, code }, "a tenant's trunk does not take its credentials");
  if (revision === undefined) return;
  await ctx.db
    .transaction((tx) => accountBarred(tx, plan.tenantId, { carrier: name, revision }, { how: "refused", code }, ctx))
    .catch((err: unknown) => ctx.log.error({ err, carrier: name }, "an account's refusal could not be noted"));
}

function placement(
  plan: CallPlan,
  dial: PlacedFor,
  capabilities: CallLineCapabilities,
  outcome: PlaceOutcome,
): CallWrite {
  const { ref, callId } = plan;
  const of = { ref, callId, ...dial };
  const { settleMs, lookupByRef } = capabilities;
  switch (outcome.outcome) {
    case "placed":
      return {
        kind: "placed",
        settleMs,
        placed: { ...of, state: "accepted", carrierId: outcome.carrierId, errorCode: null },
      };
    case "uncertain": {
      const state = lookupByRef ? "uncertain" : "held";
      return { kind: "placed", settleMs, placed: { ...of, state, carrierId: null, errorCode: outcome.code } };
    }
    case "not_placed": {
      if (outcome.retryAfterMs === undefined) {
        return {
          kind: "placed",
          settleMs,
          placed: { ...of, state: "rejected", carrierId: null, errorCode: outcome.code },
        };
      }
      const { retryAfterMs } = outcome;
      return {
        kind: "placed",
        settleMs,
        retryAfterMs,
        placed: { ...of, state: "not_sent", carrierId: null, errorCode: outcome.code },
      };
    }
  }
}

const ending = ({ callId }: CallPlan, placed: PlaceOutcome, report: CallReport): CallWrite => ({
  kind: "ended",
  end: { callId, report, ...(placed.outcome === "uncertain" ? { inDoubt: true } : {}) },
});

async function observe(ctx: Context, plan: CallPlan, state: OptOutState, event: CallEvent): Promise<void> {
  if (event.kind === "answered") {
    const notAfter = new Date(ctx.now().getTime() + plan.clockOffsetMs);
    await write(ctx, plan.tenantId, { kind: "answered", callId: plan.callId, at: new Date(event.at), notAfter });
  } else if (event.kind === "recorded") {
    await write(ctx, plan.tenantId, { kind: "recorded", callId: plan.callId });
  } else if (event.kind === "opt_out" && !(await stopFor(ctx, plan, state, event.quote, event.at))) {
    throw new Error("the opt-out is not written yet, and must not be confirmed");
  }
}

/** Records the contact's opt-out. True once it is committed. However often it is said in a call, it is written once. */
function stopFor(
  ctx: Context,
  { tenantId, contactPhone: phone, callId }: CallPlan,
  state: OptOutState,
  quote: string,
  at: string,
): Promise<boolean> {
  // PostgreSQL stores no text that contains NUL.
  const said = { callId, phone, quote: quote.replaceAll("\0", ""), at: new Date(at) };
  state.optOut ??= { quote, isWritten: recordOptOut(ctx, tenantId, said) };
  return state.optOut.isWritten;
}
