import { textDigest } from "#domain/messaging/text-digest.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import { isStoppedSince } from "#operations/process-state.ts";
import type { OutgoingText, SendOutcome, SmsBatch, SmsCarrier } from "#ports/sms-carrier.ts";
import * as marks from "#store/messaging/marks.ts";
import { msSince } from "#store/system/moments.ts";
import type { Claim } from "./claim.ts";

/**
 * A claim older than this was delayed; it is put back rather than sent on an old decision. Less than an operation that opts a phone out waits, after its commit, for what was claimed before
 * (store/messaging/in-flight.ts): after that wait nothing of the claim may leave any more.
 */
const SEND_WITHIN_MS = 5_000;
/** The carrier has this long for the answers to a whole batch, unless it says otherwise. */
const CARRIER_TIMEOUT_MS = 30_000;
/** A journal that cannot be written has a full disk, most likely: nothing leaves until it can. */
const UNJOURNALED_MS = 5_000;
/** The text stays due, and is decided anew. */
const HELD_UP: SendOutcome = { outcome: "not_sent", code: "held_up", retryAfterMs: 0 };

/** Its number has come to a carrier that takes no pictures since it was written. */
const WITHOUT_PICTURES: SendOutcome = { outcome: "rejected", code: "no_mms" };

/**
 * Writes a claimed batch into the journal and hands it to the carrier, or has a carrier that marks do so by and by; returns the carrier's answer for each text. A process that cannot prove its
 * place in the cluster hands over nothing: another may be looking its texts up already. Nor is a text handed over whose window has closed since it
 * was decided. Both are checked right before the hand-over, since a suspended process does not notice on waking that time has passed; a text that it
 * then puts back, and that another process has settled meanwhile, stays as that one left it.
 */
export async function handOver(
  ctx: Context,
  tenantId: Uuid,
  claim: Claim,
  mark: SmsBatch["mark"],
): Promise<SendOutcome[]> {
  const { nodeId, carrier, sender, sending } = claim;
  const deadline = new AbortController();
  const mayLeave: SmsBatch["mayLeave"] = (text) =>
    !deadline.signal.aborted &&
    ctx.node.alive() &&
    ctx.node.id === nodeId &&
    (!text || text.purpose === "confirmation" || !isStoppedSince(ctx.process, tenantId, claim.unstoppedMs)) &&
    msSince(claim.claimedAt, ctx.now()) < SEND_WITHIN_MS &&
    (!text?.validUntil || text.validUntil.getTime() > ctx.now().getTime() + claim.clockOffsetMs);
  if (!mayLeave()) return sending.map(() => HELD_UP);
  try {
    if (!mark) await journal(ctx, tenantId, claim);
  } catch (error) {
    ctx.log.error({ err: error }, "the journal cannot be written: nothing is sent");
    return sending.map(() => ({ outcome: "not_sent", code: "journal_failed", retryAfterMs: UNJOURNALED_MS }));
  }
  const texts = sending.map(textOf);
  const takes = ({ media = [] }: OutgoingText) => media.length === 0 || carrier.capabilities.media === true;
  const leaving = texts.filter((text) => takes(text) && mayLeave(text));
  const batch = {
    ...{ tenantId, sender, now: claim.tenantNow, texts: leaving, mayLeave },
    ...(mark && { mark }),
  };
  const answers = leaving.length === 0 ? [] : await answered(ctx, carrier, batch, deadline);
  const outcomeOf = new Map(leaving.map(({ ref }, i) => [ref, answers[i]!]));
  return texts.map((text) => (takes(text) ? (outcomeOf.get(text.ref) ?? HELD_UP) : WITHOUT_PICTURES));
}

/**
 * Commits the marks of texts and writes these into the journal, both before any of them leaves: what the journal has of a carrier that marks may have
 * left, and not all that was claimed. Undefined for a carrier that needs none.
 */
export function marker(ctx: Context, tenantId: Uuid, claim: Claim): SmsBatch["mark"] {
  if (!claim.carrier.capabilities.marks) return undefined;
  const byRef = new Map(claim.sending.map((one) => [one.ref, one]));
  return async (texts) => {
    const sending = texts.map(({ ref }) => byRef.get(ref)!);
    const refs = texts.map(({ ref }) => ref);
    const [marked] = await Promise.all([
      marks.mark(ctx.db, tenantId, claim.nodeId, refs),
      journal(ctx, tenantId, { ...claim, sending }),
    ]);
    return marked;
  };
}

const textOf = ({
  message,
  ref,
  text,
  mediaUrls,
  campaign,
  zones,
  validUntil,
}: Claim["sending"][number]): OutgoingText => ({
  ref,
  to: message.phone,
  text,
  ...(mediaUrls ? { media: mediaUrls } : {}),
  purpose: message.kind,
  campaign,
  step: message.step,
  zones,
  validUntil,
});

/**
 * Never longer than the carrier has time to answer, even one that ignores its signal. After that nothing of the batch may leave any more: a look-up,
 * `settleMs` later, finds whatever was on its way by then.
 */
async function answered(
  ctx: Context,
  carrier: SmsCarrier,
  batch: SmsBatch,
  deadline: AbortController,
): Promise<SendOutcome[]> {
  const withinMs = carrier.capabilities.answersWithinMs ?? CARRIER_TIMEOUT_MS;
  const { promise: never, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const error = new DOMException("the carrier did not answer in time", "TimeoutError");
    deadline.abort(error);
    reject(error);
  }, withinMs);
  try {
    return await Promise.race([carrier.send(batch, deadline.signal), never]);
  } catch (error) {
    ctx.log.warn({ err: error, carrier: carrier.name }, "the carrier failed for a whole batch");
    return batch.texts.map(() => ({ outcome: "uncertain", code: "carrier_failed" }));
  } finally {
    clearTimeout(timer);
  }
}

function journal(ctx: Context, tenantId: Uuid, claim: Claim): Promise<void> {
  return ctx.journal.append({
    kind: "sends",
    at: claim.tenantNow.toISOString(),
    tenantId,
    nodeId: claim.nodeId,
    carrier: claim.carrier.name,
    sender: claim.sender,
    texts: claim.sending.map(({ ref, message, text, mediaUrls }) => ({
      ref,
      campaignId: message.campaign_id,
      messageId: message.id,
      phone: message.phone,
      purpose: message.kind,
      digest: textDigest(text, mediaUrls?.length ?? 0),
    })),
  });
}
