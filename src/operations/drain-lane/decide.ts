import { LONGEST_CAP_MS, type OutreachAttempt } from "#domain/attempt-cap.ts";
import { dispatch, validUntil } from "#domain/dispatch.ts";
import { isUnasked, mayContact } from "#domain/gate.ts";
import { basisText, gateSubject } from "#domain/gate-facts.ts";
import type { Budget, Spent } from "#domain/governor.ts";
import { NO_ID, type Uuid } from "#domain/id.ts";
import { placeOf } from "#domain/place.ts";
import { templatesOf } from "#domain/templates.ts";
import * as budgets from "#store/budgets.ts";
import * as callingBans from "#store/calling-bans.ts";
import * as claims from "#store/claims.ts";
import type { Tx } from "#store/db.ts";
import * as heldConsents from "#store/held-consents.ts";
import * as messages from "#store/messages.ts";
import * as numberChecks from "#store/number-checks.ts";
import * as queue from "#store/queue.ts";
import * as screening from "#store/screening.ts";
import * as threads from "#store/threads.ts";
import type { Context } from "../context.ts";

export type Sending = claims.Sending & {
  campaign: string;
  zones: readonly string[];
  /** In the tenant's time; null when no end is known. */
  validUntil: Date | null;
};

/** What may leave of the candidates, and how many of them others held. */
export type Decided = { sending: Sending[]; busy: number; spent?: Spent };
const NO_ATTEMPTS: readonly OutreachAttempt[] = [];
export const NOTHING: Decided = { sending: [], busy: 0 };

/** Locks what decides (campaigns, consents) and what is decided (messages), and runs gate and template over them. */
export async function decide(
  ctx: Context,
  tx: Tx,
  tenantId: Uuid,
  due: claims.Candidate[],
  budget: Budget | null | undefined,
  now: Date,
): Promise<Decided> {
  const { campaigns, candidates } = await claims.hold(tx, tenantId, due);
  const phones = [...new Set(candidates.map((it) => it.phone))].sort();
  const consents = await heldConsents.hold(tx, tenantId, phones, ctx.hashPhone);
  // After the locks, so that they see whatever an opt-out before them has committed.
  const since = new Date(now.getTime() - LONGEST_CAP_MS);
  const asked = { now, channel: "sms" as const, checksReassigned: ctx.reassignedNumbers !== undefined };
  const [screened, bans, listed, outreach, locked] = await Promise.all([
    screening.screen(tx, tenantId, [...consents.values()], asked),
    callingBans.notOver(tx, tenantId, now),
    claims.doNotCall(tx, tenantId, phones),
    claims.outreach(tx, tenantId, phones, since),
    claims.lock(
      tx,
      tenantId,
      candidates.filter((it) => consents.get(it.phone)?.busy !== true),
      now,
    ),
  ]);
  const blocked = new Set(listed.map((it) => `${it.phone} ${it.organization_id}`));

  const attemptsAt = new Map<string, OutreachAttempt[]>();
  for (const it of outreach) attemptsAt.set(it.phone, [...(attemptsAt.get(it.phone) ?? []), it]);

  const sending: Sending[] = [];
  const refused: claims.Refused[] = [];
  for (const message of locked) {
    const campaign = campaigns.get(message.campaign_id);
    const place = placeOf({ phone: message.phone, fields: message.fields ?? {} }, ctx.numberPlan);
    const before = attemptsAt.get(message.phone) ?? NO_ATTEMPTS;
    const gate = mayContact(
      gateSubject({
        channel: "sms",
        purpose: message.kind,
        profile: ctx.profile,
        place,
        consent: consents.get(message.phone),
        screening: screened.get(message.phone),
        doNotCall:
          blocked.has(`${message.phone} ${NO_ID}`) || blocked.has(`${message.phone} ${campaign?.organization_id}`),
        campaign,
        thread: message,
        attempts: before,
        bans,
      }),
      now,
      ctx.callingWindows,
    );
    const verdict = dispatch(
      {
        kind: message.kind,
        step: message.step,
        text: message.text,
        phone: message.phone,
        createdAt: message.created_at,
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
      const counts = isUnasked(message.kind, message.last_inbound_at);
      // Another text for the same phone may be in this batch.
      if (counts) attemptsAt.set(message.phone, [...before, { at: now, channel: "sms" }]);
      sending.push({
        message,
        ref: ctx.newId(),
        text: verdict.text,
        segments: verdict.segments,
        outreach: counts,
        basedOn: basisText(ctx.profile, place, before.length),
        campaign: campaign?.campaign_id ?? "",
        zones,
        validUntil: validUntil({ kind: message.kind, createdAt: message.created_at }, gate),
      });
    } else {
      // A hold that asks again every hour is one hold.
      const isNews = gate.outcome === "held" && (gate.askAgainAt === undefined || gate.rule !== message.rule);
      const hold = isNews && gate.rule === verdict.rule ? { hold: { until: gate.until } } : {};
      refused.push({ message, ...verdict, ...hold });
    }
  }
  const unchecked = refused.filter((it) => it.rule === "reassigned_unchecked").map(({ message }) => message.phone);
  if (unchecked.length > 0) {
    const questions = [...new Set(unchecked)].map((phone) => ({ phone, consentAt: screened.get(phone)!.consent!.at }));
    await numberChecks.want(tx, tenantId, questions, now);
    await queue.ring(tx, [{ job: "check-numbers", payload: { tenantId } }]);
  }
  const busy = due.length - locked.length;
  if (!budget) return { sending, busy: busy + (await refuse(ctx, tx, tenantId, refused, now)) };
  const governed = budgets.govern(budget, sending, due, (id) => campaigns.get(id)?.end_at ?? null);
  const left = await refuse(ctx, tx, tenantId, [...refused, ...governed.refused], now);
  return { sending: governed.going, busy: busy + left, spent: governed.spent };
}

const isStart = ({ message }: claims.Refused): boolean => message.step === 0 && message.thread_id !== null;

/** Puts off what may not leave, or drops it, and tells its recipients. Answers with how many it had to leave: others have their threads. */
async function refuse(ctx: Context, tx: Tx, tenantId: Uuid, them: claims.Refused[], now: Date): Promise<number> {
  const starts = them.filter(isStart).map(({ message }) => message);
  const held = await threads.hold(tx, tenantId, starts);
  const refused = them.filter((it) => !isStart(it) || held.has(it.message.thread_id!));
  if (refused.length === 0) return them.length;
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
  return them.length - refused.length;
}
