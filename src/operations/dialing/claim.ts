import { clockHoldsFor } from "#domain/accounts/tenant-clock.ts";
import { abandonsTooMany } from "#domain/calls/abandonment.ts";
import { RECIPIENT_STATES } from "#domain/messaging/message.ts";
import { microsOf, piecesLeft, spendDay, spendLeft } from "#domain/sending/spend-limit.ts";
import { refill } from "#domain/sending/tokens.ts";
import { NO_ID, type Uuid } from "#domain/values/id.ts";
import { callLine, isAccount } from "#operations/carriers.ts";
import type { Context } from "#operations/context.ts";
import type { CallLine } from "#ports/call-line.ts";
import * as callClock from "#store/calls/clock.ts";
import * as dialClaims from "#store/calls/dial-claims.ts";
import * as dialLanes from "#store/calls/dial-lanes.ts";
import * as counts from "#store/campaigns/counts.ts";
import type { Tx } from "#store/database/db.ts";
import * as spend from "#store/sending/spend.ts";
import * as stops from "#store/sending/stops.ts";
import { type Moment, moment } from "#store/system/moments.ts";
import { type Deciding, decide, type Placing } from "./decide.ts";
import { roomOfLent } from "./lent-calls.ts";
import { rotate } from "./rotate.ts";

/** Large enough that a statement's fixed cost does not matter, small enough that its calls are begun within moments. */
const BATCH = 200;
/** As for texts: an attempt without a result for this long has lost its owner. */
const CHECK_AFTER_MS = 60_000;
/** What another transaction had locked during a claim is tried again this soon. */
const LOOK_AGAIN_MS = 50;
const FENCED_MS = 5_000;
/** Claiming each call on its own would cost more than the call. */
const GATHER_MS = 200;
/** This node has no capacity left: another node may have, or this one has by then. */
const NO_ROOM_MS = 500;
/** As many calls go on by a lent account as may: the end of one of another lane's is looked for this soon. */
const FULL_MS = 1_000;
/** An account with a problem is looked at again this soon. */
const IN_TROUBLE_MS = 5_000;

export type Lane = { tenantId: Uuid; laneId: Uuid };
export type Claim = {
  /** The id of this node at the claim. */
  nodeId: Uuid;
  line: CallLine;
  placing: (Placing & { startAt: Date })[];
  campaigns: Deciding["campaigns"];
  /** Recipients of the lane's campaign; absent for single calls. */
  campaignSize: number | undefined;
  tenantNow: Date;
  clockOffsetMs: number;
  claimedAt: Moment;
  /** By performance.now(): at this or later it has read that nothing is stopped. */
  unstoppedMs: number;
};
/** The result of a claim: calls to place, whether more may be placed at once, and when else to claim again (real time). */
export type Claimed = { claim: Claim | undefined; more: boolean; nextAt: Date | undefined };

/**
 * Claims calls in one transaction: decides what is due, as far as the lane's tokens, its concurrency and this node's room go, and writes an attempt
 * and a call for each that may be placed. The job of a full lane is enqueued again as calls end (store/calls/conclusions.ts).
 */
export function claim(ctx: Context, { tenantId, laneId }: Lane): Promise<Claimed> {
  return ctx.db.transaction(async (tx) => {
    const locked = await dialLanes.lock(tx, tenantId, laneId);
    // After the lock, which may take seconds: a call must not seem to begin before the one ended that made room for it.
    const now = ctx.now();
    const given = locked?.lent ? new Set(locked.lent.numbers) : undefined;
    const lane = locked && withGiven(locked, given);
    // After the lock: whoever stops the calling waits for it.
    const unstoppedMs = performance.now();
    const { clockOffsetMs, mode, stop, spending } = await stops.read(tx, tenantId);
    const tenantNow = new Date(now.getTime() + clockOffsetMs);
    if (lane && !lane.fenced && isAccount(lane.carrier) && (lane.revision === null || lane.lent?.callsAtOnce === null))
      return refuseRemoved(ctx, tx, tenantId, lane, tenantNow);
    const line = lane && (await callLine(ctx, tx, { tenantId, mode }, lane.carrier, lane.revision ?? undefined));
    const later = (ms: number): Claimed => ({ claim: undefined, more: false, nextAt: new Date(now.getTime() + ms) });
    if (!lane || !line || stop) return { claim: undefined, more: false, nextAt: undefined };
    if (lane.fenced || !clockHoldsFor(lane.carrier, clockOffsetMs, ctx.clockMovesLive)) return later(FENCED_MS);
    if (lane.broken_until && lane.broken_until > now) return later(lane.broken_until.getTime() - now.getTime());
    // Its campaigns are paused; what else waits goes on once it is repaired.
    if (lane.accountStatus !== null && lane.accountStatus !== "connected") return later(IN_TROUBLE_MS);
    if (line.room() < 1) return later(NO_ROOM_MS);
    const { carrier } = lane;
    const callsAtOnce = lane.lent?.callsAtOnce;
    const lentRoom = callsAtOnce
      ? await roomOfLent(tx, tenantId, { carrier, callsAtOnce }, { now, tenantNow })
      : Number.POSITIVE_INFINITY;
    if (lentRoom < 1) return later(FULL_MS);

    const day = spendDay(spending.zone, tenantNow);
    const minuteMicros = microsOf(ctx.callPrices.carrierMinute);
    const affordable =
      spending.limit === null
        ? Number.POSITIVE_INFINITY
        : piecesLeft(spendLeft(spending.limit, await spend.lock(tx, tenantId, day.date)).outreach, minuteMicros);
    // None is dialled any more today, or until the limit is raised; those that go on are not cut off.
    if (affordable < 1) return later(day.endsAt.getTime() - tenantNow.getTime());
    const { free, campaignSize } = await measure(tx, tenantId, lane, tenantNow);
    const bucket = refill(lane, now);
    const numbers = await rotate(tx, tenantId, lane, line.capabilities, { now, tenantNow });
    const onlyAsked = numbers.areAllResting;
    const ours = lane.numbers.length === 0 ? Number.POSITIVE_INFINITY : numbers.left();
    const room = Math.min(BATCH, Math.floor(bucket), Math.floor(line.room()), free, affordable, ours, lentRoom);
    // The end of one of its calls enqueues the lane's job.
    if (free === 0) {
      await dialLanes.settle(tx, tenantId, lane.id, { tokens: bucket, tokensAt: now, nextDueAt: tenantNow });
      return { claim: undefined, more: false, nextAt: undefined };
    }
    if (room < 1) return later(Math.max(GATHER_MS, ours < 1 ? numbers.againMs : 1000 / lane.per_second));

    const due = await dialClaims.due(tx, tenantId, laneId, tenantNow, { limit: room, onlyAsked });
    const decision = await decide(ctx, tx, tenantId, due, { lane, numbers, given }, tenantNow);
    const { placing, busy, waiting } = decision;
    const more = due.length === room && busy + waiting < due.length;
    const dueNextAt = more ? tenantNow : await dialClaims.nextDueAt(tx, tenantId, laneId, { onlyAsked });
    const { restingUntil } = numbers;
    const nextDueAt = restingUntil && (dueNextAt === null || restingUntil < dueNextAt) ? restingUntil : dueNextAt;
    // The first minute; the rest once it is over.
    await spend.add(tx, tenantId, day.date, minuteMicros * placing.length);
    await numbers.note();
    await dialLanes.settle(tx, tenantId, lane.id, { tokens: bucket - placing.length, tokensAt: now, nextDueAt });
    const starts = await callClock.take(tx, tenantId, tenantNow, placing.length);
    const started = placing.map((dial, i) => ({ ...dial, startAt: starts[i]! }));
    // Read once: the node may lose its place and take another before the claim uses it.
    const nodeId = ctx.node.id;
    await dialClaims.start(tx, tenantId, started, {
      now: tenantNow,
      nodeId,
      carrier: lane.carrier,
      checkAt: new Date(now.getTime() + CHECK_AFTER_MS),
    });
    const claimed = {
      nodeId,
      line,
      placing: started,
      campaigns: decision.campaigns,
      campaignSize,
      tenantNow,
      clockOffsetMs,
      claimedAt: moment(ctx.now()),
      unstoppedMs,
    };
    const dueAt = nextDueAt && nextDueAt.getTime() - clockOffsetMs;
    const againMs = busy > 0 ? LOOK_AGAIN_MS : waiting > 0 ? Math.max(GATHER_MS, numbers.againMs) : 0;
    const soonest = againMs > 0 ? now.getTime() + againMs : 0;
    return {
      claim: started.length === 0 ? undefined : claimed,
      more,
      nextAt: dueAt === null ? undefined : new Date(Math.max(dueAt, soonest)),
    };
  });
}

/** A number of a lent account that the tenant has no more is another's by now: nobody is called from it. */
function withGiven(lane: dialLanes.LockedLane, given: ReadonlySet<string> | undefined): dialLanes.LockedLane {
  if (given === undefined || lane.numbers.length === 0) return lane;
  const numbers = lane.numbers.filter((number) => given.has(number));
  // Without a number it would be taken for that of single calls.
  return numbers.length === 0 ? { ...lane, revision: null } : { ...lane, numbers };
}

/** A lane of an account that was removed, which does not come back, or is lent without calls: its due calls are refused, and none is dialled. */
async function refuseRemoved(
  ctx: Context,
  tx: Tx,
  tenantId: Uuid,
  lane: dialLanes.DialLane,
  tenantNow: Date,
): Promise<Claimed> {
  const now = ctx.now();
  const due = await dialClaims.due(tx, tenantId, lane.id, tenantNow, { limit: BATCH, onlyAsked: false });
  const { busy } = await decide(ctx, tx, tenantId, due, { lane, numbers: undefined, given: undefined }, tenantNow);
  const more = due.length === BATCH && busy < due.length;
  const nextDueAt = more ? tenantNow : await dialClaims.nextDueAt(tx, tenantId, lane.id, { onlyAsked: false });
  await dialLanes.settle(tx, tenantId, lane.id, { tokens: lane.tokens, tokensAt: now, nextDueAt });
  return { claim: undefined, more, nextAt: busy > 0 ? new Date(now.getTime() + LOOK_AGAIN_MS) : undefined };
}

/** How many more calls of the lane may go on at once: a lane that has abandoned too many places them one by one. */
async function measure(tx: Tx, tenantId: Uuid, lane: dialLanes.DialLane, tenantNow: Date) {
  // A campaign's lane has the campaign's id; one without numbers is that of single calls.
  const campaignId = lane.numbers.length === 0 ? NO_ID : lane.id;
  const open = await dialClaims.openOf(tx, tenantId, campaignId, lane.carrier);
  const counted = (await counts.read(tx, tenantId, [campaignId])).get(campaignId)!;
  const slow = abandonsTooMany(counted, tenantNow);
  return {
    free: Math.max(0, (slow ? 1 : lane.concurrency) - open),
    campaignSize:
      campaignId === NO_ID ? undefined : RECIPIENT_STATES.reduce((sum, state) => sum + (counted[state] ?? 0), 0),
  };
}
