import type { Uuid } from "#domain/values/id.ts";
import { anyOf, changing, crossTenantChanging, type Tx } from "#store/database/db.ts";

// Who has an agent's turn. `reply_due_at` is its lease while a model is asked, and `reply_node_id` says which process asks it; whoever
// moves the one (messaging/threads.ts) takes the other back.

type ThreadKey = { tenantId: Uuid; campaignId: Uuid; threadId: Uuid };

const leaseTurns = changing(
  "lease-turns",
  `update threads thread set reply_due_at = $4, reply_node_id = $5, updated_at = $6
   from unnest($2::uuid[], $3::uuid[]) as it (campaign_id, id)
   where thread.tenant_id = $1 and thread.campaign_id = it.campaign_id and thread.id = it.id and ${anyOf("it.id")}`,
);

/** Leases the turns of locked threads to a process until then. */
export async function lease(
  tx: Tx,
  tenantId: Uuid,
  them: readonly Omit<ThreadKey, "tenantId">[],
  claim: { until: Date; nodeId: Uuid; now: Date },
): Promise<void> {
  if (them.length === 0) return;
  const keys = [them.map(({ campaignId }) => campaignId), them.map(({ threadId }) => threadId)];
  await tx.run(leaseTurns, [tenantId, ...keys, claim.until, claim.nodeId, claim.now]);
}

const returnTurn = changing(
  "return-turn",
  `update threads set reply_due_at = $6, reply_node_id = null
   where tenant_id = $1 and campaign_id = $2 and id = $3 and reply_due_at = $4 and reply_node_id = $5`,
);

/** Ends a lease early: the turn is due at `dueAt`. False when it is not leased any more, or leased to another. */
export async function giveBack(
  tx: Tx,
  { tenantId, campaignId, threadId }: ThreadKey,
  lease: { until: Date; nodeId: Uuid; dueAt: Date },
): Promise<boolean> {
  return (await tx.run(returnTurn, [tenantId, campaignId, threadId, lease.until, lease.nodeId, lease.dueAt])) === 1;
}

const freeTurns = crossTenantChanging(
  "free-turns-of-dead-nodes",
  `update threads set reply_due_at = $2, reply_node_id = null
   where reply_due_at is not null and reply_node_id = any($1::uuid[])
   returning tenant_id, campaign_id, id`,
);

/** Due by every tenant's clock. */
const LONG_AGO = new Date(0);

/** Makes the turns that dead nodes had taken due at once; returns their threads. */
export async function free(tx: Tx, deadNodes: readonly Uuid[]): Promise<ThreadKey[]> {
  const freed = await tx.rows<{ tenant_id: Uuid; campaign_id: Uuid; id: Uuid }>(freeTurns, [deadNodes, LONG_AGO]);
  return freed.map((thread) => ({ tenantId: thread.tenant_id, campaignId: thread.campaign_id, threadId: thread.id }));
}
