import type pg from "pg";
import type { Uuid } from "#domain/values/id.ts";
import { crossTenant, type Tx } from "./db.ts";
import { inBatches } from "./in-batches.ts";
import { drop } from "./servers.ts";

/** How far the primary's log of changes has come, and whose log it is. */
export type Position = { lsn: bigint; id: Uuid; timeline: number | null };

// What has been acknowledged is on the primary's disk, unless its commits do not wait for that.
const readPosition = crossTenant(
  "read-position",
  `select id, nullif(current_setting('app.timeline', true), '')::int as timeline,
     (case when current_setting('synchronous_commit') = 'off' then pg_current_wal_insert_lsn()
       else pg_current_wal_flush_lsn() end - '0/0'::pg_lsn)::text as lsn
   from cluster`,
);

/**
 * Asks the primary how far it has come, once for all that want to know at a time: what was committed meanwhile may be missing in an answer that is on its
 * way.
 */
export function sharedPosition(primary: Tx): () => Promise<Position> {
  const ask = inBatches<undefined, Position>(async () => {
    const { lsn, ...rest } = (await primary.first<Omit<Position, "lsn"> & { lsn: string }>(readPosition))!;
    return { ...rest, lsn: BigInt(lsn) };
  });
  return () => ask(undefined);
}

/** How far a replica has come; `problem`: why nothing may be read from it, or null. */
export type Reached = { lsn: bigint; problem: string | null };

const REACHED = {
  name: "read-reached-position",
  text: `select pg_is_in_recovery() as stands_in, coalesce(pg_last_wal_replay_lsn() - '0/0'::pg_lsn, 0)::text as lsn,
       id, timeline from (select) as always left join cluster on true`,
};

/**
 * Asks a session's server; one that says nothing for `withinMs` has its session dropped. The row of `cluster` is replicated as any other: on a server that
 * has the primary's timeline there, that timeline is a part of its history, and positions on it can be compared. One that was left behind on another
 * timeline may be as far by its number, and lack what the primary has.
 */
export async function reached(client: pg.ClientBase, primary: Position, withinMs: number): Promise<Reached> {
  const timer = setTimeout(() => drop(client), withinMs);
  try {
    const { rows } = await client.query<{ stands_in: boolean; lsn: string; id: Uuid | null; timeline: number | null }>({
      ...REACHED,
    });
    const [{ stands_in, lsn, id, timeline }] = rows as [(typeof rows)[number]];
    return { lsn: BigInt(lsn), problem: problemOf() };

    function problemOf(): string | null {
      if (!stands_in) return "it stands in for no other server any more";
      if (id !== primary.id) return "it has another database";
      if (timeline !== primary.timeline) return "it has not followed the primary's change of servers yet";
      return null;
    }
  } finally {
    clearTimeout(timer);
  }
}
