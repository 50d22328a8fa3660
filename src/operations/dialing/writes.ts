import { setTimeout as pause } from "node:timers/promises";
import type { CallReport } from "#domain/calls/report.ts";
import type { Uuid } from "#domain/values/id.ts";
import { type Context, isAway } from "#operations/context.ts";
import type { CallWrite, CallWriter } from "#operations/process-state.ts";
import { commit } from "./commit.ts";

/** Writes of hundreds of calls that end in the same moment are one transaction; more than this would hold its locks for long. */
const MOST_AT_ONCE = 200;
const TRY_AGAIN_MS = 500;
/** Before an opt-out is tried again that could not be written for another reason than an unavailable database. */
const DOUBT_AGAIN_MS = 1_000;

/**
 * Queues a write, to be made together with the tenant's other waiting writes; resolves once it is committed. While the database is away it is tried
 * again. Never rejects: what cannot be written at all is logged, and found by recovery (calls/recover-calls.ts). An opt-out is tried again, since the
 * call's end does not wait for it.
 */
export function write(ctx: Context, tenantId: Uuid, write: CallWrite): Promise<void> {
  const { callWrites } = ctx.process;
  const writer = callWrites.get(tenantId) ?? { waiting: [], running: undefined };
  callWrites.set(tenantId, writer);
  return new Promise((done) => {
    writer.waiting.push({ write, done });
    writer.running ??= work(ctx, tenantId, writer);
  });
}

/** Resolves once every queued write is made, or has failed for good. */
export async function allWritten(ctx: Context): Promise<void> {
  const running = () => [...ctx.process.callWrites.values()].flatMap(({ running }) => running ?? []);
  for (let left = running(); left.length > 0; left = running()) await Promise.all(left);
}

async function work(ctx: Context, tenantId: Uuid, writer: CallWriter): Promise<void> {
  // Writes queued in this turn of the event loop are included.
  await Promise.resolve();
  while (writer.waiting.length > 0) {
    const batch = writer.waiting.splice(0, MOST_AT_ONCE);
    await insist(
      ctx,
      tenantId,
      batch.map(({ write }) => write),
    );
    for (const { done } of batch) done();
  }
  writer.running = undefined;
}

async function insist(ctx: Context, tenantId: Uuid, batch: readonly CallWrite[]): Promise<void> {
  for (;;) {
    try {
      return await commit(ctx, tenantId, batch);
    } catch (error) {
      if (isAway(error)) {
        await pause(TRY_AGAIN_MS);
      } else if (batch.length > 1) {
        // One of them cannot be written: each is tried alone, so that the others are.
        for (const item of batch) await insist(ctx, tenantId, [item]);
        return;
      } else {
        const [item] = batch;
        ctx.log.error({ err: error, tenantId, kind: item!.kind }, "what happened in a call could not be written down");
        const less = reduced(item!);
        if (less) return insist(ctx, tenantId, [less]);
        if (item!.kind === "doubted")
          void pause(DOUBT_AGAIN_MS, undefined, { ref: false }).then(() => write(ctx, tenantId, item!));
        return;
      }
    }
  }
}

/** The write without the transcript, if that is what cannot be stored; undefined when there is no smaller one. */
function reduced(write: CallWrite): CallWrite | undefined {
  if (write.kind !== "ended") return undefined;
  const { utterances, latencies, requests, ...rest } = write.end.report;
  if (utterances.length + latencies.length + (requests.callback ? 1 : 0) === 0) return undefined;
  const report: CallReport = {
    ...rest,
    utterances: [],
    latencies: [],
    requests: requests.optOut ? { optOut: { quote: "" } } : {},
  };
  return { kind: "ended", end: { ...write.end, report } };
}
