import type { Uuid } from "#domain/values/id.ts";
import { isAccount } from "#operations/carriers.ts";
import type { Context } from "#operations/context.ts";
import type { CallLine } from "#ports/call-line.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as callConclusions from "#store/calls/conclusions.ts";
import * as dials from "#store/calls/dials.ts";
import * as callEnds from "#store/calls/ends.ts";
import * as openCalls from "#store/calls/open-calls.ts";
import * as callProgress from "#store/calls/progress.ts";
import * as attempts from "#store/messaging/attempts.ts";
import * as journaledAttempts from "#store/sending/journaled-attempts.ts";

/**
 * A media node whose connection was lost may take another place and keep its calls; one that cannot has ended them by then (app/roles/media.ts). Lost
 * calls have to be known within 30 s, of which the database takes ten to notice that the node is gone.
 */
const GIVEN_UP_AFTER_MS = 5_000;
/** For a call whose node is not in the register: the node died before it had taken its place, or its entry has been deleted. */
const UNKNOWN_AFTER_MS = 60_000;
/** An attempt past its own deadline has had no owner for a while: any carrier's record of it is final by then. */
const SETTLE_OVERDUE_MS = 2_000;
/** Media nodes may have lines that this process does not have; after this long none has. */
const UNASKED_FOR_MS = 600_000;
/** A line that could not be reached is queried again after this long. */
const ASK_AGAIN_MS = 5_000;

/**
 * Settles attempts to place calls whose outcome is unknown, and ends the calls of nodes that died. An attempt is looked up where the line supports
 * it: placed, it is a call; unknown there, its dial is due again. Else it is held for a person. Never dials. Any number of workers may run it at
 * once.
 */
export async function recoverCalls(ctx: Context, signal: AbortSignal): Promise<void> {
  const now = ctx.now();
  // Of this node: where the result of a claim's commit was lost, nobody places its calls.
  await attempts.doubtOverdueOf(ctx.db, ctx.node.id, { now, checkAt: new Date(now.getTime() + SETTLE_OVERDUE_MS) });
  const named = await attempts.uncertainCarriers(ctx.db, "voice", now);
  const open = await attempts.uncertain(ctx.db, "voice", {
    now,
    // No trunk can be asked, a tenant's no more than the service's.
    carriers: named.filter((name) => isAccount(name) || ctx.lines.byName(name) !== undefined),
    unaskedSince: new Date(now.getTime() - UNASKED_FOR_MS),
  });
  for (const group of Map.groupBy(open, (attempt) => `${attempt.tenant_id} ${attempt.carrier}`).values()) {
    const { carrier } = group[0]!;
    try {
      await settleGroup(ctx, ctx.lines.byName(carrier), group, signal);
    } catch (error) {
      ctx.log.warn({ err: error, line: carrier }, "calls could not be looked up");
      const refs = group.map((attempt) => attempt.ref);
      await attempts.postpone(ctx.db, group[0]!.tenant_id, refs, new Date(ctx.now().getTime() + ASK_AGAIN_MS));
    }
  }
  await endLost(ctx, now);
}

async function settleGroup(
  ctx: Context,
  line: CallLine | undefined,
  group: readonly attempts.OpenAttempt[],
  signal: AbortSignal,
): Promise<void> {
  const tenantId = group[0]!.tenant_id;
  const placed = line?.capabilities.lookupByRef
    ? await journaledAttempts.lookUp(ctx.db, tenantId, group, (refs) => line.lookUp(tenantId, refs, signal))
    : undefined;
  await settleAttempts(ctx, tenantId, group, placed);
}

/**
 * What became of attempts of one tenant: those in `placed` are calls, the others certainly none, so that their dials are due again. Without `placed`
 * nobody knows, and a person decides.
 */
export async function settleAttempts(
  ctx: Context,
  tenantId: Uuid,
  group: readonly Pick<attempts.OpenAttempt, "ref" | "campaign_id" | "intent_id">[],
  placed: ReadonlyMap<Uuid, { carrierId: string }> | undefined,
): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const realNow = ctx.now();
    const now = await tenants.tenantNow(tx, tenantId, realNow);
    const tried = group.map((attempt) => ({ campaignId: attempt.campaign_id, dialId: attempt.intent_id }));
    const callOf = await openCalls.ofDials(tx, tenantId, tried);
    const settled = await callProgress.settle(
      tx,
      tenantId,
      group.map(({ ref, intent_id }) => {
        const callId = callOf.get(intent_id) ?? ref;
        const found = placed?.get(ref);
        const errorCode = found || placed ? null : "no_word_from_carrier";
        const state = found ? "accepted" : placed ? "not_sent" : "held";
        return { ref, callId, state, carrierId: found?.carrierId ?? null, errorCode };
      }),
      { now, checkAt: realNow, changeId: ctx.newId() },
    );
    const dialsIn = (state: string) =>
      settled
        .filter((attempt) => attempt.state === state)
        .map((attempt) => ({ campaignId: attempt.campaign_id, dialId: attempt.dial_id }));
    await callProgress.hold(tx, tenantId, dialsIn("held"), ctx.newId, now);
    const back = dialsIn("not_sent").map((dial) => ({ ...dial, dueAt: now, reason: null }));
    const lanes = await callEnds.putBack(tx, tenantId, back, { now, realNow, newId: ctx.newId });
    // Dials whose call ended before it was known whether it had begun: another call may follow them now.
    const ended = await openCalls.endedInDoubt(tx, tenantId, dialsIn("accepted"));
    await callConclusions.conclude(
      tx,
      tenantId,
      ended.map((call) => ({ callId: call.id, report: openCalls.storedReport(call) })),
      { now, realNow, newId: ctx.newId },
    );
    await dials.wakeLanes(tx, tenantId, lanes, { now, realNow });
  });
}

/** Ends the calls of nodes that are gone, as errors: what was said in them is lost with the node, but for their recordings. */
async function endLost(ctx: Context, now: Date): Promise<void> {
  const before = (ms: number) => new Date(now.getTime() - ms);
  const lost = await openCalls.lost(ctx.db, before(GIVEN_UP_AFTER_MS), before(UNKNOWN_AFTER_MS));
  for (const [tenantId, theirs] of Map.groupBy(lost, (call) => call.tenant_id)) {
    const parts = { realNow: ctx.now(), newId: ctx.newId };
    await ctx.db.transaction((tx) => callEnds.endLost(tx, tenantId, theirs, parts));
    ctx.log.warn({ tenantId, calls: theirs.length }, "calls were lost with their node");
  }
}
