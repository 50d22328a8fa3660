import type pg from "pg";
import { migrationNames } from "#store/database/migrate.ts";

type Session = Pick<pg.ClientBase, "query">;

/** Tried with this one. Row security of distributed tables is in every release since 11. */
const LEAST_CITUS = 12;

export type Requirements = {
  /** Each has to be mended first. */
  missing: string[];
  /** None keeps anything from working. */
  advice: string[];
  /** Whether its schema is this release's, so that its tables can be looked at. */
  isCurrent: boolean;
  /** What it is: `Citus 13.2 with 2 workers`. */
  what: string;
};

const EXTENSION = `
  select split_part(extversion, '-', 1) as version from pg_extension where extname = 'citus'`;
const PRELOADED = "select current_setting('shared_preload_libraries') as libraries";
const NODES = `
  select nodename || ':' || nodeport as name, isactive as active, groupid = 0 as coordinator, shouldhaveshards as shards
  from pg_dist_node where noderole = 'primary' order by groupid`;
const SETTINGS = `
  select current_setting('max_prepared_transactions')::int as prepared, current_setting('max_connections')::int as connections`;
const OTHERS = `
  select distinct application_name as name from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and application_name like 'parley %'`;

/** What a database has to have before it can be distributed, and what it lacks of it. */
export async function requirements(session: Session): Promise<Requirements> {
  const { rows: extensions } = await session.query<{ version: string }>(EXTENSION);
  const version = extensions[0]?.version;
  if (version === undefined) {
    const { rows } = await session.query<{ libraries: string }>(PRELOADED);
    const preload = "add citus to shared_preload_libraries on every server and restart them; then, ";
    const add = 'as a superuser in this database on every server, "create extension citus"';
    const how = rows[0]!.libraries.includes("citus") ? add : preload + add;
    return { missing: [`This database has no Citus: ${how}`], advice: [], isCurrent: false, what: "PostgreSQL" };
  }
  const missing: string[] = [];
  if (Number.parseInt(version, 10) < LEAST_CITUS) missing.push(`Citus ${version} is older than ${LEAST_CITUS}`);
  const { rows: nodes } = await session.query<Node>(NODES);
  const workers = nodes.filter(({ coordinator }) => !coordinator);
  if (!nodes.some(({ coordinator }) => coordinator))
    missing.push(
      "The coordinator has no address: as a superuser, select citus_set_coordinator_host(its name, its port)",
    );
  if (workers.length === 0)
    missing.push("There is no worker: as a superuser, select citus_add_node(name, port) for each");
  for (const { name, active } of nodes) if (!active) missing.push(`The server ${name} is not active`);
  const { rows: others } = await session.query<{ name: string }>(OTHERS);
  if (others.length > 0)
    missing.push(
      `Parley is at work on this database (${others.map(({ name }) => name).join(", ")}): stop it on every machine first`,
    );
  const isCurrent = !(await isBehind(session));
  if (!isCurrent) missing.push('The database is not of this release: run "parley migrate" first');
  const { rows: settings } = await session.query<Settings>(SETTINGS);
  const { prepared, connections } = settings[0]!;
  if (prepared === 0)
    missing.push(
      "max_prepared_transactions is 0: a change of several servers could not be ended; set it as high as max_connections",
    );
  const advice: string[] = [];
  if (prepared > 0 && prepared < connections)
    advice.push(`max_prepared_transactions is ${prepared}, less than max_connections (${connections})`);
  return {
    missing,
    advice,
    isCurrent,
    what: `Citus ${version} with ${workers.length} ${workers.length === 1 ? "worker" : "workers"}`,
  };
}

async function isBehind(session: Session): Promise<boolean> {
  const { rows } = await session.query<{ there: boolean }>("select to_regclass('migrations') is not null as there");
  if (!rows[0]!.there) return true;
  const done = await session.query<{ name: string }>("select name from migrations");
  return migrationNames().some((name) => !done.rows.some((row) => row.name === name));
}

type Node = { name: string; active: boolean; coordinator: boolean; shards: boolean };
type Settings = { prepared: number; connections: number };
