import { setTimeout as pause } from "node:timers/promises";
import type { Uuid } from "#domain/id.ts";
import type { SendOutcome, SmsCarrier } from "#ports/sms-carrier.ts";
import * as attempts from "#store/attempts.ts";
import * as campaigns from "#store/campaigns.ts";
import type { Tx } from "#store/db.ts";
import * as lanes from "#store/lanes.ts";
import { optOut } from "#store/opt-outs.ts";
import { carryOver } from "#store/settlements.ts";
import { type Context, isAway } from "../context.ts";
import type { Claim } from "./claim.ts";

/**
 * A claim older than this was held up; it is put back rather than sent on an old decision. Less than an opt-out waits
 * for what was claimed before it (store/opt-outs.ts): past that wait nothing of the claim may leave any more.
 */
const SEND_WITHIN_MS = 5_000;
/** The carrier's whole answer for a batch must be here by then. */
const CARRIER_TIMEOUT_MS = 30_000;
/** What the carrier said is written down as soon as the database takes it again; past this it is left to be looked up. */
const SETTLE_FOR_MS = 30_000;
const SETTLE_AGAIN_MS = 500;
/** A journal that cannot be written has a full disk, most likely: nothing leaves until it can. */
const UNJOURNALED_MS = 5_000;
/** What belongs to no campaign that could be paused (a confirmation, most of all) asks a carrier that bars us this often. */
const BARRED_MS = 60_000;

/**
 * Hands a claimed batch to the carrier and settles what it said. Whatever is not certain is left to be looked up.
 * Answers with the (real) time at which texts that were not sent are to be tried again.
 */
export async function deliver(ctx: Context, tenantId: Uuid, claim: Claim): Promise<Date | undefined> {
  const outcomes = await send(ctx, tenantId, claim);
  const now = ctx.now();
  const results = claim.sending.map(({ ref }, i) => resultOf(ref, outcomes[i]!, claim.carrier, claim.tenantNow));
  const bar = outcomes.find((it) => it.outcome === "barred");
  if (bar) {
    ctx.log.error(
      { carrier: claim.carrier.name, sender: claim.sender, code: bar.code },
      "the carrier bars this sender",
    );
    // First, so that what comes back below is held by it. A process that dies in between is told the same by the next batch.
    await insist(ctx, (tx) => campaigns.pauseLane(tx, tenantId, claim.laneId, bar.because, ctx.now()));
  }
  const again = results.reduce<Date | undefined>((soonest, it) => earlier(soonest, it.dueAt), undefined);
  await insist(ctx, async (tx) => {
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
    const word = { tenantId, phone: message.phone, at: claim.tenantNow.toISOString() };
    await ctx.journal.append({ kind: "opt_out", source: "carrier", ...word });
    await ctx.db.transaction((tx) =>
      optOut(tx, tenantId, message.phone, { source: "carrier", quote: null, at: claim.tenantNow, newId: ctx.newId }),
    );
  }
  return again && new Date(again.getTime() - claim.tenantNow.getTime() + now.getTime());
}

/** Runs a transaction that changes nothing the second time, again and again while the database is away. */
async function insist(ctx: Context, work: (tx: Tx) => Promise<void>): Promise<void> {
  for (const until = performance.now() + SETTLE_FOR_MS; ; await pause(SETTLE_AGAIN_MS)) {
    try {
      return await ctx.db.transaction(work);
    } catch (error) {
      if (!isAway(error) || performance.now() > until) throw error;
    }
  }
}

/**
 * The carrier's answer for each text. Nothing is handed over by a process that cannot prove its place in the cluster:
 * another may be looking its texts up already. Checked right before the hand-over, since a paused process wakes up
 * believing it is well; what it then puts back, and another has settled meanwhile, stays as that one left it.
 */
async function send(ctx: Context, tenantId: Uuid, claim: Claim): Promise<SendOutcome[]> {
  const mayLeave = () =>
    ctx.node.alive() && ctx.node.id === claim.nodeId && performance.now() - claim.claimedAt < SEND_WITHIN_MS;
  if (!mayLeave()) return claim.sending.map(() => ({ outcome: "not_sent", code: "held_up", retryAfterMs: 0 }));
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
    await ctx.journal.append({
      kind: "sends",
      at: claim.tenantNow.toISOString(),
      tenantId,
      nodeId: claim.nodeId,
      carrier: claim.carrier.name,
      sender: claim.sender,
      texts: claim.sending.map(({ ref, message }) => ({
        ref,
        campaignId: message.campaign_id,
        messageId: message.id,
        phone: message.phone,
        purpose: message.kind,
      })),
    });
  } catch (error) {
    ctx.log.error({ err: error }, "the journal cannot be written: nothing is sent");
    return claim.sending.map(() => ({ outcome: "not_sent", code: "journal_failed", retryAfterMs: UNJOURNALED_MS }));
  }
  try {
    return await claim.carrier.send(
      { tenantId, sender: claim.sender, now: claim.tenantNow, texts, mayLeave },
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
    case "barred":
      return {
        ref,
        state: "not_sent",
        carrierId: null,
        errorCode: it.because,
        dueAt: new Date(now.getTime() + BARRED_MS),
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

/** The sooner of two times. */
export const earlier = (a: Date | undefined, b: Date | undefined): Date | undefined =>
  a && b ? (a < b ? a : b) : (a ?? b);
