import { isUnasked, mayContact } from "#domain/compliance/gate.ts";
import { PICTURE_FIELD, picturesFor } from "#domain/messaging/media.ts";
import { isOutreach } from "#domain/messaging/message.ts";
import { placeOf } from "#domain/phones/place.ts";
import type { Budget, Spent } from "#domain/sending/budget.ts";
import { basisText, gateSubject } from "#domain/sending/gate-facts.ts";
import { type SpendLeft, textMicros, withinLimit } from "#domain/sending/spend-limit.ts";
import { templatesOf } from "#domain/sending/templates.ts";
import { decideText, validUntil, withoutCarrier } from "#domain/sending/text-decision.ts";
import { NO_ID, type Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import type { Tx } from "#store/database/db.ts";
import * as messages from "#store/messaging/messages.ts";
import * as budgets from "#store/sending/budgets.ts";
import * as claims from "#store/sending/claims.ts";
import * as gateFacts from "#store/sending/gate-facts.ts";
import * as heldConsents from "#store/sending/held-consents.ts";
import * as refusals from "#store/sending/refusals.ts";

export type Sending = claims.Sending & {
  campaign: string;
  zones: readonly string[];
  /** What it costs, in millionths of a dollar. */
  micros: number;
  /** In the tenant's time; null when no end is known. */
  validUntil: Date | null;
};

/** The candidates that may leave, and how many others had locked. */
export type Decided = {
  sending: Sending[];
  busy: number;
  spent?: Spent;
  /** How many the day's limit has no room for: they stay as they are. */
  unpaid: number;
};
export const NOTHING: Decided = { sending: [], busy: 0, unpaid: 0 };

/** What the number's registration, the day's limit and a new sender's first hour leave. */
export type Room = { budget: Budget | null | undefined; left: SpendLeft | undefined; outreach: number | undefined };
const NO_ROOM: Room = { budget: undefined, left: undefined, outreach: undefined };

/** Locks what decides (campaigns, consents) and what is decided (messages), and runs gate and template over them. Of a carrier that was removed none may leave. */
export async function decide(
  ctx: Context,
  tx: Tx,
  tenantId: Uuid,
  due: claims.Candidate[],
  room: Room | "removed",
  now: Date,
): Promise<Decided> {
  const isRemoved = room === "removed";
  const { budget, left, outreach } = isRemoved ? NO_ROOM : room;
  const { campaigns, candidates } = await claims.hold(tx, tenantId, due);
  const phones = [...new Set(candidates.map((candidate) => candidate.phone))].sort();
  const consents = await heldConsents.hold(tx, tenantId, phones, ctx.hashPhone);
  const free = candidates.filter((candidate) => consents.get(candidate.phone)?.busy !== true);
  // After the locks, to see whatever an earlier opt-out has committed.
  const [known, locked] = await Promise.all([
    gateFacts.about(tx, tenantId, phones, {
      consents,
      now,
      channel: "sms",
      checksReassigned: ctx.reassignedNumbers !== undefined,
    }),
    claims.lock(tx, tenantId, free, now),
  ]);

  const sending: Sending[] = [];
  const refused: claims.Refused<claims.Claimed>[] = [];
  for (const message of locked) {
    const campaign = campaigns.get(message.campaign_id);
    const place = placeOf({ phone: message.phone, fields: message.fields ?? {} }, ctx.numberPlan);
    // Texts of no campaign are held back by what holds for all organizations.
    const facts = known.of(message.phone, campaign?.organization_id ?? NO_ID);
    const gate = mayContact(
      gateSubject({
        ...facts,
        channel: "sms",
        purpose: message.kind,
        profile: ctx.profile,
        place,
        campaign,
        archivedAt: campaign?.archived_at ?? null,
        thread: message,
      }),
      now,
      ctx.callingWindows,
    );
    const decided = decideText(
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
    const verdict = isRemoved ? withoutCarrier(decided) : decided;
    if (verdict.go) {
      // The number alone says where a test phone is; what the contact's address says is surer.
      const zones = place.basis === "exchange" || place.basis === "area_code" ? [] : place.zones;
      const counts = isUnasked(message.kind, message.last_inbound_at);
      if (counts) known.count(message.phone, { at: now, channel: "sms" });
      const mediaUrls = message.kind === "start" ? picturesOf(campaign, message.fields) : message.media_urls;
      // A text with pictures is one message to a carrier, however long it is.
      const segments = mediaUrls ? 1 : verdict.segments;
      sending.push({
        message,
        ref: ctx.newId(),
        text: verdict.text,
        segments,
        mediaUrls,
        micros: textMicros({ segments, hasPictures: mediaUrls !== null }, ctx.textPrices),
        outreach: counts,
        basedOn: basisText(ctx.profile, place, facts.attempts.length),
        campaign: campaign?.campaign_id ?? "",
        zones,
        validUntil: validUntil({ kind: message.kind, createdAt: message.created_at }, gate),
      });
    } else {
      // A hold that is decided anew every hour is recorded as one hold.
      const isNews = gate.outcome === "held" && (gate.askAgainAt === undefined || gate.rule !== message.rule);
      const hold = isNews && gate.rule === verdict.rule ? { hold: { until: gate.until } } : {};
      refused.push({ claimed: message, ...verdict, ...hold });
    }
  }
  const busy = due.length - locked.length;
  const early = outreach === undefined ? sending : within(sending, outreach);
  const paid = left ? affordable(early, left) : early;
  const budgeted = budget && budgets.spendOn(budget, paid, due, (id) => campaigns.get(id)?.end_at ?? null);
  const them = [...refused, ...(budgeted?.refused ?? [])];
  const missed = them.length - (await refuse(ctx, tx, tenantId, them, known, now));
  const unpaid = early.length - paid.length;
  return { sending: budgeted?.going ?? paid, busy: busy + missed, spent: budgeted?.spent, unpaid };
}

/** No more campaign texts than a new sender's first hour has room for: the others stay as they are. */
function within(sending: readonly Sending[], outreach: number): Sending[] {
  let planned = 0;
  return sending.filter(({ message }) => !isOutreach(message.kind) || ++planned <= outreach);
}

/** Those of the campaign go with its first text. */
function picturesOf(
  campaign: claims.ClaimCampaign | undefined,
  fields: claims.Claimed["fields"],
): readonly string[] | null {
  const { media_urls: urls = [] } = (campaign?.settings ?? {}) as { media_urls?: readonly string[] };
  return picturesFor(urls, fields?.[PICTURE_FIELD]);
}

function affordable(sending: readonly Sending[], left: SpendLeft): Sending[] {
  const goes = withinLimit(
    sending.map(({ message, micros }) => ({ purpose: message.kind, micros })),
    left,
  );
  return sending.filter((_, i) => goes[i]);
}

const isStart = ({ step, thread_id }: claims.Claimed): boolean => step === 0 && thread_id !== null;

/** Refuses them, and the follow-ups of those that will not start. Returns how many it could refuse. */
async function refuse(
  ctx: Context,
  tx: Tx,
  tenantId: Uuid,
  them: readonly claims.Refused<claims.Claimed>[],
  known: gateFacts.Known,
  now: Date,
): Promise<number> {
  const { newId } = ctx;
  const refused = await refusals.refuse(tx, tenantId, "messages", them, { known, isRecipients: isStart, newId, now });
  const over = refused
    .filter(({ claimed, state }) => isStart(claimed) && state !== "held")
    .map(({ claimed }) => ({ campaign_id: claimed.campaign_id, id: claimed.thread_id! }));
  await messages.withdraw(tx, tenantId, over, {
    reason: "starting_message_not_sent",
    changeId: newId(),
    now,
    kinds: ["drip"],
  });
  return refused.length;
}
