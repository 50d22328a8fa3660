import type { Uuid } from "#domain/id.ts";
import type { SmsCarrier } from "#ports/sms-carrier.ts";
import * as attempts from "#store/attempts.ts";
import * as lanes from "#store/lanes.ts";
import * as nodes from "#store/nodes.ts";
import * as queue from "#store/queue.ts";
import { carryOver } from "#store/settlements.ts";
import * as tenants from "#store/tenants.ts";
import type { Context } from "./context.ts";

/** Where a carrier can only tell by callback, this long is given to it before a person has to decide. */
const CALLBACK_WITHIN_MS = 600_000;
/** The longest settle time of any carrier that a dead node may have been talking to. */
const SETTLE_MS = 2_000;

/**
 * Finds nodes that died, doubts what they had in flight, and settles every doubt whose time has come: by look-up
 * where the carrier has one (taken: accepted; unknown there: it may be sent again), else it is held for a person.
 * Never sends. Any number of workers may run it at once.
 */
export async function recoverAttempts(ctx: Context, signal: AbortSignal): Promise<void> {
  const now = ctx.now();
  const dead = await nodes.markLost(ctx.db, now);
  if (dead.length > 0) {
    const doubted = await attempts.doubt(ctx.db, dead, new Date(now.getTime() + SETTLE_MS));
    await nodes.freeJobs(ctx.db, dead);
    ctx.log.warn({ nodes: dead, doubted }, "nodes were lost; what they had in flight is being looked up");
  }
  const open = await attempts.uncertain(ctx.db, now);
  for (const group of byTenantAndCarrier(open)) {
    const carrier = ctx.carriers.byName(group[0]!.carrier);
    if (carrier) await settleGroup(ctx, carrier, group, signal);
  }
}

function byTenantAndCarrier(open: attempts.OpenAttempt[]): attempts.OpenAttempt[][] {
  return [...Map.groupBy(open, (it) => `${it.tenant_id} ${it.carrier}`).values()];
}

async function settleGroup(
  ctx: Context,
  carrier: SmsCarrier,
  group: attempts.OpenAttempt[],
  signal: AbortSignal,
): Promise<void> {
  const tenantId = group[0]!.tenant_id;
  const taken = carrier.capabilities.lookupByRef
    ? await carrier.lookUp(
        tenantId,
        group.map((it) => it.ref),
        signal,
      )
    : undefined;
  const now = ctx.now();
  await ctx.db.transaction(async (tx) => {
    const tenantNow = await tenants.tenantNow(tx, tenantId, now);
    const results = group.map(({ ref }) => resultOf(ref, taken, tenantNow));
    const checkAt = new Date(now.getTime() + CALLBACK_WITHIN_MS);
    const moved = await attempts.settle(tx, tenantId, results, { now: tenantNow, checkAt, changeId: ctx.newId() });
    await carryOver(tx, tenantId, moved, ctx.newId, tenantNow);
    const waiting = await lanes.ofMessages(
      tx,
      tenantId,
      moved.filter((it) => it.state === "scheduled"),
    );
    for (const laneId of waiting) await lanes.due(tx, tenantId, laneId, tenantNow);
    await queue.ring(
      tx,
      waiting.map((laneId) => ({ job: "drain-lane", payload: { tenantId, laneId } })),
    );
  });
}

function resultOf(ref: Uuid, taken: Map<Uuid, { carrierId: string }> | undefined, now: Date) {
  if (taken === undefined) return { ref, state: "held" as const, carrierId: null, errorCode: "no_word_from_carrier" };
  const found = taken.get(ref);
  return found
    ? { ref, state: "accepted" as const, carrierId: found.carrierId, errorCode: null }
    : { ref, state: "not_sent" as const, carrierId: null, errorCode: null, dueAt: now };
}
