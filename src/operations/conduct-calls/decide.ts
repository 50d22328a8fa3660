import { LONGEST_CAP_MS, type OutreachAttempt } from "#domain/attempt-cap.ts";
import { dialVerdict, GATE_PURPOSE } from "#domain/dial.ts";
import { isUnasked, mayContact } from "#domain/gate.ts";
import { basisText, gateSubject } from "#domain/gate-facts.ts";
import { NO_ID, type Uuid } from "#domain/id.ts";
import { contactZone, placeOf } from "#domain/place.ts";
import * as callingBans from "#store/calling-bans.ts";
import * as claims from "#store/claims.ts";
import type { Tx } from "#store/db.ts";
import * as dialClaims from "#store/dial-claims.ts";
import type { DialLane } from "#store/dial-lanes.ts";
import * as heldConsents from "#store/held-consents.ts";
import * as numberChecks from "#store/number-checks.ts";
import * as queue from "#store/queue.ts";
import * as screening from "#store/screening.ts";
import * as threads from "#store/threads.ts";
import type { Context } from "../context.ts";

export type Placing = Omit<dialClaims.PlacedDial, "startAt"> & {
  zone: string;
  /** When its window closes, in the tenant's time; null when no end is known. */
  validUntil: Date | null;
};

/** What may be placed of the candidates, their campaigns, and how many of them others held. */
export type Deciding = { placing: Placing[]; campaigns: ReadonlyMap<Uuid, claims.ClaimCampaign>; busy: number };

const NO_ATTEMPTS: readonly OutreachAttempt[] = [];
/** A contact who is on the phone with us is called again after this long at the soonest. */
const ENGAGED_MS = 15_000;

/** Locks what decides (campaigns, consents) and what is decided (dials), and runs the gate over them. */
export async function decide(
  ctx: Context,
  tx: Tx,
  tenantId: Uuid,
  due: readonly dialClaims.DueDial[],
  lane: DialLane,
  now: Date,
): Promise<Deciding> {
  if (due.length === 0) return { placing: [], campaigns: new Map(), busy: 0 };
  const { campaigns, candidates } = await claims.hold(tx, tenantId, due);
  const phones = [...new Set(candidates.map((it) => it.phone))].sort();
  const consents = await heldConsents.hold(tx, tenantId, phones, ctx.hashPhone);
  // After the locks, so that they see whatever an opt-out before them has committed.
  const since = new Date(now.getTime() - LONGEST_CAP_MS);
  const asked = { now, channel: "voice" as const, checksReassigned: ctx.reassignedNumbers !== undefined };
  const free = candidates.filter((it) => consents.get(it.phone)?.busy !== true);
  const [screened, bans, listed, outreach, engaged, locked] = await Promise.all([
    screening.screen(tx, tenantId, [...consents.values()], asked),
    callingBans.notOver(tx, tenantId, now),
    claims.doNotCall(tx, tenantId, phones),
    claims.outreach(tx, tenantId, phones, since),
    dialClaims.engaged(tx, tenantId, phones),
    dialClaims.lock(tx, tenantId, free, now),
  ]);
  const blocked = new Set(listed.map((it) => `${it.phone} ${it.organization_id}`));
  const attemptsAt = new Map<string, readonly OutreachAttempt[]>(
    [...Map.groupBy(outreach, (it) => it.phone)].map(([phone, them]) => [phone, them]),
  );

  const placing: Placing[] = [];
  const refused: dialClaims.RefusedDial[] = [];
  for (const dial of locked) {
    const campaign = campaigns.get(dial.campaign_id);
    const place = placeOf({ phone: dial.phone, fields: dial.fields ?? {} }, ctx.numberPlan);
    const before = attemptsAt.get(dial.phone) ?? NO_ATTEMPTS;
    const purpose = GATE_PURPOSE[dial.purpose];
    const organizationId = campaign?.organization_id ?? dial.organization_id;
    const gate = mayContact(
      gateSubject({
        channel: "voice",
        purpose,
        profile: ctx.profile,
        place,
        consent: consents.get(dial.phone),
        screening: screened.get(dial.phone),
        doNotCall: blocked.has(`${dial.phone} ${NO_ID}`) || blocked.has(`${dial.phone} ${organizationId}`),
        campaign,
        thread: { last_inbound_at: dial.last_inbound_at, do_not_message: dial.do_not_message },
        attempts: before,
        bans,
      }),
      now,
      ctx.callingWindows,
    );
    const verdict = dialVerdict(gate, dial.purpose, campaign?.end_at ?? null);
    if (!verdict.go) {
      // A hold that asks again every hour is one hold.
      const isNews = gate.outcome === "held" && (gate.askAgainAt === undefined || gate.rule !== dial.rule);
      refused.push({ dial, ...verdict, ...(isNews ? { hold: { until: gate.until } } : {}) });
    } else if (engaged.has(dial.phone)) {
      const dueAt = new Date(now.getTime() + ENGAGED_MS);
      refused.push({ dial, state: "held", dueAt, rule: "call_in_progress", reason: "call_in_progress" });
    } else {
      const counts = isUnasked(purpose, dial.last_inbound_at);
      // Another call to the same phone may be in this batch.
      if (counts) attemptsAt.set(dial.phone, [...before, { at: now, channel: "voice" }]);
      engaged.add(dial.phone);
      placing.push({
        dial,
        ref: ctx.newId(),
        callId: dial.call_id ?? ctx.newId(),
        number: dial.number ?? lane.numbers[(lane.next_number + placing.length) % lane.numbers.length]!,
        outreach: counts,
        basedOn: basisText(ctx.profile, place, before.length),
        zone: contactZone(place),
        validUntil: gate.outcome === "allowed" ? gate.until : null,
      });
    }
  }
  const unchecked = refused.filter((it) => it.rule === "reassigned_unchecked").map(({ dial }) => dial.phone);
  if (unchecked.length > 0) {
    const questions = [...new Set(unchecked)].map((phone) => ({ phone, consentAt: screened.get(phone)!.consent!.at }));
    await numberChecks.want(tx, tenantId, questions, now);
    await queue.ring(tx, [{ job: "check-numbers", payload: { tenantId } }]);
  }
  const left = await refuse(ctx, tx, tenantId, refused, campaigns, now);
  return { placing, campaigns, busy: due.length - locked.length + left };
}

/** Puts off what may not be placed, or drops it, and tells its recipients. Answers with how many it had to leave: others have their threads. */
async function refuse(
  ctx: Context,
  tx: Tx,
  tenantId: Uuid,
  them: readonly dialClaims.RefusedDial[],
  campaigns: Deciding["campaigns"],
  now: Date,
): Promise<number> {
  // A text campaign's recipient is what its texts make of it.
  const isRecipients = ({ dial }: dialClaims.RefusedDial) =>
    dial.thread_id !== null && campaigns.get(dial.campaign_id)?.channel === "voice";
  const recipients = them.filter(isRecipients).map(({ dial }) => dial);
  const held = await threads.hold(tx, tenantId, recipients);
  const refused = them.filter((it) => !isRecipients(it) || held.has(it.dial.thread_id!));
  if (refused.length === 0) return them.length;
  await dialClaims.refuse(tx, tenantId, refused, ctx.newId(), now);
  const moves: threads.Move[] = refused.flatMap(({ dial, state, rule, reason }) => {
    if (dial.thread_id === null || !held.has(dial.thread_id)) return [];
    const recipient = state === "held" || state === "expired" ? state : rule === "opted_out" ? "opted_out" : "skipped";
    return [{ campaignId: dial.campaign_id, threadId: dial.thread_id, state: recipient, reason }];
  });
  await threads.move(tx, tenantId, moves, ctx.newId(), now);
  return them.length - refused.length;
}
