import { callCost } from "#domain/calls/cost.ts";
import { microsOf, spendDay } from "#domain/sending/spend-limit.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import type { CallWrite } from "#operations/process-state.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as callClock from "#store/calls/clock.ts";
import * as callConclusions from "#store/calls/conclusions.ts";
import * as dials from "#store/calls/dials.ts";
import * as callEnds from "#store/calls/ends.ts";
import * as openCalls from "#store/calls/open-calls.ts";
import * as callProgress from "#store/calls/progress.ts";
import * as recordingGuard from "#store/calls/recording-guard.ts";
import * as callOptOuts from "#store/compliance/call-opt-outs.ts";
import type { Tx } from "#store/database/db.ts";
import * as queue from "#store/database/queue.ts";
import * as spend from "#store/sending/spend.ts";
import * as stops from "#store/sending/stops.ts";

/** Writes what happened in calls of a tenant, in one transaction. */
export async function commit(ctx: Context, tenantId: Uuid, batch: readonly CallWrite[]): Promise<void> {
  const answers = batch.filter((write) => write.kind === "answered");
  // In a transaction of its own: the clock stays locked until a transaction ends, and this one waits for others.
  // From a time that has not come on, all later starts would be put off behind it.
  const times = answers.flatMap(({ at, notAfter }) => [at.getTime(), notAfter.getTime()]);
  const earliest = new Date(times.length === 0 ? 0 : Math.min(...times));
  const starts = await callClock.take(ctx.db, tenantId, earliest, answers.length);
  await ctx.db.transaction(async (tx) => {
    const realNow = ctx.now();
    const now = await tenants.tenantNow(tx, tenantId, realNow);
    const doubted = batch.filter((write) => write.kind === "doubted").map(({ said }) => said);
    // Consents are locked before anything else.
    await doubt(ctx, tx, tenantId, doubted);
    const { again, notPlaced } = await settle(
      ctx,
      tx,
      tenantId,
      batch.filter((write) => write.kind === "placed"),
      { now, realNow },
    );
    const answered = answers.map(({ callId, at }, i) => ({ callId, at, startAt: starts[i]! }));
    await callProgress.answered(tx, tenantId, answered);
    const recorded = batch.filter((write) => write.kind === "recorded").map(({ callId }) => callId);
    await recordingGuard.require(tx, tenantId, recorded);
    const ends = batch.filter((write) => write.kind === "ended").map(({ end }) => end);
    const over = await callEnds.end(tx, tenantId, ends, { now, realNow, newId: ctx.newId });
    await dials.wakeLanes(tx, tenantId, again, { now, realNow });
    // After the lanes, as a claim has it.
    await pay(ctx, tx, tenantId, over, notPlaced, now);
  });
}

/** Counts what calls cost beyond the minute that was counted when they were claimed; one that was not placed costs nothing. */
async function pay(
  ctx: Context,
  tx: Tx,
  tenantId: Uuid,
  { ended, placed }: Awaited<ReturnType<typeof callEnds.end>>,
  notPlaced: number,
  now: Date,
): Promise<void> {
  if (ended.length === 0 && notPlaced === 0) return;
  const { spending } = await stops.read(tx, tenantId);
  const cost = ended.reduce((sum, { report }) => sum + microsOf(callCost(report, ctx.callPrices).total), 0);
  const counted = microsOf(ctx.callPrices.carrierMinute) * (placed + notPlaced);
  await spend.add(tx, tenantId, spendDay(spending.zone, now).date, cost - counted);
}

/** Puts phones in doubt whose opt-outs could not be written, and has a worker write them. */
async function doubt(ctx: Context, tx: Tx, tenantId: Uuid, them: readonly callOptOuts.SaidInCall[]): Promise<void> {
  // In one order, in which consents are locked everywhere.
  for (const optOut of them.toSorted((a, b) => (a.phone < b.phone ? -1 : 1))) {
    if (!(await callOptOuts.doubt(tx, tenantId, optOut, ctx))) continue;
    await queue.enqueue(tx, [{ job: "judge-opt-out", payload: { tenantId, phone: optOut.phone } }]);
  }
}

/** Puts dials back that were not placed; returns their lanes, and how many they are. */
async function settle(
  ctx: Context,
  tx: Tx,
  tenantId: Uuid,
  placed: readonly Extract<CallWrite, { kind: "placed" }>[],
  { now, realNow }: { now: Date; realNow: Date },
): Promise<{ again: Map<Uuid, Date>; notPlaced: number }> {
  if (placed.length === 0) return { again: new Map(), notPlaced: 0 };
  const checkAt = new Date(realNow.getTime() + Math.max(...placed.map(({ settleMs }) => settleMs)));
  const settled = await callProgress.settle(
    tx,
    tenantId,
    placed.map((write) => write.placed),
    { now, checkAt, changeId: ctx.newId() },
  );
  const open = new Map(settled.map(({ ref, state }) => [ref, state]));
  await callProgress.hold(
    tx,
    tenantId,
    placed.filter((write) => open.get(write.placed.ref) === "held").map((write) => write.placed),
    ctx.newId,
    now,
  );
  const back = placed.filter((write) => open.get(write.placed.ref) === "not_sent");
  const again = await callEnds.putBack(
    tx,
    tenantId,
    back.map(({ placed: { campaignId, dialId, errorCode }, retryAfterMs }) => ({
      campaignId,
      dialId,
      dueAt: new Date(now.getTime() + (retryAfterMs ?? 0)),
      reason: errorCode,
    })),
    { now, realNow, newId: ctx.newId },
  );
  // Other processes ended these calls while it was unknown whether they had begun; what follows from their end was left to this result.
  const resumed = settled.filter((attempt) => attempt.was_held && attempt.state !== "not_sent");
  const ended = await openCalls.endedInDoubt(
    tx,
    tenantId,
    resumed.map((attempt) => ({ campaignId: attempt.campaign_id, dialId: attempt.dial_id })),
  );
  await callConclusions.conclude(
    tx,
    tenantId,
    ended.map((call) => ({ callId: call.id, report: openCalls.storedReport(call) })),
    { now, realNow, newId: ctx.newId },
  );
  return { again, notPlaced: back.length };
}
