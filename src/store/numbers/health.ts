import type { Uuid } from "#domain/values/id.ts";
import { CAME } from "#store/campaigns/number-counting.ts";
import { statement, type Tx } from "#store/database/db.ts";

/** What came of the calls from and to one of our numbers. Classes of outbound calls as domain/calls/call.ts's callClass. */
export type NumberHealth = {
  number: string;
  /** Outbound, and over. */
  calls: number;
  /** Of these, as the number is judged by (domain/numbers/health.ts): what failed otherwise is not its doing. */
  placed: number;
  connected: number;
  voicemail: number;
  /** Nobody took it: no answer, busy, declined. */
  not_reached: number;
  /** It could not be placed, or broke. */
  failed: number;
  marked_as_spam: number;
  inbound: number;
  last_call_at: Date;
};

const OVER = "outbound and over";
const NOT_REACHED = "reason in ('dial_no_answer', 'dial_busy', 'user_declined', 'manual_stopped')";

const sumCalls = statement(
  "sum-calls-of-numbers",
  `select number, count(*) filter (where ${OVER})::int as calls,
     count(*) filter (where ${OVER} and came)::int as placed, count(*) filter (where ${OVER} and connected)::int as connected,
     count(*) filter (where ${OVER} and in_voicemail)::int as voicemail,
     count(*) filter (where ${OVER} and not connected and not in_voicemail and ${NOT_REACHED})::int as not_reached,
     count(*) filter (where ${OVER} and not connected and not in_voicemail and (${NOT_REACHED}) is not true)::int as failed,
     count(*) filter (where reason = 'marked_as_spam')::int as marked_as_spam,
     count(*) filter (where not outbound)::int as inbound, max(start_at) as last_call_at
   from (
     select number, reason, in_voicemail, start_at, direction = 'outbound' as outbound, duration_ms > 0 and not in_voicemail as connected,
       status not in ('registered', 'ongoing') as over, ${CAME} as came
     from calls call where call.tenant_id = $1 and call.organization_id = $2 and call.start_at >= $3) as call
   group by number order by number`,
);

/** Of every number that an organization has called from, or was called on, since then. */
export function since(tx: Tx, tenantId: Uuid, organizationId: Uuid, begin: Date): Promise<NumberHealth[]> {
  return tx.rows<NumberHealth>(sumCalls, [tenantId, organizationId, begin]);
}
