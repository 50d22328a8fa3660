import type { Uuid } from "#domain/values/id.ts";
import * as extractions from "#store/agents/extractions.ts";
import * as callAnalyses from "#store/calls/analyses.ts";
import * as dialLanes from "#store/calls/dial-lanes.ts";
import * as numberChecks from "#store/compliance/number-checks.ts";
import * as optOuts from "#store/compliance/opt-outs.ts";
import type { Tx } from "#store/database/db.ts";
import * as queue from "#store/database/queue.ts";
import * as media from "#store/messaging/media.ts";
import * as threads from "#store/messaging/threads.ts";
import * as lanes from "./lanes.ts";

/**
 * Enqueues the jobs of every lane and thread with due work, of one tenant or all (null). Jobs may be lost with the process that held them; the tables
 * are not. A lane that is being drained takes the job as a hint to check once more.
 */
export async function enqueueDue(tx: Tx, now: Date, tenantId: Uuid | null): Promise<void> {
  const dueLanes = await lanes.withDueWork(tx, now, tenantId);
  const dueDials = await dialLanes.withDueWork(tx, now, tenantId);
  const dueReplies = await threads.withDueReplies(tx, now, tenantId);
  const behind = await extractions.behind(tx, now, tenantId);
  const doubts = await optOuts.doubted(tx, tenantId);
  const checks = await numberChecks.waiting(tx, tenantId);
  const analyses = await callAnalyses.waiting(tx, tenantId);
  const dueMedia = await media.due(tx, now, tenantId);
  const due: queue.Job[] = [
    ...dueLanes.map((lane) => ({ job: "drain-lane" as const, payload: { tenantId: lane.tenant_id, laneId: lane.id } })),
    ...dueDials.map((dial) => ({
      job: "drain-dial-lane" as const,
      payload: { tenantId: dial.tenant_id, laneId: dial.id },
    })),
    ...dueReplies.map((reply) => ({
      job: "reply-to-thread" as const,
      payload: { tenantId: reply.tenant_id, campaignId: reply.campaign_id, threadId: reply.id },
    })),
    ...behind.map((campaign) => ({
      job: "extract-thread" as const,
      payload: { tenantId: campaign.tenant_id, campaignId: campaign.campaign_id, threadId: campaign.id },
    })),
    ...doubts.map((doubt) => ({
      job: "judge-opt-out" as const,
      payload: { tenantId: doubt.tenant_id, phone: doubt.phone },
    })),
    ...analyses.map((id) => ({ job: "analyse-calls" as const, payload: { tenantId: id } })),
    ...dueMedia.map((text) => ({
      job: "fetch-media" as const,
      payload: { tenantId: text.tenant_id, messageId: text.message_id },
    })),
    ...checks.map((id) => ({ job: "check-numbers" as const, payload: { tenantId: id } })),
  ];
  await queue.addMissing(tx, due);
}
