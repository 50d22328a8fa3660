import type { Recording } from "#domain/call-report.ts";
import type { Uuid } from "#domain/id.ts";
import * as leftRecordings from "#store/left-recordings.ts";
import type { Context } from "./context.ts";

/**
 * Gives a recording that a lost node left behind to its call: `keep` stores the file and says where. "kept" and "dropped" (there is no such
 * call, or it has one) end the matter; "later" while nobody has given the call up yet.
 */
export async function adoptRecording(
  ctx: Context,
  callId: Uuid,
  keep: (tenantId: Uuid) => Promise<Recording>,
): Promise<"kept" | "dropped" | "later"> {
  const call = await leftRecordings.callOf(ctx.db, callId);
  if (!call || call.has_recording) return "dropped";
  if (call.is_open) return "later";
  const recording = await keep(call.tenant_id);
  return (await leftRecordings.link(ctx.db, call.tenant_id, callId, recording)) ? "kept" : "dropped";
}
