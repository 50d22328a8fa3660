import type { Uuid } from "#domain/values/id.ts";
import { anyOf, changingAndReading, statement, type Tx } from "#store/database/db.ts";

// A claim with a carrier that cannot be asked (`marks` of its capabilities) writes its attempts unmarked. Before the first byte of a text its attempt is
// marked, and that is committed: an attempt without a mark has not left. Whoever takes it from its process (attempts.doubt) and the process itself want
// the same row: either it is marked first, and in doubt for ever, or it is taken first, and cannot be marked any more.

// In the order of their refs, as all who lock several (attempts.ts). What somebody else had locked is looked at anew once it is free.
const markAttempts = changingAndReading(
  "mark-attempts",
  `with mine as (
     select ref from attempts where tenant_id = $1 and ref = any($2::uuid[]) and ${anyOf("ref")} and node_id = $3
       and coalesce(state = 'in_flight' and unmarked, false)
     order by ref for update)
   update attempts attempt set unmarked = null from mine
   where attempt.tenant_id = $1 and attempt.ref = mine.ref
   returning attempt.ref`,
);

/** Marks a node's attempts as ones that may have left. Only those in the answer may leave: the others are not the node's any more. */
export async function mark(tx: Tx, tenantId: Uuid, nodeId: Uuid, refs: readonly Uuid[]): Promise<ReadonlySet<Uuid>> {
  return new Set((await tx.rows<{ ref: Uuid }>(markAttempts, [tenantId, refs, nodeId])).map(({ ref }) => ref));
}

const unsentTexts = statement(
  "list-texts-of-attempts",
  `select message.id, message.lane_id, message.kind, message.segments, message.media_urls is not null as has_pictures, attempt.at
   from attempts attempt
   join messages message on message.tenant_id = $1 and message.campaign_id = attempt.campaign_id and message.id = attempt.message_id
   where attempt.tenant_id = $1 and attempt.ref = any($2::uuid[])`,
);

export type UnsentText = { id: Uuid; lane_id: Uuid; kind: string; segments: number; has_pictures: boolean; at: Date };

/** What was counted of texts at their claim, and is to be taken back where they have not left; `at` in the tenant's time. */
export function texts(tx: Tx, tenantId: Uuid, refs: readonly Uuid[]): Promise<UnsentText[]> {
  return tx.rows<UnsentText>(unsentTexts, [tenantId, refs]);
}
