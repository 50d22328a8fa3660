import pg from "pg";
import { until } from "#test/support/api/parley.ts";
import type { World } from "./world.ts";

// Locks by which a process is made to stand at one point of its way, for as long as a test needs it there.

export type Release = () => Promise<void>;

async function holding(world: World, lock: string): Promise<Release> {
  const client = new pg.Client(world.databaseUrl);
  await client.connect();
  await client.query(lock);
  return () => client.end();
}

/** Holds a table against writes, so that a process stands at one point of its way until it is killed there. */
export const hold = (world: World, table: string): Promise<Release> =>
  holding(world, `begin; lock table ${table} in share mode`);

const CARRIER = 7_310_001;
export const TO_THE_CARRIER = "insert into simulator_texts";

/**
 * Holds the carrier, so that it takes nothing: a worker that hands over stands past its last look whether it may. By a trigger, for a lock on
 * its table would stop a receipt of another text in the middle, which has locked the tables that are to be held next.
 */
export async function holdCarrier(world: World): Promise<Release> {
  await world.sql(
    `create or replace function faults.wait_for_carrier() returns trigger language plpgsql as $$
       begin perform pg_advisory_xact_lock_shared(${CARRIER}); return new; end $$;
     create or replace trigger wait before insert on simulator_texts for each row
       when (new.direction = 'to_handset') execute function faults.wait_for_carrier()`,
  );
  return holding(world, `select pg_advisory_lock(${CARRIER})`);
}

const MARKS = 7_310_004;
export const A_MARK = "set unmarked = null from mine";

/** Holds every mark (store/messaging/marks.ts) before its commit: a worker stands with texts that it has claimed and may not write yet. */
export async function holdMarks(world: World): Promise<Release> {
  await world.sql(
    `create or replace function faults.wait_for_mark() returns trigger language plpgsql as $$
       begin perform pg_advisory_xact_lock_shared(${MARKS}); return new; end $$;
     create or replace trigger wait_for_mark before update on attempts for each row
       when (old.unmarked and new.unmarked is null) execute function faults.wait_for_mark()`,
  );
  return holding(world, `select pg_advisory_lock(${MARKS})`);
}

/**
 * Holds every worker between its claim and its last look whether it may hand over: the simulated carrier first reads the behavior of each phone
 * to do. No process can start meanwhile: it looks at all tables.
 */
export const holdBeforeCarrier = (world: World): Promise<Release> =>
  holding(world, "begin; lock table simulator_handsets in access exclusive mode");

/** The sessions of the service that wait for a lock in such a statement. */
export const waiting = (world: World, words: string): Promise<{ pid: number }[]> =>
  world.sql<{ pid: number }>(
    `select pid from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock' and query like $1 and application_name like 'parley%'`,
    [`%${words}%`],
  );

export const waitsFor = (world: World, words: string): Promise<boolean> =>
  until(`a worker waits to ${words}`, async () => (await waiting(world, words)).length > 0);
