import { isOutreach, type MessagePurpose } from "#domain/messaging/message.ts";
import { MAX_SEGMENTS } from "#domain/messaging/segments.ts";
import type { Uuid } from "#domain/values/id.ts";
import { pacificDay } from "#domain/values/pacific-day.ts";
import type { Pace } from "./forecast.ts";

/**
 * What a registered number's text spends: the 10DLC campaign's minute and day, and its brand's day, all in segments. A text's
 * phone is not looked up, so each counts against AT&T's and T-Mobile's limits alike: the tighter holds for everyone.
 */
export type Grant = {
  /** AT&T's, for the 10DLC campaign. */
  perMinute: number;
  /** T-Mobile's, for the 10DLC campaign, where its class has one. */
  perDay: number | null;
  /** T-Mobile's, for the brand. */
  brandPerDay: number;
};

/** The bucket of the minute, as stored. */
export type Bucket = { tokens: number; at: Date };

/** What one SMS campaign has spent of a brand's day under one 10DLC campaign; NO_ID outside campaigns. */
export type DayUse = { tenDlcCampaignId: string; campaignId: Uuid; outreach: number; conversation: number };

/** Who waits for the brand's day now: SMS campaigns with outreach due; and the texts of conversations on the campaign's other numbers. */
export type Rivals = {
  waiting: readonly { tenDlcCampaignId: string; campaignId: Uuid }[];
  conversations: number;
};

export type BudgetFacts = {
  tenDlcCampaignId: string;
  grant: Grant;
  bucket: Bucket;
  /** Of the Pacific day that `now` is in. */
  uses: readonly DayUse[];
  rivals: Rivals;
};

/** The rules that are reported for a held text. */
export const BUDGET_RULES = ["brand_daily_budget", "campaign_daily_budget"] as const;
export type BudgetRule = (typeof BUDGET_RULES)[number];

/** What is left at one moment. */
export type Budget = {
  now: Date;
  tokens: number;
  /** Tokens gained a second, and the most that are saved up. */
  perSecond: number;
  burst: number;
  dayEndsAt: Date;
  /** Segments left of the day: for conversations, and for outreach, which leaves them a reserve. */
  conversationLeft: number;
  outreachLeft: number;
  /** Segments that outreach may spend on a whole day. */
  outreachPerDay: number;
  /** The rule that the day is out by, first. */
  dayRule: BudgetRule;
  /** Segments of outreach that an SMS campaign may still send today before the others have had theirs. */
  shareOf(campaignId: Uuid): number;
  rivals: Rivals;
};

/** Of a day that outreach leaves to replies and confirmations: an agent that fell silent at noon would be worse than a late start. */
const RESERVED_FOR_CONVERSATIONS = 0.1;
/** What a text of a conversation on another number is taken to need: replies have a segment or two. */
const SEGMENTS_A_REPLY = 2;

/**
 * The bucket of a minute. It fills at `perSecond` up to `burst`, chosen so that no 60 seconds in a row see more than
 * `perMinute`: burst + 60 s of filling is exactly that. A second's worth is saved up, or one longest text.
 */
export function minuteBucket(perMinute: number): { perSecond: number; burst: number } {
  const burst = Math.min(perMinute, Math.max(MAX_SEGMENTS, perMinute / 60));
  return { perSecond: (perMinute - burst) / 60, burst };
}

/** Works out what may be spent at `now`, which is the tenant's own time. */
export function openBudget(facts: BudgetFacts, now: Date): Budget {
  const { grant, bucket, rivals } = facts;
  const { perSecond, burst } = minuteBucket(grant.perMinute);
  const gained = (Math.max(0, now.getTime() - bucket.at.getTime()) / 1000) * perSecond;
  const ofCampaign = facts.uses.filter((use) => use.tenDlcCampaignId === facts.tenDlcCampaignId);
  const brandLeft = leftOf(grant.brandPerDay, facts.uses);
  const campaignLeft = grant.perDay === null ? brandLeft : leftOf(grant.perDay, ofCampaign);
  const outreachLeft = Math.min(brandLeft.outreach, campaignLeft.outreach);
  return {
    now,
    tokens: Math.min(burst, bucket.tokens + gained),
    perSecond,
    burst,
    dayEndsAt: pacificDay(now).endsAt,
    conversationLeft: Math.min(brandLeft.conversation, campaignLeft.conversation),
    outreachLeft,
    outreachPerDay: outreachPerDay(Math.min(grant.brandPerDay, grant.perDay ?? grant.brandPerDay)),
    dayRule: campaignLeft.outreach < brandLeft.outreach ? "campaign_daily_budget" : "brand_daily_budget",
    shareOf: remembered((campaignId) => {
      const ofBrand = levelAbove(facts.uses, rivals.waiting, brandLeft.outreach, campaignId);
      if (grant.perDay === null) return ofBrand;
      const beside = rivals.waiting.filter((rival) => rival.tenDlcCampaignId === facts.tenDlcCampaignId);
      return Math.min(ofBrand, levelAbove(ofCampaign, beside, campaignLeft.outreach, campaignId));
    }),
    rivals,
  };
}

/** Asked for each of some hundred texts of a few campaigns. */
function remembered(shareOf: (campaignId: Uuid) => number): (campaignId: Uuid) => number {
  const known = new Map<Uuid, number>();
  return (campaignId) => {
    const share = known.get(campaignId) ?? shareOf(campaignId);
    known.set(campaignId, share);
    return share;
  };
}

function leftOf(perDay: number, uses: readonly DayUse[]): { outreach: number; conversation: number } {
  const used = uses.reduce((sum, use) => sum + use.outreach + use.conversation, 0);
  return { outreach: Math.max(0, outreachPerDay(perDay) - used), conversation: Math.max(0, perDay - used) };
}

/** What outreach may spend of a day's segments. */
export const outreachPerDay = (perDay: number): number => perDay - Math.floor(perDay * RESERVED_FOR_CONVERSATIONS);

/**
 * An SMS campaign's max-min fair share of what is left of the day: how far it is below the level to which every waiting
 * campaign may come, those that have had less so far first. Who waits no more keeps what it had and wants nothing; a new
 * campaign has had nothing.
 */
function levelAbove(uses: readonly DayUse[], waiting: Rivals["waiting"], left: number, campaignId: Uuid): number {
  const had = new Map<Uuid, number>([[campaignId, 0], ...waiting.map((rival) => [rival.campaignId, 0] as const)]);
  for (const use of uses) {
    const known = had.get(use.campaignId);
    if (known !== undefined) had.set(use.campaignId, known + use.outreach);
  }
  return Math.max(0, fillLevel([...had.values()], left) - had.get(campaignId)!);
}

/** The height to which `left` fills vessels of one width that are filled so far already. Infinity when there are none. */
export function fillLevel(filled: readonly number[], left: number): number {
  const sorted = filled.toSorted((a, b) => a - b);
  let sum = 0;
  for (const [i, height] of sorted.entries()) {
    sum += height;
    const level = (left + sum) / (i + 1);
    if (i + 1 === sorted.length || level <= sorted[i + 1]!) return level;
  }
  return Number.POSITIVE_INFINITY;
}

/** How many texts a claim may look at. `excluded` campaigns have had their share while others wait. */
export type Room = {
  conversation: number;
  outreach: number;
  excluded: readonly Uuid[];
};

/** The room of a claim of at most `batch` texts, each of a segment at least. Outreach that no day is left for is looked at to be put off. */
export function roomOf(budget: Budget, batch: number): Room {
  const tokens = Math.floor(budget.tokens);
  const conversation = budget.conversationLeft > 0 ? Math.min(batch, tokens) : batch;
  if (budget.outreachLeft <= 0) return { conversation, outreach: batch, excluded: [] };
  return {
    conversation,
    outreach: Math.max(0, Math.min(batch, Math.floor(budget.tokens - yieldedTo(budget.rivals)))),
    excluded: budget.rivals.waiting.map((rival) => rival.campaignId).filter((id) => budget.shareOf(id) <= 0),
  };
}

const yieldedTo = (rivals: Rivals): number => rivals.conversations * SEGMENTS_A_REPLY;

export type BudgetedText = { campaignId: Uuid; purpose: MessagePurpose; segments: number };

/**
 * What becomes of a text that the gate has allowed. `wait`: it stays due, and the number's next claim takes it up again.
 * `put_off`: until the next day. `drop`: a confirmation, which may not come a day late.
 */
export type Spending =
  | { outcome: "go" }
  | { outcome: "wait" }
  | { outcome: "put_off"; until: Date; rule: BudgetRule }
  | { outcome: "drop"; rule: BudgetRule };

export type Spent = {
  /** One for each text, in order. */
  spendings: Spending[];
  bucket: Bucket;
  /** What went, by SMS campaign. */
  uses: { campaignId: Uuid; outreach: number; conversation: number }[];
  /** When the first that waits can go, in the tenant's time; null when none waits for the minute. */
  tokensAt: Date | null;
};

/**
 * Spends a budget on texts in their order, conversations before outreach. Never over: what does not fit the minute waits and
 * holds up what is behind it, so that a long text is not overtaken for ever; what does not fit the day is put off. A share is
 * overdrawn by one text at most, so that a long one can go at all.
 */
export function spend(budget: Budget, texts: readonly BudgetedText[]): Spent {
  let { tokens, outreachLeft, conversationLeft } = budget;
  const spendings: Spending[] = new Array(texts.length);
  const spent = new Map<Uuid, { outreach: number; conversation: number }>();
  let missing: number | undefined;

  const decide = ({ campaignId, purpose, segments }: BudgetedText): Spending => {
    const outreach = isOutreach(purpose);
    const mine = spent.get(campaignId) ?? { outreach: 0, conversation: 0 };
    if (segments > (outreach ? outreachLeft : conversationLeft)) {
      return purpose === "confirmation"
        ? { outcome: "drop", rule: budget.dayRule }
        : { outcome: "put_off", until: budget.dayEndsAt, rule: budget.dayRule };
    }
    if (outreach && mine.outreach >= budget.shareOf(campaignId)) return { outcome: "wait" };
    const needed = segments + (outreach ? Math.min(yieldedTo(budget.rivals), budget.burst - segments) : 0);
    if (missing !== undefined || needed > tokens) {
      missing ??= needed - tokens;
      return { outcome: "wait" };
    }
    tokens -= segments;
    outreachLeft -= segments;
    conversationLeft -= segments;
    mine[outreach ? "outreach" : "conversation"] += segments;
    spent.set(campaignId, mine);
    return { outcome: "go" };
  };
  const order = [...texts.keys()].sort(
    (a, b) => Number(isOutreach(texts[a]!.purpose)) - Number(isOutreach(texts[b]!.purpose)),
  );
  for (const i of order) spendings[i] = decide(texts[i]!);
  return {
    spendings,
    bucket: { tokens, at: budget.now },
    uses: [...spent].map(([campaignId, use]) => ({ campaignId, ...use })),
    tokensAt: missing === undefined ? null : whenGained(budget, missing),
  };
}

/**
 * What one SMS campaign may count on when it shares the budget with those that wait now, for a forecast. `perSecond`: the
 * sender's own rate, in texts.
 */
export function paceOf(budget: Budget, campaignId: Uuid, perSecond: number | null): Pace {
  const sharers = new Set([campaignId, ...budget.rivals.waiting.map((rival) => rival.campaignId)]).size;
  return {
    perSecond,
    budget: {
      perSecond: budget.perSecond / sharers,
      leftToday: Math.min(budget.outreachLeft, budget.shareOf(campaignId)),
      perDay: budget.outreachPerDay / sharers,
    },
  };
}

/** A campaign that has had its share looks again after this long: the others may want no more by then. */
const SHARE_LOOK_MS = 1_000;

/** When a number's next claim is worth its while, in the tenant's time; null when nothing waits for the budget. */
export function comeBackAt(budget: Budget, room: Room, spent: Spent | undefined): Date | null {
  const needed = room.conversation === 0 ? 1 : room.outreach === 0 ? 1 + yieldedTo(budget.rivals) : 0;
  if (needed > 0) return whenGained(budget, Math.min(needed, budget.burst) - budget.tokens);
  if (spent?.tokensAt) return spent.tokensAt;
  const waits = room.excluded.length > 0 || spent?.spendings.some((spending) => spending.outcome === "wait");
  return waits ? new Date(budget.now.getTime() + SHARE_LOOK_MS) : null;
}

/** When the bucket has gained so many tokens more. */
export const whenGained = (budget: Pick<Budget, "now" | "perSecond">, tokens: number): Date =>
  new Date(budget.now.getTime() + Math.ceil((Math.max(0, tokens) / budget.perSecond) * 1000));
