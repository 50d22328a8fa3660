import type { Uuid } from "#domain/values/id.ts";
import { statement, type Tx } from "#store/database/db.ts";
import type { Candidate } from "./claims.ts";

// What is due on a lane, in the order in which it may leave: texts of conversations first, then the campaigns in turns, so
// that one of 100,000 recipients does not keep one of 100 waiting. Ranges are written over (lane_id, campaign_id, due_at),
// and the lane is not named beside them: before PostgreSQL has statistics it would take the primary key and read a whole
// campaign for each batch, and beside `lane_id = $2` it would start at the lane's first text and not at the range's (20 ms
// for each campaign of 20,000, where 0.02 ms do).

/** The lane's campaigns with something due, now or ever, each with its earliest: one look into the index a campaign. */
const HEADS = `
  heads as (
    (select campaign_id, due_at from messages where tenant_id = $1 and lane_id = $2 and due_at is not null
     order by campaign_id, due_at, id limit 1)
    union all
    select next.campaign_id, next.due_at from heads cross join lateral (
      select campaign_id, due_at from messages
      where tenant_id = $1 and lane_id <= $2 and due_at is not null and (lane_id, campaign_id) > ($2, heads.campaign_id)
      order by lane_id, campaign_id, due_at, id limit 1) next)`;

/** Twice a campaign's turn is read of each, so that what one lacks the others fill. */
const dueTexts = statement(
  "list-due-texts",
  `with recursive ${HEADS},
   waiting as materialized (
     select campaign_id, least($5::int, ceil(2.0 * $5::int / count(*) over ())) as most
     from heads where due_at <= $3 and campaign_id <> all($6::uuid[])),
   outreach as (
     select waiting.most, text.*, row_number() over (partition by text.campaign_id order by text.due_at, text.id) as turn
     from waiting cross join lateral (
       select id, campaign_id, phone, due_at from messages
       where tenant_id = $1 and due_at is not null
         and (lane_id, campaign_id, due_at) >= ($2, waiting.campaign_id, '-infinity'::timestamptz)
         and (lane_id, campaign_id, due_at) <= ($2, waiting.campaign_id, $3::timestamptz)
         and kind not in ('reply', 'human', 'confirmation', 'help')
       order by lane_id, campaign_id, due_at, id limit waiting.most::int) text),
   conversation as (
     select id, campaign_id, phone, due_at from messages
     where tenant_id = $1 and lane_id = $2 and due_at <= $3 and kind in ('reply', 'human', 'confirmation', 'help')
     order by due_at, id limit $4)
   select id, campaign_id, phone, cut from (
     select id, campaign_id, phone, due_at, 0 as turn, false as cut from conversation
     union all
     select id, campaign_id, phone, due_at, turn, turn = most from outreach) due
   order by turn, due_at, id limit greatest($4, $5)`,
);

export type DueTexts = {
  texts: Candidate[];
  /** Whether more is due than was looked for. */
  more: boolean;
};

/**
 * What may be claimed of what is due, unlocked, and no more in all than the larger of the two. At most `conversation` texts of conversations, and `outreach` starting
 * messages and drips, in turns among the campaigns that are not `excluded`.
 */
export async function list(
  tx: Tx,
  tenantId: Uuid,
  laneId: Uuid,
  now: Date,
  room: { conversation: number; outreach: number; excluded: readonly Uuid[] },
): Promise<DueTexts> {
  const values = [tenantId, laneId, now, room.conversation, room.outreach, room.excluded];
  const rows = await tx.rows<Candidate & { cut: boolean }>(dueTexts, values);
  return {
    texts: rows.map(({ id, campaign_id, phone }) => ({ id, campaign_id, phone })),
    more: rows.length >= Math.max(room.conversation, room.outreach) || rows.some((row) => row.cut),
  };
}

const dueConfirmations = statement(
  "list-due-confirmations",
  `select id, campaign_id, phone from messages
   where tenant_id = $1 and lane_id = $2 and due_at <= $3 and kind in ('reply', 'human', 'confirmation', 'help') and kind = 'confirmation'
   order by due_at, id limit $4`,
);

/** Of what is due only the confirmations of STOP and START: they leave while the tenant's sending is stopped. */
export async function confirmations(tx: Tx, tenantId: Uuid, laneId: Uuid, now: Date, limit: number): Promise<DueTexts> {
  const texts = await tx.rows<Candidate>(dueConfirmations, [tenantId, laneId, now, limit]);
  return { texts, more: texts.length >= limit };
}

const nextDue = statement(
  "next-due-of-lane",
  `with recursive ${HEADS}
   select min(due_at) as at from heads where due_at < 'infinity'`,
);

/** When the lane next has something to do, or null. */
export async function nextDueAt(tx: Tx, tenantId: Uuid, laneId: Uuid): Promise<Date | null> {
  return (await tx.first<{ at: Date | null }>(nextDue, [tenantId, laneId]))!.at;
}
