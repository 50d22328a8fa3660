import type { Uuid } from "#domain/values/id.ts";
import { crossTenant, crossTenantChanging, statement, type Tx } from "#store/database/db.ts";

// Who can say whether a server that took over has all that was committed before: store/migrations/0098-witnesses.sql.

export type Server = {
  /** Of this session; null where the server cannot say. */
  timeline: number | null;
  /** A commit is acknowledged once a stand-in has it, too. */
  is_synchronous: boolean;
};

// Without a table: the server that answers is the one that the session is with.
const readServer = crossTenant(
  "read-server",
  `select nullif(current_setting('app.timeline', true), '')::int as timeline,
     current_setting('synchronous_standby_names') <> '' and current_setting('synchronous_commit') not in ('off', 'local') as is_synchronous`,
);

/** In a transaction, whose session the answer is about. */
export const server = async (tx: Tx): Promise<Server> => (await tx.first<Server>(readServer))!;

export type Known = { timeline: number | null; is_synchronous: boolean; fenced_at: Date | null };

const readKnown = crossTenant("read-known-timeline", "select timeline, is_synchronous, fenced_at from cluster");

export const known = async (tx: Tx): Promise<Known> => (await tx.first<Known>(readKnown))!;

const settleTimeline = crossTenantChanging(
  "settle-timeline",
  "update cluster set timeline = $1 where timeline is distinct from $1",
);

/** Nothing is missing on this timeline: what is due may be claimed. */
export async function settle(tx: Tx, timeline: number): Promise<void> {
  await tx.run(settleTimeline, [timeline]);
}

const noteSynchronous = crossTenantChanging(
  "note-synchronous-commits",
  "update cluster set is_synchronous = $1 where is_synchronous <> $1",
);
const noteWitness = crossTenantChanging(
  "note-witness",
  `insert into witnesses (process_id, role, release, step, timeline, seen_at) values ($1, $2, $3, $4, $5, $6)
   on conflict (process_id) do update set step = excluded.step, timeline = excluded.timeline, seen_at = excluded.seen_at`,
);

export type Witness = { process_id: Uuid; role: string; step: number; timeline: number; seen_at: Date };

/** How far a process of this release has come, on which timeline. */
export async function note(tx: Tx, witness: Witness & { release: string }): Promise<void> {
  const { process_id, role, release, step, timeline, seen_at } = witness;
  await tx.run(noteWitness, [process_id, role, release, step, timeline, seen_at]);
}

export async function noteCommits(tx: Tx, isSynchronous: boolean): Promise<void> {
  await tx.run(noteSynchronous, [isSynchronous]);
}

const listWitnesses = crossTenant(
  "list-witnesses",
  "select process_id, role, step::float8 as step, timeline, seen_at from witnesses order by process_id",
);

export const list = (tx: Tx): Promise<Witness[]> => tx.rows<Witness>(listWitnesses);

const leaveWitness = crossTenantChanging(
  "leave-witness",
  "delete from witnesses where process_id = $1 or seen_at < $2",
);

/** A process ends, and everything that it has committed is here. With it go those that were last seen before a time. */
export async function leave(tx: Tx, processId: Uuid, seenBefore: Date): Promise<void> {
  await tx.run(leaveWitness, [processId, seenBefore]);
}

const missingAttempts = statement(
  "list-attempts-that-are-missing",
  `select ref from unnest($2::uuid[]) as it (ref)
   where not exists (select from attempts where attempts.tenant_id = $1 and attempts.ref = it.ref and not ($3 and coalesce(attempts.unmarked, false)))`,
);

/** Those of a tenant's attempts that the database does not have, or does not have the mark of (store/messaging/marks.ts) though that may be `marked`. */
export async function missing(
  tx: Tx,
  tenantId: Uuid,
  refs: readonly Uuid[],
  { marked }: { marked: boolean },
): Promise<Uuid[]> {
  return (await tx.rows<{ ref: Uuid }>(missingAttempts, [tenantId, refs, marked])).map(({ ref }) => ref);
}

const optedOut = statement(
  "list-opted-out-of-phones",
  "select phone from consents where tenant_id = $1 and phone = any($2::text[]) and opted_out_at is not null",
);

/** Those of the phones that are opted out. */
export async function optedOutOf(tx: Tx, tenantId: Uuid, phones: readonly string[]): Promise<Set<string>> {
  return new Set((await tx.rows<{ phone: string }>(optedOut, [tenantId, phones])).map(({ phone }) => phone));
}
