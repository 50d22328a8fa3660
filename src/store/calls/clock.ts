import type { Uuid } from "#domain/values/id.ts";
import { changing, type Tx } from "#store/database/db.ts";

// Arithmetic on whole milliseconds, since Citus takes no expression on a time in DO UPDATE.
const takeStarts = changing(
  "take-call-starts",
  `insert into call_clocks (tenant_id, last_start_ms) values ($1, $2::bigint + $3::bigint - 1)
   on conflict (tenant_id) do update set
     last_start_ms = greatest(excluded.last_start_ms, call_clocks.last_start_ms + $3::bigint)
   returning last_start_ms`,
);

/**
 * Start times for `count` calls, unique in the tenant and later than all that were taken before: from `at` on, a millisecond apart. Locks
 * the tenant's clock to the end of the transaction, so it comes last in one, or stands alone.
 */
export async function take(tx: Tx, tenantId: Uuid, at: Date, count: number): Promise<Date[]> {
  if (count === 0) return [];
  const row = await tx.first<{ last_start_ms: string }>(takeStarts, [tenantId, at.getTime(), count]);
  const first = Number(row!.last_start_ms) - count + 1;
  return Array.from({ length: count }, (_, i) => new Date(first + i));
}
