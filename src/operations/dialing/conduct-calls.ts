import { setTimeout as pause } from "node:timers/promises";
import { GATE_PURPOSE } from "#domain/calls/dial.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import { isStoppedSince } from "#operations/process-state.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as openCalls from "#store/calls/open-calls.ts";
import * as orders from "#store/calls/orders.ts";
import * as voiceCampaigns from "#store/campaigns/voice-campaigns.ts";
import * as queue from "#store/database/queue.ts";
import { msSince } from "#store/system/moments.ts";
import { type Claim, claim, type Lane } from "./claim.ts";
import { place, putBack } from "./hold.ts";
import { plansOf } from "./plans.ts";
import { allWritten } from "./writes.ts";

export { answerCall } from "./answer.ts";
export { endUnheld } from "./unheld.ts";

/** As for texts: a job that ran longer would delay a shutdown; it enqueues itself again. */
const DRAIN_FOR_MS = 10_000;
/**
 * A claim older than this was delayed; its calls are put back rather than placed on an old decision. Less than an operation that opts a phone out waits, after its
 * commit, for what was claimed before (store/messaging/in-flight.ts).
 */
const PLACE_WITHIN_MS = 5_000;
/** A journal that cannot be written has a full disk, most likely: nothing leaves until it can. */
const UNJOURNALED_MS = 5_000;

/**
 * Places the calls that are due on a lane, batch by batch: claim, then begin each. Returns when nothing more may be placed, or after ten seconds; the
 * lane's next job is enqueued. The calls go on: they belong to this process, not to the job.
 */
export function drainDialLane(ctx: Context, lane: Lane, signal: AbortSignal): Promise<void> {
  const job = { job: "drain-dial-lane" as const, payload: lane };
  return queue.runOnce(ctx.process.runs, ctx.db, job, (state) => drain(ctx, lane, state, signal));
}

async function drain(ctx: Context, lane: Lane, state: queue.Running, signal: AbortSignal): Promise<void> {
  const now = await tenants.tenantNow(ctx.db, lane.tenantId, ctx.now());
  await voiceCampaigns.begin(ctx.db, lane.tenantId, lane.laneId, now);
  const until = performance.now() + DRAIN_FOR_MS;
  let nextAt: Date | undefined;
  while (!signal.aborted && ctx.node.alive()) {
    const found = await claim(ctx, lane);
    nextAt = found.nextAt;
    if (found.claim) await begin(ctx, lane.tenantId, found.claim);
    if (found.more) {
      if (performance.now() < until) continue;
      nextAt = ctx.now();
      break;
    }
    if (!state.enqueuedAgain) break;
    state.enqueuedAgain = false;
  }
  if (nextAt) await queue.enqueue(ctx.db, [{ job: "drain-dial-lane", payload: lane, runAt: nextAt }]);
}

/** Begins claimed calls. None is placed that is not in the journal, or whose node may not hand over anything any more. */
async function begin(ctx: Context, tenantId: Uuid, claimed: Claim): Promise<void> {
  const back = (why: { code: string; retryAfterMs: number }) => {
    for (const { dial, ref, callId } of claimed.placing) {
      void putBack(ctx, tenantId, { campaignId: dial.campaign_id, dialId: dial.id, ref, callId }, why);
    }
  };
  const plans = await plansOf(ctx, tenantId, claimed).catch((error: unknown) => {
    ctx.log.warn({ err: error }, "calls could not be planned; they are put back");
    return undefined;
  });
  if (plans === undefined) return back({ code: "not_planned", retryAfterMs: 0 });
  try {
    await journal(ctx, tenantId, claimed);
  } catch (error) {
    ctx.log.error({ err: error }, "the journal cannot be written: nothing is dialled");
    return back({ code: "journal_failed", retryAfterMs: UNJOURNALED_MS });
  }
  for (const [i, { dial, validUntil }] of claimed.placing.entries()) {
    // Checked right before it is dialled: its window may have closed since it was decided.
    const mayLeave = () =>
      ctx.node.alive() &&
      ctx.node.id === claimed.nodeId &&
      !isStoppedSince(ctx.process, tenantId, claimed.unstoppedMs) &&
      msSince(claimed.claimedAt, ctx.now()) < PLACE_WITHIN_MS &&
      (validUntil === null || validUntil.getTime() > ctx.now().getTime() + claimed.clockOffsetMs);
    place(ctx, claimed.line, plans[i]!, { campaignId: dial.campaign_id, dialId: dial.id }, mayLeave);
  }
}

async function journal(ctx: Context, tenantId: Uuid, claimed: Claim): Promise<void> {
  const byNumber = Map.groupBy(claimed.placing, ({ number }) => number);
  await Promise.all(
    [...byNumber].map(([sender, them]) =>
      ctx.journal.append({
        kind: "sends",
        channel: "voice",
        at: claimed.tenantNow.toISOString(),
        tenantId,
        nodeId: claimed.nodeId,
        carrier: claimed.line.name,
        sender,
        texts: them.map(({ ref, dial }) => ({
          ref,
          campaignId: dial.campaign_id,
          messageId: dial.id,
          phone: dial.phone,
          purpose: GATE_PURPOSE[dial.purpose],
        })),
      }),
    ),
  );
}

/** Gives the agents of this process's calls the texts of operators, each once. */
export async function passInjections(ctx: Context): Promise<void> {
  const mine = ctx.process.calls;
  if (mine.size === 0) return;
  for (const { call_id, text } of await orders.injections(ctx.db, ctx.node.id, [...mine.keys()], ctx.now())) {
    mine.get(call_id)?.live.inject(text);
  }
}

/** Ends the calls of this process whose end was requested, by an operator or an opt-out by text. */
export async function endStoppedCalls(ctx: Context): Promise<void> {
  const mine = ctx.process.calls;
  if (mine.size === 0) return;
  for (const { id } of await openCalls.toBeStopped(ctx.db, ctx.node.id)) mine.get(id)?.live.stop("manual_stopped");
}

/**
 * After this process has taken another place in the register: takes over the calls that it holds under any of `nodes`, except those that others have
 * given up meanwhile. The contacts of these may be called again any time, so these calls end. Safe to repeat.
 */
export async function adoptCalls(ctx: Context, nodes: readonly Uuid[]): Promise<void> {
  // The calls at this moment: one that begins later begins in the new place.
  const mine = [...ctx.process.calls.values()];
  // Also without any: a call that is being accepted has its row already.
  const kept = new Set((await openCalls.adopt(ctx.db, nodes, ctx.node.id)).map(({ id }) => id));
  for (const { callId, live } of mine) if (!kept.has(callId)) live.stop("error_unknown");
}

/** Ends every call of this process: its place is lost, and others will treat the calls as lost. */
export function dropCalls(ctx: Context): void {
  for (const { live } of ctx.process.calls.values()) live.stop("error_unknown");
}

/** Lets the calls of this process come to their end for up to `withinMs`; then ends them, and resolves when everything is written. */
export async function finishCalls(ctx: Context, withinMs: number): Promise<void> {
  const over = () => Promise.all([...ctx.process.calls.values()].map(({ done }) => done));
  const inTime = new AbortController();
  await Promise.race([over(), pause(withinMs, undefined, { signal: inTime.signal }).catch(() => {})]);
  inTime.abort();
  for (const { live } of ctx.process.calls.values()) live.stop("agent_hangup");
  await over();
  // Dials that are put back have no call any more.
  await allWritten(ctx);
}
