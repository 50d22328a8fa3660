import { callingPolicy, dispatch } from "#domain/dispatch.ts";
import { mayContact } from "#domain/gate.ts";
import { NO_ID, type Uuid } from "#domain/id.ts";
import { placeOf } from "#domain/place.ts";
import { templatesOf } from "#domain/templates.ts";
import type { SendOutcome, SmsCarrier } from "#ports/sms-carrier.ts";
import * as attempts from "#store/attempts.ts";
import * as campaigns from "#store/campaigns.ts";
import * as claims from "#store/claims.ts";
import type { Tx } from "#store/db.ts";
import * as lanes from "#store/lanes.ts";
import * as messages from "#store/messages.ts";
import { optOut } from "#store/opt-outs.ts";
import * as queue from "#store/queue.ts";
import { carryOver } from "#store/settlements.ts";
import * as tenants from "#store/tenants.ts";
import * as threads from "#store/threads.ts";
import type { Context } from "./context.ts";

/** Large enough that a statement's fixed cost is nothing beside its rows, small enough to hold no lock for long. */
const BATCH = 500;
/** Batches on their way at once: one is being claimed while others are with the carrier or being settled. */
const DEPTH = 3;
/** A job that ran longer would be the last to see a shutdown; it rings itself again. */
const DRAIN_FOR_MS = 10_000;
/** A claim older than this was held up; it is put back rather than sent on an old decision. */
const SEND_WITHIN_MS = 15_000;
/** The carrier's whole answer for a batch must be here by then. */
const CARRIER_TIMEOUT_MS = 30_000;
/** An attempt with no word for this long has lost its owner, or its owner its answer: see recover-attempts. */
const CHECK_AFTER_MS = 60_000;
/** What another held when a claim came by (an opt-out, most of all) is looked at again this soon. */
const LOOK_AGAIN_MS = 50;
/** A lane with a rate gathers tokens for this long at least: a claim for each text would cost more than the text. */
const GATHER_MS = 200;

type Lane = { tenantId: Uuid; laneId: Uuid };
type Claim = {
  /** Who this process was at the claim. */
  nodeId: Uuid;
  laneId: Uuid;
  carrier: SmsCarrier;
  sender: string;
  sending: Sending[];
  tenantNow: Date;
  claimedAt: number;
};
type Sending = claims.Sending & { campaign: string; zones: readonly string[] };
/** What a claim found: texts to send, whether more are due at once, and when else to come back (real time). */
type Claimed = { claim: Claim | undefined; more: boolean; nextAt: Date | undefined };

/** One drain of a lane a process: a doorbell that rings meanwhile makes it look once more. */
const draining = new WeakMap<Context, Map<Uuid, { rungAgain: boolean }>>();

/**
 * Sends what is due on a lane, in batches: claim, hand to the carrier, settle. Returns when nothing more is due, or
 * after ten seconds; either way the lane's next doorbell is rung.
 */
export async function drainLane(ctx: Context, lane: Lane, signal: AbortSignal): Promise<void> {
  const mine = draining.get(ctx) ?? new Map();
  draining.set(ctx, mine);
  const running = mine.get(lane.laneId);
  if (running) {
    running.rungAgain = true;
    return;
  }
  const state = { rungAgain: false };
  mine.set(lane.laneId, state);
  try {
    await drain(ctx, lane, state, signal);
  } finally {
    mine.delete(lane.laneId);
    if (state.rungAgain) await queue.ring(ctx.db, [{ job: "drain-lane", payload: lane }]);
  }
}

async function drain(ctx: Context, lane: Lane, state: { rungAgain: boolean }, signal: AbortSignal): Promise<void> {
  await campaigns.activate(ctx.db, lane.tenantId, lane.laneId);
  const until = performance.now() + DRAIN_FOR_MS;
  const onTheirWay = new Set<Promise<void>>();
  let failure: unknown;
  let nextAt: Date | undefined;
  let retryAt: Date | undefined;
  while (!signal.aborted && ctx.node.alive() && failure === undefined) {
    const found = await claim(ctx, lane);
    nextAt = found.nextAt;
    if (found.claim) {
      const delivery: Promise<void> = deliver(ctx, lane.tenantId, found.claim)
        .then((again) => {
          retryAt = earlier(retryAt, again);
        })
        .catch((error) => {
          failure ??= error;
        })
        .finally(() => onTheirWay.delete(delivery));
      onTheirWay.add(delivery);
    }
    if (onTheirWay.size >= DEPTH) await Promise.race(onTheirWay);
    if (found.more) {
      if (performance.now() > until) {
        nextAt = ctx.now();
        break;
      }
      continue;
    }
    // What is on its way may come back to be tried again, and a bell may have rung since the claim.
    await Promise.all(onTheirWay);
    if (!state.rungAgain) break;
    state.rungAgain = false;
  }
  await Promise.all(onTheirWay);
  if (failure !== undefined) throw failure;
  const comeBackAt = earlier(nextAt, retryAt);
  if (comeBackAt) await queue.ring(ctx.db, [{ job: "drain-lane", payload: lane, runAt: comeBackAt }]);
}

const earlier = (a: Date | undefined, b: Date | undefined): Date | undefined => (a && b ? (a < b ? a : b) : (a ?? b));

/** Claims a batch in one transaction: decides every due text, and writes an attempt for each that may leave. */
function claim(ctx: Context, { tenantId, laneId }: Lane): Promise<Claimed> {
  return ctx.db.transaction(async (tx) => {
    const now = ctx.now();
    const offsetMs = await tenants.clockOffsetMs(tx, tenantId);
    const tenantNow = new Date(now.getTime() + offsetMs);
    const lane = await lanes.lock(tx, tenantId, laneId);
    const carrier = lane && ctx.carriers.byName(lane.carrier);
    if (!lane || !carrier) return { claim: undefined, more: false, nextAt: undefined };

    const bucket = refill(lane, now);
    const room = Math.min(BATCH, Math.floor(bucket));
    if (room === 0)
      return {
        claim: undefined,
        more: false,
        nextAt: new Date(now.getTime() + Math.max(GATHER_MS, 1000 / lane.per_second!)),
      };

    const due = await claims.candidates(tx, tenantId, laneId, tenantNow, room);
    const { sending: decided, busy } = due.length === 0 ? NOTHING : await decide(ctx, tx, tenantId, due, tenantNow);
    const nodeId = ctx.node.id;
    await claims.start(tx, tenantId, decided, {
      now: tenantNow,
      nodeId,
      carrier: lane.carrier,
      sender: lane.sender,
      checkAt: new Date(now.getTime() + CHECK_AFTER_MS),
    });
    // Only what is held by others is not to be had by asking at once again.
    const more = due.length === room && busy < room;
    const nextDueAt = more ? tenantNow : await claims.nextDueAt(tx, tenantId, laneId);
    const tokens = lane.per_second === null ? 0 : bucket - decided.length;
    await lanes.settle(tx, tenantId, laneId, { tokens, tokensAt: now, nextDueAt });
    return {
      claim:
        decided.length === 0
          ? undefined
          : { nodeId, laneId, carrier, sender: lane.sender, sending: decided, tenantNow, claimedAt: performance.now() },
      more,
      nextAt: nextDueAt
        ? new Date(Math.max(nextDueAt.getTime() - offsetMs, busy > 0 ? now.getTime() + LOOK_AGAIN_MS : 0))
        : undefined,
    };
  });
}

/** The lane's tokens by now; a lane without a rate has room for any batch. A second's worth is the most it saves up. */
function refill(lane: lanes.Lane, now: Date): number {
  if (lane.per_second === null) return BATCH;
  const gained = (Math.max(0, now.getTime() - lane.tokens_at.getTime()) / 1000) * lane.per_second;
  return Math.min(Math.max(1, lane.per_second), lane.tokens + gained);
}

/** What may leave of the candidates, and how many of them others held. */
type Decided = { sending: Sending[]; busy: number };
const NOTHING: Decided = { sending: [], busy: 0 };

/** Locks what decides (campaigns, consents) and what is decided (messages), and runs gate and template over them. */
async function decide(ctx: Context, tx: Tx, tenantId: Uuid, due: claims.Candidate[], now: Date): Promise<Decided> {
  const campaignIds = [...new Set(due.map((it) => it.campaign_id))].filter((id) => id !== NO_ID);
  const byId = new Map((await claims.campaigns(tx, tenantId, campaignIds)).map((it) => [it.id, it]));
  const phones = [...new Set(due.map((it) => it.phone))].sort();
  const consents = new Map((await claims.consents(tx, tenantId, phones)).map((it) => [it.phone, it]));
  // After the locks, so that they see whatever an opt-out before them has committed.
  const [listed, locked] = await Promise.all([
    claims.doNotCall(tx, tenantId, phones),
    claims.lock(
      tx,
      tenantId,
      due.filter((it) => consents.get(it.phone)?.busy !== true),
      now,
    ),
  ]);
  const blocked = new Set(listed.map((it) => `${it.phone} ${it.organization_id}`));

  const sending: Sending[] = [];
  const refused: claims.Refused[] = [];
  for (const message of locked) {
    const campaign = byId.get(message.campaign_id);
    const place = placeOf({ phone: message.phone, fields: message.fields ?? {} }, ctx.numberPlan);
    const gate = mayContact(
      {
        channel: "sms",
        purpose: message.kind,
        consent: {
          optedOutAt: consents.get(message.phone)?.opted_out_at ?? null,
          doNotCall:
            blocked.has(`${message.phone} ${NO_ID}`) || blocked.has(`${message.phone} ${campaign?.organization_id}`),
          doNotMessage: message.do_not_message ?? false,
        },
        campaign: campaign ? { status: campaign.status, beginAt: campaign.begin_at, endAt: campaign.end_at } : null,
        lastInboundAt: message.last_inbound_at,
        place,
        policy: callingPolicy(ctx.profile, campaign?.settings ?? {}),
      },
      now,
      ctx.callingWindows,
    );
    const verdict = dispatch(
      {
        kind: message.kind,
        step: message.step,
        text: message.text,
        phone: message.phone,
        fields: message.fields,
        firstSentAt: message.first_sent_at,
        recipientState: message.recipient_state,
      },
      gate,
      campaign && templatesOf(campaign.agent_id, campaign.agent_version, campaign.config),
      campaign?.end_at ?? null,
      now,
    );
    if (verdict.go) {
      // The number alone says where a test phone is; what the contact's address says is surer.
      const zones = place.basis === "exchange" || place.basis === "area_code" ? [] : place.zones;
      sending.push({
        message,
        ref: ctx.newId(),
        text: verdict.text,
        segments: verdict.segments,
        campaign: campaign?.campaign_id ?? "",
        zones,
      });
    } else refused.push({ message, ...verdict });
  }
  await refuse(ctx, tx, tenantId, refused, now);
  return { sending, busy: due.length - locked.length };
}

async function refuse(ctx: Context, tx: Tx, tenantId: Uuid, refused: claims.Refused[], now: Date): Promise<void> {
  if (refused.length === 0) return;
  await claims.refuse(tx, tenantId, refused, ctx.newId(), now);
  const moves: threads.Move[] = [];
  const over: { campaign_id: Uuid; id: Uuid }[] = [];
  for (const { message, state, rule, reason } of refused) {
    if (message.step !== 0 || message.thread_id === null) continue;
    const recipient = state === "held" || state === "expired" ? state : rule === "opted_out" ? "opted_out" : "skipped";
    moves.push({ campaignId: message.campaign_id, threadId: message.thread_id, state: recipient, reason });
    if (state !== "held") over.push({ campaign_id: message.campaign_id, id: message.thread_id });
  }
  await threads.move(tx, tenantId, moves, ctx.newId(), now);
  await messages.withdraw(tx, tenantId, over, {
    reason: "starting_message_not_sent",
    changeId: ctx.newId(),
    now,
    kinds: ["drip"],
  });
}

/**
 * Hands a claimed batch to the carrier and settles what it said. Whatever is not certain is left to be looked up.
 * Answers with the (real) time at which texts that were not sent are to be tried again.
 */
async function deliver(ctx: Context, tenantId: Uuid, claim: Claim): Promise<Date | undefined> {
  const outcomes = await send(ctx, tenantId, claim);
  if (outcomes === undefined) return undefined;
  const now = ctx.now();
  const results = claim.sending.map(({ ref }, i) => resultOf(ref, outcomes[i]!, claim.carrier, claim.tenantNow));
  const again = results.reduce<Date | undefined>((soonest, it) => earlier(soonest, it.dueAt), undefined);
  await ctx.db.transaction(async (tx) => {
    const checkAt = new Date(now.getTime() + claim.carrier.capabilities.settleMs);
    const moved = await attempts.settle(tx, tenantId, results, {
      now: claim.tenantNow,
      checkAt,
      changeId: ctx.newId(),
    });
    await carryOver(tx, tenantId, moved, ctx.newId, claim.tenantNow);
    if (again) await lanes.due(tx, tenantId, claim.laneId, again);
  });
  const theirStops = claim.sending.filter((_, i) => (outcomes[i] as { optedOut?: boolean }).optedOut);
  for (const { message } of theirStops) {
    await ctx.db.transaction((tx) =>
      optOut(tx, tenantId, message.phone, { source: "carrier", quote: null, at: claim.tenantNow, newId: ctx.newId }),
    );
  }
  return again && new Date(again.getTime() - claim.tenantNow.getTime() + now.getTime());
}

/**
 * The carrier's answer for each text, or undefined when this process has lost its place in the cluster: then another
 * settles its attempts. Checked right before the hand-over, since a paused process wakes up believing it is well.
 */
async function send(ctx: Context, tenantId: Uuid, claim: Claim): Promise<SendOutcome[] | undefined> {
  if (!ctx.node.alive() || ctx.node.id !== claim.nodeId) return undefined;
  if (performance.now() - claim.claimedAt > SEND_WITHIN_MS) {
    return claim.sending.map(() => ({ outcome: "not_sent", code: "held_up", retryAfterMs: 0 }));
  }
  const texts = claim.sending.map(({ message, ref, text, campaign, zones }) => ({
    ref,
    to: message.phone,
    text,
    purpose: message.kind,
    campaign,
    step: message.step,
    zones,
  }));
  try {
    return await claim.carrier.send(
      { tenantId, sender: claim.sender, now: claim.tenantNow, texts },
      AbortSignal.timeout(CARRIER_TIMEOUT_MS),
    );
  } catch (error) {
    ctx.log.warn({ err: error, carrier: claim.carrier.name }, "the carrier failed for a whole batch");
    return claim.sending.map(() => ({ outcome: "uncertain", code: "carrier_failed" }));
  }
}

function resultOf(
  ref: Uuid,
  it: SendOutcome,
  carrier: SmsCarrier,
  now: Date,
): attempts.SettledAttempt & { dueAt?: Date } {
  switch (it.outcome) {
    case "accepted":
      return { ref, state: "accepted", carrierId: it.carrierId, errorCode: null };
    case "rejected":
      return { ref, state: "rejected", carrierId: null, errorCode: it.code };
    case "not_sent":
      return {
        ref,
        state: "not_sent",
        carrierId: null,
        errorCode: it.code,
        dueAt: new Date(now.getTime() + it.retryAfterMs),
      };
    case "uncertain": {
      const { lookupByRef, callbackCarriesRef } = carrier.capabilities;
      return {
        ref,
        state: lookupByRef || callbackCarriesRef ? "uncertain" : "held",
        carrierId: null,
        errorCode: it.code,
      };
    }
  }
}
