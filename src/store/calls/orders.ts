import type { Uuid } from "#domain/values/id.ts";
import { changing, crossTenant, crossTenantChanging, type Tx } from "#store/database/db.ts";

// What operators want of single calls. The node that has a call looks for it (open-calls.ts has the stops).

const requestStop = changing(
  "request-stop-of-call",
  `update calls set stop_requested_at = coalesce(stop_requested_at, $3)
   where tenant_id = $1 and id = $2 and status in ('registered', 'ongoing')`,
);

/** Requests the end of a call; false when it is over, or has not begun. Safe to repeat. */
export async function stop(tx: Tx, tenantId: Uuid, callId: Uuid, now: Date): Promise<boolean> {
  return (await tx.run(requestStop, [tenantId, callId, now])) === 1;
}

const cancelDial = changing(
  "cancel-single-dial",
  `update dials set state = 'cancelled', due_at = null, reason = 'manual_stopped', updated_at = $3
   where tenant_id = $1 and call_id = $2 and purpose = 'single' and due_at is not null`,
);

/** Withdraws a single call that waits; false when it does not wait any more. */
export async function cancel(tx: Tx, tenantId: Uuid, callId: Uuid, now: Date): Promise<boolean> {
  return (await tx.run(cancelDial, [tenantId, callId, now])) === 1;
}

const insertInjection = changing(
  "insert-call-injection",
  `insert into call_injections (tenant_id, call_id, id, text, created_at)
   select $1, id, $3, $4, $5 from calls where tenant_id = $1 and id = $2 and status in ('registered', 'ongoing')
   on conflict (tenant_id, call_id, id) do nothing`,
);

/** Stores a text for the agent of an ongoing call; false when it is over. */
export async function inject(
  tx: Tx,
  tenantId: Uuid,
  callId: Uuid,
  order: { id: Uuid; text: string; at: Date },
): Promise<boolean> {
  return (await tx.run(insertInjection, [tenantId, callId, order.id, order.text, order.at])) === 1;
}

// Looks first: what changes all tenants' rows locks them on every server of a distributed database, and mostly there is nothing to take.
const waitingInjections = crossTenant(
  "waiting-call-injections",
  `select from calls call
   join call_injections injection on injection.tenant_id = call.tenant_id and injection.call_id = call.id and injection.taken_at is null
   where call.node_id = $1 and call.id = any($2::uuid[]) and call.status in ('registered', 'ongoing') limit 1`,
);
const takeInjections = crossTenantChanging(
  "take-call-injections",
  `update call_injections injection set taken_at = $3
   from calls call
   where call.node_id = $1 and call.id = any($2::uuid[]) and call.status in ('registered', 'ongoing')
     and injection.tenant_id = call.tenant_id and injection.call_id = call.id and injection.taken_at is null
   returning injection.call_id, injection.id, injection.text`,
);

/**
 * The texts for agents in these calls of a node, each once, in the order of their arrival. Those for its other calls wait: a call that is only being
 * dialled has no agent yet. `now` is real time.
 */
export async function injections(
  tx: Tx,
  nodeId: Uuid,
  callIds: readonly Uuid[],
  now: Date,
): Promise<{ call_id: Uuid; text: string }[]> {
  if ((await tx.first(waitingInjections, [nodeId, callIds])) === undefined) return [];
  const rows = await tx.rows<{ call_id: Uuid; id: Uuid; text: string }>(takeInjections, [nodeId, callIds, now]);
  return rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}
