import type { Uuid } from "#domain/values/id.ts";
import { isAccount, smsCarrier } from "#operations/carriers.ts";
import type { Context } from "#operations/context.ts";
import type { FoundText, SmsCarrier } from "#ports/sms-carrier.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as turns from "#store/agents/turns.ts";
import * as queue from "#store/database/queue.ts";
import * as attempts from "#store/messaging/attempts.ts";
import * as journaledAttempts from "#store/sending/journaled-attempts.ts";
import * as lanes from "#store/sending/lanes.ts";
import { carryOver } from "#store/sending/settlements.ts";
import * as nodes from "#store/system/nodes.ts";
import { mayGiveBack, uncount } from "./give-back.ts";

/** Marks an attempt whose carrier has been given its time to call back. */
const AWAITS_CALLBACK = "awaits_callback";
/** For the attempts of accounts, and of a carrier that is not configured any more: as long as any request may take. */
const SETTLE_MS = 60_000;
/** Another process may have a carrier that is not configured here; after this long none has. */
const UNASKED_FOR_MS = 600_000;
/** An attempt past its own deadline has had no owner for a while: any carrier's record of it is final by then. */
const SETTLE_OVERDUE_MS = 2_000;
/** A carrier that could not be reached is queried again after this long, and does not hold up others meanwhile. */
const ASK_AGAIN_MS = 5_000;
/** Accounts that are asked at a time: one that is slow holds up no other, and the sending keeps connections to the database. */
const ACCOUNTS_AT_ONCE = 8;
/** Attempts that are asked about together, and settled before the next: what a slow carrier has answered is kept. Those at one phone stay together. */
const PIECE = 50;
/** A carrier that has not answered about a piece by then is asked again later. */
const ANSWERS_WITHIN_MS = 60_000;

/**
 * Finds nodes that died, marks what they had in flight as uncertain, and settles every uncertain attempt whose time has come: by look-up where the
 * carrier has one (taken: accepted; unknown there: it may be sent again), else it is held for a person. So is, in the end, an attempt with a carrier
 * that no process has any more; until then it holds up no other. What was never marked (store/messaging/marks.ts) has not left, and is due again. Never sends. Any number of workers may run it at once.
 */
export async function recoverAttempts(ctx: Context, signal: AbortSignal): Promise<void> {
  const now = ctx.now();
  await doubtLost(ctx, now);
  // Calls are looked up by calls/recover-calls.ts.
  const named = await attempts.uncertainCarriers(ctx.db, "sms", now);
  const open = await attempts.uncertain(ctx.db, "sms", {
    now,
    carriers: named.filter((name) => name === ctx.carriers.simulator.name || isAccount(name)),
    unaskedSince: new Date(now.getTime() - UNASKED_FOR_MS),
  });
  const groups = byTenantAndCarrier(open).values();
  const inTurn = async () => {
    for (const group of groups) await settleInPieces(ctx, group, signal);
  };
  await Promise.all(Array.from({ length: ACCOUNTS_AT_ONCE }, inTurn));
}

/** Never throws: what fails of one account touches no other. */
async function settleInPieces(ctx: Context, group: attempts.OpenAttempt[], signal: AbortSignal): Promise<void> {
  const [first] = group;
  const { tenant_id, carrier } = first!;
  let left = group;
  try {
    const by = await carrierOf(ctx, first!);
    while (left.length > 0) {
      const size = pieceOf(left);
      const within = AbortSignal.any([signal, AbortSignal.timeout(ANSWERS_WITHIN_MS)]);
      await settleGroup(ctx, by, left.slice(0, size), within);
      left = left.slice(size);
    }
  } catch (error) {
    ctx.log.warn({ err: error, carrier, left: left.length }, "attempts could not be looked up");
    const refs = left.map((attempt) => attempt.ref);
    await attempts
      .postpone(ctx.db, tenant_id, refs, new Date(ctx.now().getTime() + ASK_AGAIN_MS))
      .catch((err) =>
        ctx.log.warn({ err, carrier }, "attempts could not be put off: they are looked up again at once"),
      );
  }
}

/** How many of them go together: they come by phone, and none is parted from another at its phone. */
function pieceOf(them: readonly attempts.OpenAttempt[]): number {
  if (them.length <= PIECE) return them.length;
  const { phone } = them[PIECE - 1]!;
  const next = them.findIndex((attempt, i) => i >= PIECE && attempt.phone !== phone);
  return next === -1 ? them.length : next;
}

/** In one transaction: a node's death is reported to one caller only, which may itself die before it has acted on it. */
async function doubtLost(ctx: Context, now: Date): Promise<void> {
  const [dead, doubted] = await ctx.db.transaction(async (tx) => {
    const lost = await nodes.markLost(tx, now);
    const overdue = { now, checkAt: new Date(now.getTime() + SETTLE_OVERDUE_MS) };
    let count = await attempts.doubtOverdueOf(tx, ctx.node.id, overdue);
    if (lost.length === 0) return [lost, count];
    for (const name of await attempts.carriersOf(tx, lost)) {
      // Not before the carrier has finished the last request of the dead node.
      const { simulator } = ctx.carriers;
      const known = [simulator.name === name ? simulator : undefined, ctx.lines.byName(name)].flatMap(
        (carrier) => carrier?.capabilities.settleMs ?? [],
      );
      const settleMs = known.length > 0 ? Math.max(...known) : SETTLE_MS;
      count += await attempts.doubt(tx, lost, name, { now, checkAt: new Date(now.getTime() + settleMs) });
    }
    await nodes.freeJobs(tx, lost);
    const freed = await turns.free(tx, lost);
    await queue.enqueue(
      tx,
      freed.map((payload) => ({ job: "reply-to-thread", payload })),
    );
    return [lost, count];
  });
  if (dead.length > 0) ctx.log.warn({ nodes: dead, doubted }, "nodes were lost; what they had in flight is looked up");
}

async function carrierOf(ctx: Context, { tenant_id, carrier }: attempts.OpenAttempt): Promise<SmsCarrier | undefined> {
  const { mode } = await tenants.clock(ctx.db, tenant_id);
  return smsCarrier(ctx.carriers, ctx.db, { tenantId: tenant_id, mode }, carrier);
}

function byTenantAndCarrier(open: attempts.OpenAttempt[]): attempts.OpenAttempt[][] {
  return [...Map.groupBy(open, (attempt) => `${attempt.tenant_id} ${attempt.carrier}`).values()];
}

/** With a carrier that no process has any more, a person decides: it cannot be queried, and will not call back. */
const GONE = { lookupByRef: false, callbackCarriesRef: false, callbackWithinMs: 0 };

async function settleGroup(
  ctx: Context,
  carrier: SmsCarrier | undefined,
  group: attempts.OpenAttempt[],
  signal: AbortSignal,
): Promise<void> {
  const tenantId = group[0]!.tenant_id;
  const { lookupByRef, callbackCarriesRef, callbackWithinMs } = carrier?.capabilities ?? GONE;
  const unmarked = group.filter((attempt) => attempt.unmarked);
  const marked = group.filter((attempt) => !attempt.unmarked);
  const open = unmarked.length > 0 && (await mayGiveBack(ctx)) ? group : marked;
  const taken = lookupByRef
    ? await journaledAttempts.lookUp(ctx.db, tenantId, marked, async (refs) =>
        carrier!.lookUp(tenantId, await attempts.doubted(ctx.db, tenantId, refs), signal),
      )
    : undefined;
  const now = ctx.now();
  await ctx.db.transaction(async (tx) => {
    const tenantNow = await tenants.tenantNow(tx, tenantId, now);
    const results = open.map((attempt) => resultOf(attempt, taken, callbackCarriesRef, tenantNow));
    const checkAt = new Date(now.getTime() + callbackWithinMs);
    const moved = await attempts.settle(tx, tenantId, results, { now: tenantNow, checkAt, changeId: ctx.newId() });
    await carryOver(tx, tenantId, moved, ctx.newId, tenantNow);
    const again = moved.filter((message) => message.state === "scheduled");
    const waiting = await lanes.ofMessages(tx, tenantId, again);
    // Before what they cost, as a claim has it: two that write the lane and the day in different orders wait for each other.
    await lanes.wake(tx, tenantId, waiting, tenantNow);
    // Each is counted anew by the claim that sends it.
    if (carrier && isAccount(carrier.name)) await uncount(ctx, tx, tenantId, open, new Set(again.map(({ id }) => id)));
    else if (open === group) await uncount(ctx, tx, tenantId, unmarked, new Set(again.map(({ id }) => id)));
  });
}

function resultOf(
  { ref, error_code, unmarked }: attempts.OpenAttempt,
  taken: Map<Uuid, FoundText> | undefined,
  mayCallBack: boolean,
  now: Date,
) {
  if (unmarked) return { ref, state: "not_sent" as const, carrierId: null, errorCode: null, dueAt: now };
  const found = taken?.get(ref);
  if (taken === undefined || (found && "unsure" in found)) {
    // Only a callback can settle it: it is waited for once, however the doubt arose.
    return mayCallBack && error_code !== AWAITS_CALLBACK
      ? { ref, state: "uncertain" as const, carrierId: null, errorCode: AWAITS_CALLBACK }
      : { ref, state: "held" as const, carrierId: null, errorCode: "no_word_from_carrier" };
  }
  return found
    ? { ref, state: "accepted" as const, carrierId: found.carrierId, errorCode: null }
    : { ref, state: "not_sent" as const, carrierId: null, errorCode: null, dueAt: now };
}
