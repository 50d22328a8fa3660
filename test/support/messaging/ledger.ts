import assert from "node:assert/strict";
import type pg from "pg";

/** Fails unless the campaign's records agree with one another: what must hold after any run, whatever happened in it. */
export async function assertLedger(client: pg.Client): Promise<void> {
  const count = async (sql: string) => Number((await client.query(sql)).rows[0].n);
  assert.equal(
    await count(
      `select count(*) as n from (select from attempts where state = 'accepted' group by tenant_id, message_id
       having count(*) > 1) as twice`,
    ),
    0,
    "no message has two accepted attempts",
  );
  assert.equal(
    await count("select count(*) as n from attempts where state in ('in_flight', 'uncertain')"),
    0,
    "no attempt is open",
  );
  await assertCounts(client);
}

/** Fails unless every campaign's counts are what counting its threads and messages gives; those of what became of its calls are left out. */
export async function assertCounts(client: { query(text: string): Promise<{ rows: unknown[] }> }): Promise<void> {
  const { rows } = await client.query(
    `with counted as (
       select campaign_id, state, sum(n)::int as n from campaign_counts where state not like 'call%' group by campaign_id, state having sum(n) <> 0),
     real as (
       select campaign_id, state, count(*)::int as n from threads group by campaign_id, state
       union all
       select campaign_id, 'pending', count(*)::int from messages
       where thread_id is not null and direction = 'outbound' and state in ('scheduled', 'held', 'sending') group by campaign_id)
     select coalesce(counted.state, real.state) as state, coalesce(counted.n, 0) as counted, coalesce(real.n, 0) as real
     from counted full join real using (campaign_id, state) where counted.n is distinct from real.n`,
  );
  assert.deepEqual(rows, [], "campaign_counts say what the tables say");
}

/** The value below which `share` of the sorted values lie; 0 of none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
