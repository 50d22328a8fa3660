import { setTimeout as pause } from "node:timers/promises";
import { isOutreach, type MessagePurpose } from "#domain/messaging/message.ts";
import type { Uuid } from "#domain/values/id.ts";
import { accountBarred, notePaused } from "#operations/carriers.ts";
import { type Context, isAway } from "#operations/context.ts";
import type { SendOutcome, SmsBatch, SmsCarrier } from "#ports/sms-carrier.ts";
import * as campaigns from "#store/campaigns/campaigns.ts";
import { optOut } from "#store/compliance/opt-outs.ts";
import type { Tx } from "#store/database/db.ts";
import * as attempts from "#store/messaging/attempts.ts";
import * as lanes from "#store/sending/lanes.ts";
import * as lentUses from "#store/sending/lent-uses.ts";
import { recordEarly } from "#store/sending/receipts.ts";
import { carryOver } from "#store/sending/settlements.ts";
import * as spend from "#store/sending/spend.ts";
import type { Claim } from "./claim.ts";
import { handOver, marker } from "./hand-over.ts";

/** The carrier's answer is written as soon as the database is back; beyond this time it is left to be looked up. */
const SETTLE_FOR_MS = 30_000;
const SETTLE_AGAIN_MS = 500;
/** Texts that a campaign's pause does not hold back (a confirmation, most of all) are tried this often with a carrier that bars us. */
const BARRED_MS = 60_000;
const UNPAUSED: readonly MessagePurpose[] = ["human", "confirmation", "help"];

/**
 * Hands a claimed batch to the carrier and settles its answers, in pieces where the carrier has it so: `settled` is called with the size of each. Whatever
 * is not certain is left to be looked up. Returns the (real) time at which texts that were not sent are to be tried again.
 */
export async function deliver(
  ctx: Context,
  tenantId: Uuid,
  claim: Claim,
  settled: (count: number) => void = () => {},
): Promise<Date | undefined> {
  const size = claim.carrier.capabilities.settledTogether ?? claim.sending.length;
  const mark = marker(ctx, tenantId, claim);
  const pieces = Array.from({ length: Math.ceil(claim.sending.length / size) }, async (_, i) => {
    const sending = claim.sending.slice(i * size, (i + 1) * size);
    const again = await deliverTogether(ctx, tenantId, { ...claim, sending }, mark);
    settled(sending.length);
    return again;
  });
  // Whatever the failure of one: the others are settled.
  await Promise.allSettled(pieces);
  return (await Promise.all(pieces)).reduce(earlier, undefined);
}

async function deliverTogether(
  ctx: Context,
  tenantId: Uuid,
  claim: Claim,
  mark: SmsBatch["mark"],
): Promise<Date | undefined> {
  const outcomes = await handOver(ctx, tenantId, claim, mark);
  const now = ctx.now();
  const results = claim.sending.map(({ ref }, i) => resultOf(ref, outcomes[i]!, claim.carrier, claim.tenantNow));
  const bar = outcomes.find((outcome) => outcome.outcome === "barred");
  if (bar) {
    ctx.log.error(
      { carrier: claim.carrier.name, sender: claim.sender, code: bar.code },
      "the carrier bars this sender",
    );
    // First, so that texts that are put back below are held by it. If the process dies in between, the next batch gets the same answer.
    await insist(ctx, (tx) => heedBar(ctx, tx, tenantId, claim, bar));
  }
  await recordOptOuts(ctx, tenantId, claim, outcomes);
  const again = results.reduce<Date | undefined>((soonest, result) => earlier(soonest, result.dueAt), undefined);
  const holdMs = holdFor(claim, outcomes);
  await insist(ctx, async (tx) => {
    const checkAt = new Date(now.getTime() + claim.carrier.capabilities.settleMs);
    const moved = await attempts.settle(tx, tenantId, results, {
      now: claim.tenantNow,
      checkAt,
      changeId: ctx.newId(),
    });
    await carryOver(tx, tenantId, moved, ctx.newId, claim.tenantNow);
    if (holdMs !== undefined) await lanes.hold(tx, tenantId, claim.laneId, new Date(now.getTime() + holdMs));
    else if (claim.wasHeld && outcomes.some(wasTaken)) await lanes.hold(tx, tenantId, claim.laneId, null);
    if (again) await lanes.due(tx, tenantId, claim.laneId, again);
    const early = claim.isRamp ? unsent(claim, moved).filter(({ message }) => isOutreach(message.kind)) : [];
    if (early.length > 0) await lanes.countFirstHour(tx, tenantId, claim.laneId, now, -early.length);
    // After the lane, as a claim has it, and in its order.
    const { carrier, spendDay } = claim;
    if (claim.isLent) await lentUses.unsent(tx, tenantId, carrier.name, spendDay, unsent(claim, moved).length);
    await spend.add(tx, tenantId, spendDay, -microsIn(unsent(claim, moved)));
  });
  if (claim.carrier.capabilities.receiptsById) await takeEarly(ctx, tenantId, claim, results);
  return again && new Date(again.getTime() - claim.tenantNow.getTime() + now.getTime());
}

/** After the commit of the ids, which a receipt that comes from now on finds. What is not recorded here the sweep records. */
async function takeEarly(
  ctx: Context,
  tenantId: Uuid,
  { carrier: { name: carrier }, tenantNow: now }: Claim,
  results: readonly attempts.SettledAttempt[],
): Promise<void> {
  const named = results.flatMap(({ ref, carrierId }) => (carrierId === null ? [] : [{ ref, carrierId }]));
  await recordEarly(ctx.db, tenantId, carrier, named, { now, newId: ctx.newId }).catch((err) =>
    ctx.log.warn({ err, carrier }, "receipts that came before their answer are recorded later"),
  );
}

/** A carrier that bars an account bars all its senders: their campaigns are paused, and the account says why. One sender that it does not take is one lane. */
async function heedBar(
  ctx: Context,
  tx: Tx,
  tenantId: Uuid,
  { carrier: { name }, revision, laneId, sender }: Claim,
  { because, code }: Extract<SendOutcome, { outcome: "barred" }>,
): Promise<void> {
  // The account's other senders go on.
  if (revision === null || because === "carrier_sender_refused") {
    const paused = await campaigns.pauseLane(tx, tenantId, laneId, because, ctx.now());
    return notePaused(tx, tenantId, { kind: "phone_number", id: sender }, { because, paused }, ctx);
  }
  const how = because === "carrier_account_suspended" ? "suspended" : "refused";
  await accountBarred(tx, tenantId, { carrier: name, revision }, { how, code }, ctx);
}

/** Those that did not leave, and wait again: they are counted and paid when they do. */
function unsent({ sending }: Claim, moved: readonly attempts.SettledMessage[]): Claim["sending"] {
  const back = new Set(moved.filter(({ state }) => state === "scheduled").map(({ id }) => id));
  return sending.filter(({ message }) => back.has(message.id));
}

const microsIn = (them: Claim["sending"]): number => them.reduce((sum, { micros }) => sum + micros, 0);

/**
 * Contacts who have opted out with the carrier. Committed before their attempts are settled: a process that dies in between leaves those open, and
 * they are looked up; in the other order the opt-out would be lost with the process.
 */
async function recordOptOuts(
  ctx: Context,
  tenantId: Uuid,
  { sending, tenantNow: at }: Claim,
  outcomes: readonly SendOutcome[],
): Promise<void> {
  const stopped = sending.filter((_, i) => (outcomes[i] as { optedOut?: boolean }).optedOut);
  for (const phone of [...new Set(stopped.map(({ message }) => message.phone))].sort()) {
    await ctx.journal.append({ kind: "opt_out", source: "carrier", tenantId, phone, at: at.toISOString() });
    await insist(ctx, async (tx) => {
      await optOut(tx, tenantId, phone, {
        source: "carrier",
        quote: null,
        at,
        newId: ctx.newId,
        hash: ctx.hashPhone,
      });
    });
  }
}

/** The carrier processed the text, whatever the result. */
const wasTaken = ({ outcome }: SendOutcome): boolean => outcome !== "not_sent" && outcome !== "barred";

/**
 * How long the whole lane waits, if at all: a single refusal is about the text, refusals of most of a batch are about the carrier. Without this each
 * of a campaign's texts would be tried before the first is due again.
 */
function holdFor({ sending }: Claim, outcomes: readonly SendOutcome[]): number | undefined {
  const bars = outcomes.some(
    (outcome, i) => outcome.outcome === "barred" && UNPAUSED.includes(sending[i]!.message.kind),
  );
  if (bars) return BARRED_MS;
  const waits = outcomes.flatMap((outcome) =>
    outcome.outcome === "not_sent" && outcome.retryAfterMs > 0 ? outcome.retryAfterMs : [],
  );
  return waits.length > outcomes.length / 2 ? Math.min(...waits) : undefined;
}

/** Runs a transaction that may safely run twice, again and again while the database is away. */
async function insist(ctx: Context, work: (tx: Tx) => Promise<void>): Promise<void> {
  for (const until = performance.now() + SETTLE_FOR_MS; ; await pause(SETTLE_AGAIN_MS)) {
    try {
      return await ctx.db.transaction(work);
    } catch (error) {
      if (!isAway(error) || performance.now() > until) throw error;
    }
  }
}

function resultOf(
  ref: Uuid,
  outcome: SendOutcome,
  carrier: SmsCarrier,
  now: Date,
): attempts.SettledAttempt & { dueAt?: Date } {
  switch (outcome.outcome) {
    case "accepted":
      return { ref, state: "accepted", carrierId: outcome.carrierId, errorCode: null };
    case "rejected":
      return { ref, state: "rejected", carrierId: null, errorCode: outcome.code };
    case "not_sent":
      return {
        ref,
        state: "not_sent",
        carrierId: null,
        errorCode: outcome.code,
        dueAt: new Date(now.getTime() + outcome.retryAfterMs),
      };
    case "barred":
      return {
        ref,
        state: "not_sent",
        carrierId: null,
        errorCode: outcome.because,
        dueAt: new Date(now.getTime() + BARRED_MS),
      };
    case "uncertain": {
      const { lookupByRef, callbackCarriesRef } = carrier.capabilities;
      return {
        ref,
        state: lookupByRef || callbackCarriesRef ? "uncertain" : "held",
        carrierId: null,
        errorCode: outcome.code,
      };
    }
  }
}

/** The earlier of two times. */
export const earlier = (a: Date | undefined, b: Date | undefined): Date | undefined =>
  a && b ? (a < b ? a : b) : (a ?? b);
