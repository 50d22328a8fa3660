import { brandPerDay } from "#domain/numbers/rate-limits.ts";
import {
  type Budget,
  type BudgetFacts,
  type DayUse,
  openBudget,
  type Rivals,
  type Spent,
  spend,
} from "#domain/sending/budget.ts";
import type { Uuid } from "#domain/values/id.ts";
import { pacificDay } from "#domain/values/pacific-day.ts";
import { changing, statement, type Tx } from "#store/database/db.ts";
import type { Candidate, Claimed, Refused, Sending } from "./claims.ts";

// What registered numbers share: the minute of a 10DLC campaign and the day of a brand. A claim locks its lane, then the 10DLC
// campaign, then the brand, then the rows of its texts (claims.ts): always in this order, so that claims on several lanes
// of one brand wait for each other and never crosswise. Whoever adds to a day holds the brand.

/** A number's place in the register: whose budgets its texts spend. */
export type Registered = { tenDlcCampaignId: string; brandId: string };

type CampaignRow = { per_minute: number | null; per_day: number | null; tokens: number; tokens_at: Date };

const SELECT_CAMPAIGN =
  "select per_minute, per_day, tokens, tokens_at from ten_dlc_campaigns where tenant_id = $1 and id = $2";
const lockCampaign = statement("lock-ten-dlc-budget", `${SELECT_CAMPAIGN} for no key update`);
const readCampaign = statement("read-ten-dlc-budget", SELECT_CAMPAIGN);

const SELECT_BRAND = "select score from brands where tenant_id = $1 and id = $2";
const lockBrand = statement("lock-brand-budget", `${SELECT_BRAND} for no key update`);
const readBrand = statement("read-brand-budget", SELECT_BRAND);

const readUses = statement(
  "read-brand-day-uses",
  `select ten_dlc_campaign_id as "tenDlcCampaignId", campaign_id as "campaignId", outreach, conversation
   from brand_day_uses where tenant_id = $1 and brand_id = $2 and day = $3::date`,
);

/** At most this many due replies of a lane are read: replies are few, and each claim reads them again. */
const MOST_CONVERSATIONS = 50;

const listRivals = statement(
  "list-budget-rivals",
  `select number.ten_dlc_campaign_id as "tenDlcCampaignId", head.campaign_id as "campaignId", false as conversation
   from ten_dlc_numbers number
   join lanes lane on lane.tenant_id = $1 and lane.carrier = $4 and lane.sender = number.phone
   cross join lateral (
     with recursive heads as (
       (select campaign_id, due_at, kind from messages where tenant_id = $1 and lane_id = lane.id and due_at is not null
        order by campaign_id, due_at, id limit 1)
       union all
       select next.campaign_id, next.due_at, next.kind from heads cross join lateral (
         select campaign_id, due_at, kind from messages
         where tenant_id = $1 and lane_id <= lane.id and due_at is not null
           and (lane_id, campaign_id) > (lane.id, heads.campaign_id)
         order by lane_id, campaign_id, due_at, id limit 1) next)
     select campaign_id from heads where due_at <= $3 and kind in ('start', 'drip')) head
   where number.tenant_id = $1 and number.brand_id = $2
   union all
   select number.ten_dlc_campaign_id, reply.campaign_id, true
   from ten_dlc_numbers number
   join lanes lane on lane.tenant_id = $1 and lane.carrier = $4 and lane.sender = number.phone and lane.id <> $6
   cross join lateral (
     select campaign_id from messages
     where tenant_id = $1 and lane_id = lane.id and due_at <= $3 and kind in ('reply', 'human', 'confirmation', 'help')
     order by due_at, id limit ${MOST_CONVERSATIONS}) reply
   where number.tenant_id = $1 and number.brand_id = $2 and number.ten_dlc_campaign_id = $5`,
);

type LaneOf = { id: Uuid; carrier: string };

/**
 * Locks what a lane's number may spend and returns what is left of it, in the tenant's time. Undefined for a number whose campaign has no class, and
 * so no budget.
 */
export function lock(
  tx: Tx,
  tenantId: Uuid,
  campaign: Registered,
  lane: LaneOf,
  now: Date,
): Promise<Budget | undefined> {
  return open(tx, tenantId, campaign, lane, now, lockCampaign, lockBrand);
}

/** The same, only to be shown. */
export function read(
  tx: Tx,
  tenantId: Uuid,
  campaign: Registered,
  lane: LaneOf,
  now: Date,
): Promise<Budget | undefined> {
  return open(tx, tenantId, campaign, lane, now, readCampaign, readBrand);
}

async function open(
  tx: Tx,
  tenantId: Uuid,
  { tenDlcCampaignId, brandId }: Registered,
  lane: LaneOf,
  now: Date,
  campaignStatement: typeof lockCampaign,
  brandStatement: typeof lockBrand,
): Promise<Budget | undefined> {
  const campaign = await tx.first<CampaignRow>(campaignStatement, [tenantId, tenDlcCampaignId]);
  const brand = await tx.first<{ score: number | null }>(brandStatement, [tenantId, brandId]);
  if (!campaign?.per_minute || !brand) return undefined;
  // After the locks: they see whatever the claim before this one has spent.
  const [uses, waiting] = await Promise.all([
    tx.rows<DayUse>(readUses, [tenantId, brandId, pacificDay(now).date]),
    tx.rows<Rivals["waiting"][number] & { conversation: boolean }>(listRivals, [
      tenantId,
      brandId,
      now,
      lane.carrier,
      tenDlcCampaignId,
      lane.id,
    ]),
  ]);
  const facts: BudgetFacts = {
    tenDlcCampaignId,
    grant: { perMinute: campaign.per_minute, perDay: campaign.per_day, brandPerDay: brandPerDay(brand.score) },
    bucket: { tokens: campaign.tokens, at: campaign.tokens_at },
    uses,
    rivals: {
      waiting: waiting.filter((rival) => !rival.conversation),
      conversations: waiting.filter((rival) => rival.conversation).length,
    },
  };
  return openBudget(facts, now);
}

/** What a budget makes of the texts that the gate allows, taken in the order of the candidates. `endOf`: a campaign's end. */
export function spendOn<T extends Sending>(
  budget: Budget,
  allowed: readonly T[],
  candidates: readonly Candidate[],
  endOf: (campaignId: Uuid) => Date | null,
): { going: T[]; refused: Refused<Claimed>[]; spent: Spent } {
  const place = new Map(candidates.map(({ id }, i) => [id, i]));
  const texts = allowed.toSorted((a, b) => place.get(a.message.id)! - place.get(b.message.id)!);
  const spent = spend(
    budget,
    texts.map(({ message, segments }) => ({ campaignId: message.campaign_id, purpose: message.kind, segments })),
  );
  const refused: Refused<Claimed>[] = [];
  for (const [i, spending] of spent.spendings.entries()) {
    const { message } = texts[i]!;
    if (spending.outcome === "drop") {
      refused.push({ claimed: message, state: "suppressed", dueAt: null, rule: spending.rule, reason: spending.rule });
    } else if (spending.outcome === "put_off") {
      const end = endOf(message.campaign_id);
      // Nothing is held past the campaign's end: then it expires.
      const dueAt = end !== null && end < spending.until ? end : spending.until;
      const hold = message.rule === spending.rule ? {} : { hold: { until: spending.until } };
      refused.push({ claimed: message, state: "held", dueAt, rule: spending.rule, reason: spending.rule, ...hold });
    }
  }
  return { going: texts.filter((_, i) => spent.spendings[i]!.outcome === "go"), refused, spent };
}

const averageSegments = statement(
  "average-segments-of-campaigns",
  `select campaign.id, average.segments from unnest($2::uuid[]) as campaign (id)
   cross join lateral (
     select avg(segments)::float as segments from (
       select segments from messages where tenant_id = $1 and campaign_id = campaign.id and direction = 'outbound'
       order by id limit 200) first) average`,
);

/** Segments of the campaigns' texts on average, from the first that have left; 1 where none has. */
export async function segmentsEach(tx: Tx, tenantId: Uuid, campaignIds: readonly Uuid[]): Promise<Map<Uuid, number>> {
  const rows = await tx.rows<{ id: Uuid; segments: number | null }>(averageSegments, [tenantId, campaignIds]);
  return new Map(rows.map((row) => [row.id, row.segments ?? 1]));
}

const spendMinute = changing(
  "spend-ten-dlc-minute",
  "update ten_dlc_campaigns set tokens = $3, tokens_at = $4 where tenant_id = $1 and id = $2",
);

const spendDay = changing(
  "spend-brand-day",
  `insert into brand_day_uses (tenant_id, brand_id, day, ten_dlc_campaign_id, campaign_id, outreach, conversation)
   select $1, $2, $3::date, $4, use.campaign_id, use.outreach, use.conversation
   from unnest($5::uuid[], $6::int[], $7::int[]) as use (campaign_id, outreach, conversation)
   on conflict (tenant_id, brand_id, day, ten_dlc_campaign_id, campaign_id) do update
     set outreach = brand_day_uses.outreach + excluded.outreach, conversation = brand_day_uses.conversation + excluded.conversation`,
);

/** Writes down what a claim spent of a budget that it holds. What is not sent after all stays spent: never over comes first. */
export async function settle(tx: Tx, tenantId: Uuid, campaign: Registered, spent: Spent): Promise<void> {
  if (spent.uses.length === 0) return;
  await tx.run(spendMinute, [tenantId, campaign.tenDlcCampaignId, spent.bucket.tokens, spent.bucket.at]);
  await tx.run(spendDay, [
    tenantId,
    campaign.brandId,
    pacificDay(spent.bucket.at).date,
    campaign.tenDlcCampaignId,
    spent.uses.map((use) => use.campaignId),
    spent.uses.map((use) => use.outreach),
    spent.uses.map((use) => use.conversation),
  ]);
}
