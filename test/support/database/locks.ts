import type pg from "pg";

/** How many sessions of the client's database wait for a lock, an advisory one included. */
export async function waitingForLocks(client: Pick<pg.ClientBase, "query">): Promise<number> {
  // Within a transaction, which may be what they wait for, the activity of others stays as it was first looked at.
  await client.query("select pg_stat_clear_snapshot()");
  const { rowCount } = await client.query(
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return rowCount!;
}
