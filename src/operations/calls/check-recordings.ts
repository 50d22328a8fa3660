import { RECORDING_PROBLEMS, type RecordingProblem, recordingProblem } from "#domain/calls/recording-guard.ts";
import type { Context } from "#operations/context.ts";
import * as recordingGuard from "#store/calls/recording-guard.ts";

/**
 * Checks calls that ended without a recording of their length, once each, after a node that died has had the time to bring in its recordings. A call
 * that still has none raises an alarm, in the log, in the call and in the metrics. Any number of workers may run it at once. Returns how many were
 * checked.
 */
export async function checkRecordings(ctx: Context): Promise<number> {
  const now = ctx.now();
  const due = await recordingGuard.due(ctx.db, now);
  for (const [tenantId, theirs] of Map.groupBy(due, (recording) => recording.tenant_id)) {
    const judged = theirs.map((recording) => ({
      ...recording,
      callId: recording.id,
      problem: recordingProblem({ durationMs: recording.duration_ms, recordedMs: recording.recording_ms ?? undefined }),
    }));
    const found = new Set(await recordingGuard.settle(ctx.db, tenantId, judged, now));
    for (const { callId, problem, duration_ms, recording_ms } of judged) {
      if (!found.has(callId)) continue;
      const facts = { tenantId, callId, problem, durationMs: duration_ms, recordedMs: recording_ms };
      ctx.log.error(facts, "a call has no recording of its length");
    }
  }
  return due.length;
}

/** How many calls of all tenants have each problem with their recording. */
export async function countRecordingAlarms(ctx: Context): Promise<Record<RecordingProblem, number>> {
  const found = await recordingGuard.alarms(ctx.db);
  return Object.fromEntries(RECORDING_PROBLEMS.map((problem) => [problem, found[problem] ?? 0])) as Record<
    RecordingProblem,
    number
  >;
}
