import { setTimeout as pause } from "node:timers/promises";
import type { Uuid } from "#domain/id.ts";
import * as callClock from "#store/call-clock.ts";
import * as callConclusions from "#store/call-conclusions.ts";
import * as callEnds from "#store/call-ends.ts";
import * as callProgress from "#store/call-progress.ts";
import type { Tx } from "#store/db.ts";
import * as dials from "#store/dials.ts";
import * as openCalls from "#store/open-calls.ts";
import * as recordingGuard from "#store/recording-guard.ts";
import * as tenants from "#store/tenants.ts";
import { type Context, isAway } from "../context.ts";

/** What is to be written down of a call. Of one call they come in this order. */
export type Write =
  | { kind: "placed"; placed: callProgress.PlacedCall; settleMs: number; retryAfterMs?: number }
  | { kind: "answered"; callId: Uuid; at: Date }
  | { kind: "recorded"; callId: Uuid }
  | { kind: "ended"; end: callConclusions.CallEnd };

/** Writes of hundreds of calls that end in the same moment are one transaction; more than this would hold its locks for long. */
const MOST_AT_ONCE = 200;
const TRY_AGAIN_MS = 500;

type Writer = { waiting: { it: Write; done: () => void }[]; running: Promise<void> | undefined };
const writers = new WeakMap<Context, Map<Uuid, Writer>>();

/**
 * Has something written down, together with whatever else of the tenant's waits; resolves once it is committed. While the database
 * is away it is tried again. Never rejects: what cannot be written at all is logged, and found by recovery.
 */
export function write(ctx: Context, tenantId: Uuid, it: Write): Promise<void> {
  const mine = writers.get(ctx) ?? new Map<Uuid, Writer>();
  writers.set(ctx, mine);
  const writer = mine.get(tenantId) ?? { waiting: [], running: undefined };
  mine.set(tenantId, writer);
  return new Promise((done) => {
    writer.waiting.push({ it, done });
    writer.running ??= work(ctx, tenantId, writer);
  });
}

/** Resolves once everything that was to be written down is, or could not be. */
export async function allWritten(ctx: Context): Promise<void> {
  const running = () => [...(writers.get(ctx)?.values() ?? [])].flatMap((it) => it.running ?? []);
  for (let left = running(); left.length > 0; left = running()) await Promise.all(left);
}

async function work(ctx: Context, tenantId: Uuid, writer: Writer): Promise<void> {
  // What comes in this turn of the event loop goes along.
  await Promise.resolve();
  while (writer.waiting.length > 0) {
    const batch = writer.waiting.splice(0, MOST_AT_ONCE);
    await insist(
      ctx,
      tenantId,
      batch.map(({ it }) => it),
    );
    for (const { done } of batch) done();
  }
  writer.running = undefined;
}

async function insist(ctx: Context, tenantId: Uuid, batch: readonly Write[]): Promise<void> {
  for (;;) {
    try {
      return await commit(ctx, tenantId, batch);
    } catch (error) {
      if (isAway(error)) {
        await pause(TRY_AGAIN_MS);
      } else if (batch.length > 1) {
        // One of them cannot be written: the rest can.
        for (const it of batch) await insist(ctx, tenantId, [it]);
        return;
      } else {
        ctx.log.error(
          { err: error, tenantId, kind: batch[0]!.kind },
          "what happened in a call could not be written down",
        );
        const [it] = batch;
        if (it?.kind !== "ended") return;
        // Without what was said, if that is what cannot be stored.
        const { utterances: _said, latencies: _spans, wishes: _wishes, ...rest } = it.end.report;
        const bare = { ...rest, utterances: [], latencies: [], wishes: {} };
        return await commit(ctx, tenantId, [{ kind: "ended", end: { ...it.end, report: bare } }]).catch(() => {});
      }
    }
  }
}

async function commit(ctx: Context, tenantId: Uuid, batch: readonly Write[]): Promise<void> {
  const answers = batch.filter((it) => it.kind === "answered");
  // On its own: the clock is locked to a transaction's end, and this one waits for others.
  const latest = answers.reduce((at, it) => (it.at < at ? it.at : at), answers[0]?.at ?? new Date(0));
  const starts = await callClock.take(ctx.db, tenantId, latest, answers.length);
  await ctx.db.transaction(async (tx) => {
    const realNow = ctx.now();
    const now = await tenants.tenantNow(tx, tenantId, realNow);
    const again = await settle(
      ctx,
      tx,
      tenantId,
      batch.filter((it) => it.kind === "placed"),
      { now, realNow },
    );
    const answered = answers.map(({ callId, at }, i) => ({ callId, at, startAt: starts[i]! }));
    await callProgress.answered(tx, tenantId, answered);
    const recorded = batch.filter((it) => it.kind === "recorded").map(({ callId }) => callId);
    await recordingGuard.require(tx, tenantId, recorded);
    const ends = batch.filter((it) => it.kind === "ended").map(({ end }) => end);
    await callEnds.end(tx, tenantId, ends, { now, realNow, newId: ctx.newId });
    await dials.tell(tx, tenantId, again, { now, realNow });
  });
}

/** The lanes that have dials again which were not placed. */
async function settle(
  ctx: Context,
  tx: Tx,
  tenantId: Uuid,
  placed: readonly Extract<Write, { kind: "placed" }>[],
  { now, realNow }: { now: Date; realNow: Date },
): Promise<Map<Uuid, Date>> {
  if (placed.length === 0) return new Map();
  const checkAt = new Date(realNow.getTime() + Math.max(...placed.map(({ settleMs }) => settleMs)));
  const settled = await callProgress.settle(
    tx,
    tenantId,
    placed.map((it) => it.placed),
    { now, checkAt, changeId: ctx.newId() },
  );
  const open = new Map(settled.map(({ ref, state }) => [ref, state]));
  await callProgress.hold(
    tx,
    tenantId,
    placed.filter((it) => open.get(it.placed.ref) === "held").map((it) => it.placed),
    ctx.newId,
    now,
  );
  const back = placed.filter((it) => open.get(it.placed.ref) === "not_sent");
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
  // Ended by others while nobody knew whether it had begun: what follows from its end was left to this word.
  const resumed = settled.filter((it) => it.was_held && it.state !== "not_sent");
  const ended = await openCalls.endedInDoubt(
    tx,
    tenantId,
    resumed.map((it) => ({ campaignId: it.campaign_id, dialId: it.dial_id })),
  );
  await callConclusions.conclude(
    tx,
    tenantId,
    ended.map((it) => ({ callId: it.id, report: openCalls.storedReport(it) })),
    { now, realNow, newId: ctx.newId },
  );
  return again;
}
