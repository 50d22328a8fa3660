import type { Uuid } from "#domain/values/id.ts";
import { changing, type Statement, type Tx } from "#store/database/db.ts";

/**
 * Counts and notes what a statement has moved. They stand in the very statement; where Citus has the database they come after it, in its transaction,
 * since what one part of a statement leaves for an insert in it is sent to all servers, of which one may be down.
 */
type AfterMove = Readonly<Record<"counts" | "events", (moved: string, $: { now: string; changeId: string }) => string>>;

export const andAfterMove = ({ counts, events }: AfterMove, $: { now: string; changeId: string }): string => `
   counted as (${counts("moved", $)}),
   noted as (${events("moved", $)})`;

export function afterMoveAlone(name: string, { counts, events }: AfterMove, was: string): [Statement, Statement] {
  const rows = `jsonb_to_recordset($2::jsonb) as moved (campaign_id uuid, thread_id uuid, id uuid, state text, reason text, ${was} text)`;
  const $ = { now: "$3::timestamptz", changeId: "$3::uuid" };
  return [changing(`count-${name}`, counts(rows, $)), changing(`note-${name}`, events(rows, $))];
}

/** What a message had been before it was moved, where that is still to be counted. */
export type Moved = { was?: string; old?: string };

/** Where the statement has not done it by itself: then it says what each message had been. */
export async function finishMove(
  tx: Tx,
  tenantId: Uuid,
  moved: readonly Moved[],
  [counts, events]: [Statement, Statement],
  change: { now: Date; changeId: Uuid },
): Promise<void> {
  if (moved[0]?.was === undefined && moved[0]?.old === undefined) return;
  const rows = JSON.stringify(moved);
  await tx.run(counts, [tenantId, rows, change.changeId]);
  await tx.run(events, [tenantId, rows, change.now]);
}

export const AFTER_SETTLING: AfterMove = {
  counts: (moved, $) => `
     insert into campaign_counts (tenant_id, campaign_id, change_id, state, n)
     select $1, campaign_id, ${$.changeId}, 'pending', sum((state = 'scheduled')::int - (was <> 'held')::int)::int from ${moved}
     where thread_id is not null and (state = 'scheduled') <> (was <> 'held') group by campaign_id
     on conflict do nothing`,
  events: (moved, $) => `
     insert into events (tenant_id, kind, at, campaign_id, n, object_ids, thread_ids, data)
     select $1, 'message.' || became, ${$.now}, campaign_id, count(*)::int, array_agg(id), array_agg(thread_id),
       case when became = 'sent' then '{}' else jsonb_agg(jsonb_build_object('reason', reason)) end
     from (select *, case state when 'accepted' then 'sent' else state end as became from ${moved} where state <> 'scheduled') as it
     group by campaign_id, became
     on conflict do nothing`,
};

export const AFTER_RECEIPTS: AfterMove = {
  counts: (moved, $) => `
     insert into campaign_counts (tenant_id, campaign_id, change_id, state, n)
     select $1, campaign_id, ${$.changeId}, 'pending', -count(*)::int from ${moved}
     where old in ('scheduled', 'held', 'sending') and thread_id is not null group by campaign_id
     on conflict do nothing`,
  // What was delivered had been taken: the word of that may have been lost, or be on its way still.
  events: (moved, $) => `
     insert into events (tenant_id, kind, at, campaign_id, n, object_ids, thread_ids, data)
     select $1, 'message.' || became, ${$.now}, campaign_id, count(*)::int, array_agg(id), array_agg(thread_id),
       case when became = 'failed' then jsonb_agg(jsonb_build_object('reason', reason)) else '{}' end
     from (
       select *, 'sent' as became from ${moved}
       where old in ('scheduled', 'held', 'sending', 'unknown') and state in ('accepted', 'sent', 'delivered', 'undelivered')
       union all
       select *, case state when 'delivered' then 'delivered' else 'failed' end from ${moved}
       where state in ('delivered', 'undelivered', 'failed')) as it
     group by campaign_id, became order by became desc
     on conflict do nothing`,
};
