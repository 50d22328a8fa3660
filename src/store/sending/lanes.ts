import { NUMBER_RATES, tighter } from "#domain/numbers/rate-limits.ts";
import type { LentLimits } from "#domain/sending/lent-limit.ts";
import type { Uuid } from "#domain/values/id.ts";
import { isFenced } from "#store/database/cluster.ts";
import { changing, crossTenant, preparing, statement, type Tx } from "#store/database/db.ts";
import * as queue from "#store/database/queue.ts";
import type { Registered } from "./budgets.ts";

/** A sender number of a tenant on a carrier: everything sent from it leaves through its lane. */
export type Lane = {
  id: Uuid;
  carrier: string;
  sender: string;
  /** Texts a second: the carrier's word, or what one registered number may send, if that is less. Null: no limit. */
  per_second: number | null;
  tokens: number;
  tokens_at: Date;
  next_due_at: Date | null;
  /** Of the account that the carrier names; null for the simulator, and for an account, or a number of a lent one, that the tenant has no more. */
  revision: number | null;
  /** What may leave by an account that the tenant was lent; undefined for its own, and for one without such limits. */
  lent: LentLimits | undefined;
  /** Real time: nothing is handed over before. Past: the next batch shows whether the carrier takes texts again. */
  held_until: Date | null;
  /** When its first text left, in real time; and how many campaign texts have in the hour since. Of the simulator neither is kept. */
  first_sent_at: Date | null;
  first_hour_texts: number;
  /** Whose budgets its texts spend; null for a number that is under no 10DLC campaign. */
  registered: Registered | null;
};

type Row = Omit<Lane, "registered" | "lent"> &
  LentLimits & { ten_dlc_campaign_id: string | null; brand_id: string | null; is_taken_back: boolean | null };

const COLUMNS = `lane.id, lane.carrier, sender, per_second, tokens, tokens_at, next_due_at, held_until, ten_dlc_campaign_id, brand_id,
  account.revision, account.texts_per_second, account.texts_per_day, first_sent_at, first_hour_texts,
  account.lent_from is not null and not exists (
    select from phone_numbers had where had.tenant_id = $1 and had.phone = lane.sender and had.carrier = lane.carrier) as is_taken_back`;
const LANES = `lanes lane left join ten_dlc_numbers number on number.tenant_id = $1 and number.phone = lane.sender
   left join carrier_accounts account on account.tenant_id = $1 and account.carrier = lane.carrier`;

function laneOf<T extends Row>({ is_taken_back, ...columns }: T): Omit<T, "is_taken_back"> & Lane {
  // The carrier would still take it: the number is the account's, and another tenant's by now.
  const row = { ...columns, revision: is_taken_back ? null : columns.revision };
  const { ten_dlc_campaign_id: tenDlcCampaignId, brand_id: brandId, texts_per_second, texts_per_day } = row;
  const lent = texts_per_second === null && texts_per_day === null ? undefined : { texts_per_second, texts_per_day };
  if (tenDlcCampaignId === null || brandId === null) return { ...row, lent, registered: null };
  const per_second = tighter(row.per_second, NUMBER_RATES.local.perSecond);
  return { ...row, lent, per_second, registered: { tenDlcCampaignId, brandId } };
}

const ensureLane = preparing(
  "ensure-lane",
  `insert into lanes (tenant_id, id, carrier, sender, per_second, tokens, tokens_at)
   values ($1, $2, $3, $4, $5::real, coalesce($5::real, 0), $6)
   on conflict (tenant_id, carrier, sender) do update set per_second = excluded.per_second
   returning id`,
);

const findLane = statement("find-lane", "select carrier, sender from lanes where tenant_id = $1 and id = $2");

export function find(tx: Tx, tenantId: Uuid, id: Uuid): Promise<Pick<Lane, "carrier" | "sender"> | undefined> {
  return tx.first(findLane, [tenantId, id]);
}

/** The lane's id; made when this sender is new. The rate is the carrier's latest word. */
export async function ensure(
  tx: Tx,
  tenantId: Uuid,
  lane: { id: Uuid; carrier: string; sender: string; perSecond: number | undefined; now: Date },
): Promise<Uuid> {
  const row = await tx.first<{ id: Uuid }>(ensureLane, [
    tenantId,
    lane.id,
    lane.carrier,
    lane.sender,
    lane.perSecond ?? null,
    lane.now,
  ]);
  return row!.id;
}

const lockLane = statement(
  "lock-lane",
  `select ${COLUMNS} from ${LANES}
   where lane.tenant_id = $1 and lane.id = $2 for update of lane`,
);

/** `fenced`: the database was put back to an earlier day, or another server took over that may be behind, and nothing may leave yet. */
export async function lock(tx: Tx, tenantId: Uuid, id: Uuid): Promise<(Lane & { fenced: boolean }) | undefined> {
  const [row, fenced] = await Promise.all([tx.first<Row>(lockLane, [tenantId, id]), isFenced(tx, tenantId)]);
  return row && { ...laneOf(row), fenced };
}

const findBySender = statement(
  "find-lane-by-sender",
  `select ${COLUMNS} from ${LANES} where lane.tenant_id = $1 and lane.carrier = $2 and sender = $3`,
);

export async function bySender(tx: Tx, tenantId: Uuid, carrier: string, sender: string): Promise<Lane | undefined> {
  const row = await tx.first<Row>(findBySender, [tenantId, carrier, sender]);
  return row && laneOf(row);
}

const noteDue = changing(
  "note-lane-due",
  `update lanes set next_due_at = least(next_due_at, $3) where tenant_id = $1 and id = $2`,
);

/**
 * Has the lanes look for texts that are due at `at` (the tenant's time), or for texts that are not to leave any more: the job is enqueued at once, and
 * with the due time the sweep finds the lane if the job is lost. Both are written at or after the commit, so this may be called anywhere in a
 * transaction. The lanes come in order, since two that wrote them in different orders would wait for each other.
 */
export async function wake(tx: Tx, tenantId: Uuid, ids: readonly Uuid[], at: Date): Promise<void> {
  const inOrder = ids.toSorted();
  for (const id of inOrder) await due(tx, tenantId, id, at);
  await queue.enqueue(
    tx,
    inOrder.map((laneId) => ({ job: "drain-lane", payload: { tenantId, laneId } })),
  );
}

/** The due time alone, without the job: for the lane's own job, which comes back by itself. Everybody else wakes the lane. */
export async function due(tx: Tx, tenantId: Uuid, id: Uuid, at: Date): Promise<void> {
  await tx.atCommit(noteDue, [tenantId, id, at]);
}

const settleLane = changing(
  "settle-lane",
  `update lanes set tokens = $3, tokens_at = $4, next_due_at = $5 where tenant_id = $1 and id = $2`,
);

/** Writes a locked lane's bucket and next due time back. */
export async function settle(
  tx: Tx,
  tenantId: Uuid,
  id: Uuid,
  pace: { tokens: number; tokensAt: Date; nextDueAt: Date | null },
): Promise<void> {
  await tx.run(settleLane, [tenantId, id, pace.tokens, pace.tokensAt, pace.nextDueAt]);
}

const noteFirstHour = changing(
  "note-first-hour-of-lane",
  `update lanes set first_sent_at = coalesce(first_sent_at, $3), first_hour_texts = greatest(0, first_hour_texts + $4)
   where tenant_id = $1 and id = $2`,
);

/** Campaign texts of a lane that are in its first hour; negative: that were counted, and did not leave. */
export async function countFirstHour(tx: Tx, tenantId: Uuid, id: Uuid, now: Date, texts: number): Promise<void> {
  await tx.run(noteFirstHour, [tenantId, id, now, texts]);
}

const holdLane = changing("hold-lane", "update lanes set held_until = $3 where tenant_id = $1 and id = $2");

/** The carrier takes nothing of this sender until a (real) time, or takes texts again (null). Called late, as `due`. */
export async function hold(tx: Tx, tenantId: Uuid, id: Uuid, until: Date | null): Promise<void> {
  await tx.run(holdLane, [tenantId, id, until]);
}

const heldLanes = statement(
  "list-held-lanes",
  "select id from lanes where tenant_id = $1 and id = any($2::uuid[]) and held_until > $3",
);

/** Those of the lanes by which nothing leaves now, since the carrier refuses it. `now` is real time. */
export async function heldOf(tx: Tx, tenantId: Uuid, ids: readonly Uuid[], now: Date): Promise<Set<Uuid>> {
  return new Set((await tx.rows<{ id: Uuid }>(heldLanes, [tenantId, ids, now])).map((row) => row.id));
}

const DUE = `select lane.tenant_id, lane.id from tenants
   join lanes lane on lane.tenant_id = tenants.id
   where lane.next_due_at <= $1::timestamptz + tenants.clock_offset_ms * interval '1 millisecond'
     and (tenants.sending_stopped_at is null or exists (
       select from messages where tenant_id = lane.tenant_id and lane_id = lane.id and due_at < 'infinity'
         and kind in ('reply', 'human', 'confirmation', 'help') and kind = 'confirmation'))`;

const dueLanes = crossTenant("due-lanes", `${DUE} and ($2::uuid is null or tenants.id = $2) limit 1000`);

const namesOfLent = crossTenant(
  "list-names-of-lent-carriers",
  "select lent_as from lent_carriers where carrier = any($1::text[]) and ended_at is null",
);
const dueLanesOfCarriers = crossTenant(
  "due-lanes-of-carriers",
  `${DUE} and lane.carrier = any($2::text[]) and (lane.held_until is null or lane.held_until <= $1::timestamptz) limit 1000`,
);

/** Lanes of these carriers, also as others were lent them, with something due, and not held, of every tenant. */
export async function dueOf(tx: Tx, now: Date, carriers: readonly string[]): Promise<{ tenant_id: Uuid; id: Uuid }[]> {
  const lent = await tx.rows<{ lent_as: string }>(namesOfLent, [carriers]);
  return tx.rows(dueLanesOfCarriers, [now, [...carriers, ...lent.map((loan) => loan.lent_as)]]);
}

/**
 * Lanes with something due, of every tenant or one. Each tenant's own clock decides. Where the sending is stopped, only those with a confirmation.
 */
export function withDueWork(tx: Tx, now: Date, tenantId: Uuid | null): Promise<{ tenant_id: Uuid; id: Uuid }[]> {
  return tx.rows(dueLanes, [now, tenantId]);
}

const lanesOfMessages = statement(
  "lanes-of-messages",
  `select distinct message.lane_id from unnest($2::uuid[], $3::uuid[]) as it (campaign_id, id)
   join messages message on message.tenant_id = $1 and message.campaign_id = it.campaign_id and message.id = it.id
   order by message.lane_id`,
);

/** The lanes that messages leave by, in order. */
export async function ofMessages(
  tx: Tx,
  tenantId: Uuid,
  them: readonly { campaign_id: Uuid; id: Uuid }[],
): Promise<Uuid[]> {
  if (them.length === 0) return [];
  const values = [tenantId, them.map((message) => message.campaign_id), them.map((message) => message.id)];
  return (await tx.rows<{ lane_id: Uuid }>(lanesOfMessages, values)).map((row) => row.lane_id);
}
