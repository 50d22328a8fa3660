import { recordingProblem } from "#domain/calls/recording-guard.ts";
import type { Recording } from "#domain/calls/report.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import * as leftRecordings from "#store/calls/left-recordings.ts";
import * as objectsToDelete from "#store/calls/objects-to-delete.ts";
import * as recordingGuard from "#store/calls/recording-guard.ts";

/** Those of these calls that are over, or do not exist (any more). */
export async function callsOver(ctx: Context, callIds: readonly Uuid[]): Promise<Uuid[]> {
  const open = await leftRecordings.openAmong(ctx.db, callIds);
  return callIds.filter((id) => !open.has(id));
}

/**
 * Links a recording that a lost node left behind to its call: `keep` stores the file and returns where, or undefined when it is empty. "kept" and
 * "dropped" (it is empty, there is no such call, its contact was erased, or the call has a recording) are final; "later" while the call is still
 * open.
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
    // The call may have a recording under the same name by now: it is removed only where no call has it.
    if (!(await leftRecordings.callOf(ctx.db, callId))) await remove(ctx, call.tenant_id, recording.name);
    return "dropped";
  }
  const { durationMs: recordedMs } = recording;
  if (!recordingProblem({ durationMs: call.duration_ms, recordedMs })) {
    await recordingGuard.withdraw(ctx.db, call.tenant_id, callId);
  }
  return "kept";
}

/** The sweep completes this if the process dies here. */
async function remove(ctx: Context, tenantId: Uuid, name: string): Promise<void> {
  await objectsToDelete.add(ctx.db, tenantId, [name], ctx.now());
  await ctx.objects.remove(name);
  await objectsToDelete.gone(ctx.db, tenantId, [name]);
}
