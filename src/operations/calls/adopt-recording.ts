import { recordingProblem } from "#domain/calls/recording-guard.ts";
import type { Recording } from "#domain/calls/report.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import * as doomedObjects from "#store/calls/doomed-objects.ts";
import * as leftRecordings from "#store/calls/left-recordings.ts";
import * as recordingGuard from "#store/calls/recording-guard.ts";

/** Those of these calls that do not go on, be it that there are no such calls (any more). */
export async function callsOver(ctx: Context, callIds: readonly Uuid[]): Promise<Uuid[]> {
  const open = await leftRecordings.openAmong(ctx.db, callIds);
  return callIds.filter((id) => !open.has(id));
}

/**
 * Gives a recording that a lost node left behind to its call: `keep` stores the file and says where, or that there is nothing in it. "kept" and
 * "dropped" (nothing is in it, there is no such call, its contact was erased, or it has one) end the matter; "later" while nobody has given the call up yet.
 */
export async function adoptRecording(
  ctx: Context,
  callId: Uuid,
  keep: (tenantId: Uuid) => Promise<Recording | undefined>,
): Promise<"kept" | "dropped" | "later"> {
  const call = await leftRecordings.callOf(ctx.db, callId);
  if (!call || call.has_recording) return "dropped";
  if (call.is_open) return "later";
  const recording = await keep(call.tenant_id);
  if (!recording) return "dropped";
  if (!(await leftRecordings.link(ctx.db, call.tenant_id, callId, recording))) {
    // Under its name there may be the one that the call has by now: only what is nobody's is removed.
    if (!(await leftRecordings.callOf(ctx.db, callId))) await remove(ctx, call.tenant_id, recording.name);
    return "dropped";
  }
  const { durationMs: recordedMs } = recording;
  if (!recordingProblem({ durationMs: call.duration_ms, recordedMs })) {
    await recordingGuard.withdraw(ctx.db, call.tenant_id, callId);
  }
  return "kept";
}

/** What is cut off here, the sweep does. */
async function remove(ctx: Context, tenantId: Uuid, name: string): Promise<void> {
  await doomedObjects.add(ctx.db, tenantId, [name], ctx.now());
  await ctx.objects.remove(name);
  await doomedObjects.gone(ctx.db, tenantId, [name]);
}
