import type { Uuid } from "#domain/values/id.ts";
import { callerLine } from "#operations/carriers.ts";
import type { Context } from "#operations/context.ts";
import * as agents from "#store/agents/agents.ts";
import * as dialLanes from "#store/calls/dial-lanes.ts";
import * as dials from "#store/calls/dials.ts";
import * as campaigns from "#store/campaigns/campaigns.ts";
import type { Tx } from "#store/database/db.ts";
import type * as threads from "#store/messaging/threads.ts";

/** The call that a turn leads to. */
export type WantedCall = { purpose: "callback" | "transfer"; at: Date };

/** Plans a call that continues this conversation, from the campaign's number; nothing where no line can place it. Locks its lane. */
export async function planCall(
  ctx: Context,
  tx: Tx,
  tenantId: Uuid,
  thread: threads.Thread,
  { purpose, at }: WantedCall,
  now: Date,
): Promise<void> {
  const campaign = await campaigns.get(tx, tenantId, thread.campaign_id);
  const { voice_agent_id, outbound_number } = campaign?.settings ?? {};
  const mode = campaign?.carrier === "simulator" ? "test" : "live";
  const by = outbound_number && (await callerLine(ctx, tx, { tenantId, mode }, outbound_number));
  const agent = voice_agent_id && (await agents.findByAnyId(tx, tenantId, voice_agent_id));
  if (!campaign || !by || "problem" in by || !agent || !outbound_number) return;
  const realNow = ctx.now();
  // This call replaces one that was requested before.
  await dials.withdraw(tx, tenantId, thread, { reason: "another_call_was_asked_for", now, changeId: ctx.newId() });
  const lane = {
    id: campaign.id,
    carrier: by.line.name,
    numbers: [outbound_number],
    ...dialLanes.SINGLE,
    now: realNow,
  };
  await dialLanes.insert(tx, tenantId, lane);
  const dial = {
    id: ctx.newId(),
    campaignId: campaign.id,
    threadId: thread.id,
    laneId: campaign.id,
    phone: thread.phone,
    contactId: thread.contact_id,
    agentId: agent.id,
    agentVersion: agent.version,
    purpose,
    dueAt: at < now ? now : at,
  };
  await dials.plan(tx, tenantId, [dial], { now, realNow, changeId: ctx.newId() });
}
