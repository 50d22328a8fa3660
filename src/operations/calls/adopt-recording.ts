import { recordingProblem } from "#domain/calls/recording-guard.ts";
import type { Recording } from "#domain/calls/report.ts";
import { ownerOfObject } from "#domain/system/object-name.ts";
import type { Uuid } from "#domain/values/id.ts";
import { wavFormatOf } from "#media/recording/wav.ts";
import type { Context } from "#operations/context.ts";
import * as leftRecordings from "#store/calls/left-recordings.ts";
import * as objectsToDelete from "#store/calls/objects-to-delete.ts";
import * as recordingGuard from "#store/calls/recording-guard.ts";

/** Longer than any header that we write. */
const HEAD_BYTES = 64;
const FRAMES_A_MS = 8;

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

/** Links a recording that is stored already, by a process that died before it could say so. Nothing happens where it is not whole. */
export async function adoptStored(ctx: Context, name: string): Promise<void> {
  const owner = ownerOfObject(name);
  if (owner?.kind !== "recording") return;
  const [bytes, head] = [await ctx.objects.size(name), await ctx.objects.read(name, { start: 0, end: HEAD_BYTES })];
  const format = head && wavFormatOf(Buffer.concat(await head.toArray()));
  if (bytes === undefined || format === undefined || bytes <= format.headerBytes) return;
  const durationMs = Math.round((bytes - format.headerBytes) / format.bytesPerFrame / FRAMES_A_MS);
  await adoptRecording(ctx, owner.id, async () => ({ name, bytes, durationMs }));
}

/** The sweep completes this if the process dies here. */
async function remove(ctx: Context, tenantId: Uuid, name: string): Promise<void> {
  await objectsToDelete.add(ctx.db, tenantId, [name], ctx.now());
  await objectsToDelete.remove(ctx.db, ctx.objects, tenantId, [name], ctx.now());
}
