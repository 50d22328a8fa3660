import type { Uuid } from "#domain/values/id.ts";
import { crossTenant, crossTenantChanging, type Tx } from "#store/database/db.ts";
import { ON_UNKNOWN_TIMELINE } from "#store/database/timeline.ts";
import * as witnesses from "./witnesses.ts";

export type Cluster = {
  id: Uuid;
  mark: number;
  fenced_at: Date | null;
  fence_reason: string | null;
  /** While it is fenced: to when the database was put back; null where nobody knows. */
  fenced_as_of: Date | null;
  /** The nodes that ran at that time, as far as the database knows. */
  fence_nodes: Uuid[] | null;
  /** Another server took over, and not every process has said yet that nothing is missing: as good as fenced. */
  is_unknown: boolean;
};

const readCluster = crossTenant(
  "read-cluster",
  `select id, mark::float8 as mark, fenced_at, fence_reason, fenced_as_of, fence_nodes, ${ON_UNKNOWN_TIMELINE} as is_unknown from cluster`,
);

/** Which database this is, how far it has come, and whether it is fenced. */
export const read = async (tx: Tx): Promise<Cluster> => (await tx.first<Cluster>(readCluster))!;

const advanceMark = crossTenantChanging(
  "advance-mark",
  "update cluster set mark = greatest(mark + 1, $1) returning id, mark::float8 as mark",
);

/** One step further, to `atLeast`. The answer is to be kept outside the database, once this has committed. */
export const advance = async (tx: Tx, atLeast = 0): Promise<{ id: Uuid; mark: number }> =>
  (await tx.first<{ id: Uuid; mark: number }>(advanceMark, [atLeast]))!;

/** Who ran at `asOf`, by the register of nodes. A node that leaves is taken out of it. */
const NODES_AT = (asOf: string): string =>
  `array(select id from nodes where started_at <= ${asOf} and (lost_at is null or lost_at > ${asOf}))`;

const raiseFence = crossTenantChanging(
  "raise-fence",
  `update cluster set fenced_at = $1, fence_reason = $2, fenced_as_of = $3, fence_nodes = ${NODES_AT("$3::timestamptz")}
   where fenced_at is null`,
);

/** More events than any installation writes between a backup and its restore; numbers stay whole ones in JSON for 90,000 restores. */
const NUMBERS_LEFT_OUT = 100_000_000_000;

const leaveNumbersOut = crossTenantChanging(
  "leave-event-numbers-out",
  `insert into event_heads (tenant_id, seq, floor) select id, ${NUMBERS_LEFT_OUT}, ${NUMBERS_LEFT_OUT} from tenants
   on conflict (tenant_id) do update set seq = event_heads.seq + ${NUMBERS_LEFT_OUT}, floor = event_heads.seq + ${NUMBERS_LEFT_OUT}`,
);

/** What was claimed at the backup may have been marked after it, and have left. */
const distrustMarks = crossTenantChanging(
  "distrust-missing-marks",
  "update attempts set unmarked = null where state in ('in_flight', 'uncertain') and unmarked",
);

/**
 * Keeps everything from being handed to a carrier, on every node, from the commit on. Numbers of events that the database may have given
 * and forgotten are not given again. False when the fence was up already.
 */
export async function raise(tx: Tx, fence: { reason: string; asOf: Date | null; now: Date }): Promise<boolean> {
  if ((await tx.run(raiseFence, [fence.now, fence.reason, fence.asOf])) === 0) return false;
  await tx.run(leaveNumbersOut);
  await tx.run(distrustMarks);
  return true;
}

/** The reason of a database that came fenced out of a backup and knows not yet of when it is: such a fence is never lifted. */
export const UNFINISHED = "a restore did not finish: restore into a database that was just created";

const dateFence = crossTenantChanging(
  "date-fence",
  `update cluster set fence_reason = $2, fenced_as_of = least(fenced_as_of, $1),
     fence_nodes = coalesce(fence_nodes, '{}') || ${NODES_AT("$1::timestamptz")}`,
);

/** What `raise` does besides, for a database that came fenced out of a backup: the backup was of that time. */
export async function date(tx: Tx, fence: { reason: string; asOf: Date }): Promise<void> {
  await tx.run(dateFence, [fence.asOf, fence.reason]);
  await tx.run(leaveNumbersOut);
  await tx.run(distrustMarks);
}

/** The reason of a dial of which the database has forgotten all but that it was placed: nobody is called again because of that. */
export const RESTORED = "restored";

const lowerFence = crossTenantChanging(
  "lower-fence",
  `update cluster set fenced_at = null, fence_reason = null, fenced_as_of = null, fence_nodes = null, mark = greatest(mark, $1)`,
);

const forgetCalls = crossTenantChanging("forget-open-calls", "update dials set reason = $1 where state = 'dialing'");

/** Lets sending go on. `mark` is the furthest that any record knows: the database is ahead of them all again. */
export async function lower(tx: Tx, mark: number): Promise<void> {
  // Calls that went on when the backup was taken: how they went is forgotten, too.
  await tx.run(forgetCalls, [RESTORED]);
  await tx.run(lowerFence, [mark]);
  const { timeline } = await witnesses.server(tx);
  if (timeline !== null) await witnesses.settle(tx, timeline);
}
