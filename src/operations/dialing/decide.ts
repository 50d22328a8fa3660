import { dialVerdict, GATE_PURPOSE, NO_LINE, withoutLine } from "#domain/calls/dial.ts";
import { isUnasked, mayContact } from "#domain/compliance/gate.ts";
import { contactZone, placeOf } from "#domain/phones/place.ts";
import { basisText, gateSubject } from "#domain/sending/gate-facts.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import * as dialClaims from "#store/calls/dial-claims.ts";
import type { DialLane } from "#store/calls/dial-lanes.ts";
import type { Tx } from "#store/database/db.ts";
import * as threads from "#store/messaging/threads.ts";
import * as claims from "#store/sending/claims.ts";
import * as gateFacts from "#store/sending/gate-facts.ts";
import * as heldConsents from "#store/sending/held-consents.ts";
import * as refusals from "#store/sending/refusals.ts";
import type { LaneNumbers } from "./rotate.ts";

export type Placing = Omit<dialClaims.PlacedDial, "startAt"> & {
  zone: string;
  /** When its window closes, in the tenant's time; null when no end is known. */
  validUntil: Date | null;
};

/** The candidates that may be placed, their campaigns, how many others had locked, and how many wait for a number of ours. */
export type Deciding = {
  placing: Placing[];
  campaigns: ReadonlyMap<Uuid, claims.ClaimCampaign>;
  busy: number;
  waiting: number;
};

/** A contact who is on the phone with us is called again after this long at the earliest. */
const ENGAGED_MS = 15_000;

/**
 * Locks what decides (campaigns, consents) and what is decided (dials), and runs the gate over them. Without `numbers` the account that the lane's
 * calls leave by is there no more, and nobody is called. `given`: numbers of a lent account that are the tenant's now, and nobody is called from others.
 */
export async function decide(
  ctx: Context,
  tx: Tx,
  tenantId: Uuid,
  due: readonly dialClaims.DueDial[],
  {
    lane,
    numbers,
    given,
  }: { lane: DialLane; numbers: LaneNumbers | undefined; given: ReadonlySet<string> | undefined },
  now: Date,
): Promise<Deciding> {
  if (due.length === 0) return { placing: [], campaigns: new Map(), busy: 0, waiting: 0 };
  const { campaigns, candidates } = await claims.hold(tx, tenantId, due);
  const phones = [...new Set(candidates.map((candidate) => candidate.phone))].sort();
  const consents = await heldConsents.hold(tx, tenantId, phones, ctx.hashPhone);
  const free = candidates.filter((candidate) => consents.get(candidate.phone)?.busy !== true);
  // After the locks, to see whatever an earlier opt-out has committed.
  const [known, engaged, locked] = await Promise.all([
    gateFacts.about(tx, tenantId, phones, {
      consents,
      now,
      channel: "voice",
      checksReassigned: ctx.reassignedNumbers !== undefined,
    }),
    dialClaims.engaged(tx, tenantId, phones),
    dialClaims.lock(tx, tenantId, free, now),
  ]);

  const placing: Placing[] = [];
  const refused: claims.Refused<dialClaims.ClaimedDial>[] = [];
  let waiting = 0;
  for (const dial of locked) {
    const campaign = campaigns.get(dial.campaign_id);
    const place = placeOf({ phone: dial.phone, fields: dial.fields ?? {} }, ctx.numberPlan);
    const purpose = GATE_PURPOSE[dial.purpose];
    const facts = known.of(dial.phone, campaign?.organization_id ?? dial.organization_id);
    const gate = mayContact(
      gateSubject({
        ...facts,
        channel: "voice",
        purpose,
        profile: ctx.profile,
        place,
        campaign,
        archivedAt: (campaign ?? dial).archived_at,
        thread: dial,
      }),
      now,
      ctx.callingWindows,
    );
    const decided = dialVerdict(gate, dial.purpose, campaign?.end_at ?? null);
    const verdict = numbers ? decided : withoutLine(decided);
    if (!verdict.go) {
      // A hold that is decided anew every hour is recorded as one hold.
      const isNews = gate.outcome === "held" && (gate.askAgainAt === undefined || gate.rule !== dial.rule);
      const hold = isNews && gate.rule === verdict.rule ? { hold: { until: gate.until } } : {};
      refused.push({ claimed: dial, ...verdict, ...hold });
    } else if (engaged.has(dial.phone)) {
      const dueAt = new Date(now.getTime() + ENGAGED_MS);
      refused.push({ claimed: dial, state: "held", dueAt, rule: "call_in_progress", reason: "call_in_progress" });
    } else {
      const number = numbers && numberFor(dial, lane, numbers);
      // It stays due, and counts for nothing.
      if (number === undefined) {
        waiting++;
        continue;
      }
      if (given?.has(number) === false) {
        refused.push({ claimed: dial, ...NO_LINE });
        continue;
      }
      const counts = isUnasked(purpose, dial.last_inbound_at);
      if (counts) known.count(dial.phone, { at: now, channel: "voice" });
      engaged.add(dial.phone);
      placing.push({
        dial,
        ref: ctx.newId(),
        callId: dial.call_id ?? ctx.newId(),
        number,
        outreach: counts,
        basedOn: basisText(ctx.profile, place, facts.attempts.length),
        zone: contactZone(place),
        validUntil: gate.outcome === "allowed" ? gate.until : null,
      });
    }
  }
  // In a text campaign the texts decide the recipient's state.
  const isRecipients = ({ thread_id, campaign_id }: dialClaims.ClaimedDial) =>
    thread_id !== null && campaigns.get(campaign_id)?.channel === "voice";
  const parts = { known, isRecipients, newId: ctx.newId, now };
  const left = refused.length - (await refusals.refuse(tx, tenantId, "dials", refused, parts)).length;
  await release(ctx, tx, tenantId, placing.map(({ dial }) => dial).filter(isRecipients), now);
  return { placing, campaigns, busy: due.length - locked.length + left, waiting };
}

/** Recipients that were held are called now, and held no more. One whom somebody else has locked stays as it is: it may want the lane. */
async function release(
  ctx: Context,
  tx: Tx,
  tenantId: Uuid,
  dials: readonly dialClaims.ClaimedDial[],
  now: Date,
): Promise<void> {
  const held = dials.filter((dial) => dial.recipient_state === "held");
  const free = await threads.hold(tx, tenantId, held);
  const moves = held.flatMap(({ campaign_id: campaignId, thread_id: threadId }) =>
    threadId !== null && free.has(threadId)
      ? [{ campaignId, threadId, state: "scheduled" as const, reason: null }]
      : [],
  );
  await threads.move(tx, tenantId, moves, ctx.newId(), now);
}

/** The number that a call leaves by; undefined: none that may now. */
function numberFor(dial: dialClaims.ClaimedDial, lane: DialLane, numbers: LaneNumbers): string | undefined {
  const { number: known, phone, purpose } = dial;
  // A single call names its own, which somebody has chosen.
  if (lane.numbers.length === 0) return known!;
  const isAsked = purpose === "callback" || purpose === "transfer";
  // Who waits for us is called from the number that it knows, also where the campaign has left that meanwhile.
  if (isAsked && known !== null && !lane.numbers.includes(known)) return known;
  return numbers.take({ phone, known, isAsked });
}
