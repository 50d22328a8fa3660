import type pg from "pg";
import { ownSession } from "#store/database/own-session.ts";
import { tables } from "./tables.ts";

export type Server = {
  /** Its address and port. */
  name: string;
  isActive: boolean;
  isCoordinator: boolean;
  /** Of distributed tables, with their size. */
  shards: number;
  bytes: number;
  tenants: number;
};

export type Status = {
  servers: Server[];
  /** The largest server's bytes over the mean of those that have shards; 1 is even, null is nothing. */
  skew: number | null;
  /** Tables with a shard whose rows row security does not keep apart. There must be none. */
  open: string[];
  /** Tables of tenants that are on the coordinator alone: `parley citus distribute` takes them. */
  left: string[];
};

const IS_DISTRIBUTED = `
  select exists (select from pg_extension where extname = 'citus') and to_regclass('pg_catalog.pg_dist_partition') is not null
    as citus`;
const SERVERS = `
  select nodename || ':' || nodeport as name, isactive as "isActive", groupid = 0 as "isCoordinator"
  from pg_dist_node where noderole = 'primary' order by groupid`;
const SHARDS = `
  select nodename || ':' || nodeport as name, count(*)::int as shards, coalesce(sum(shard_size), 0)::float8 as bytes
  from citus_shards where citus_table_type = 'distributed' group by 1`;
const TENANTS = "select id from tenants where id > $1 order by id limit 10000";
const TENANTS_OF_SERVERS = `
  select nodename || ':' || nodeport as name, count(*)::int as tenants
  from (select get_shard_id_for_distribution_column('tenants', id) as shard from unnest($1::uuid[]) id) them
  join pg_dist_placement placement on placement.shardid = them.shard
  join pg_dist_node node using (groupid) where noderole = 'primary' group by 1`;
const TENANT_TABLES = `
  select class.relname::text as name, partition.logicalrelid is not null as placed
  from tenant_tables() them join pg_class class on class.oid = them.name
  left join pg_dist_partition partition on partition.logicalrelid = class.oid order by 1`;
/** Asked of each shard where it lies: `%s` is its name there. */
const IS_CLOSED = `
  select relrowsecurity and relforcerowsecurity and exists (select from pg_policy where polrelid = class.oid and polname = 'tenant')
  from pg_class class where oid = '%s'::regclass`;
const OPEN = "select count(*)::int as n from run_command_on_placements($1, $2) where not success or result <> 't'";
const NO_ID = "00000000-0000-0000-0000-000000000000";

/** What is on which server; undefined where the database is on one. */
export async function statusOf(url: string): Promise<Status | undefined> {
  const client = await ownSession(url, "status of parley");
  try {
    if (!(await client.query<{ citus: boolean }>(IS_DISTRIBUTED)).rows[0]!.citus) return undefined;
    const sizes = new Map((await client.query<Sizes>(SHARDS)).rows.map((row) => [row.name, row]));
    const tenants = await tenantsByServer(client);
    const { rows: known } = await client.query<Omit<Server, "shards" | "bytes" | "tenants">>(SERVERS);
    const servers = known.map((server) => ({
      ...server,
      shards: sizes.get(server.name)?.shards ?? 0,
      bytes: sizes.get(server.name)?.bytes ?? 0,
      tenants: tenants.get(server.name) ?? 0,
    }));
    const { rows: theirs } = await client.query<{ name: string; placed: boolean }>(TENANT_TABLES);
    const open: string[] = [];
    for (const { name, placed } of theirs) {
      if (placed && (await client.query<{ n: number }>(OPEN, [name, IS_CLOSED])).rows[0]!.n > 0) open.push(name);
    }
    const staying = (await tables(client)).filter(({ place }) => place === "local").map(({ name }) => name);
    const left = theirs.filter(({ name, placed }) => !placed && !staying.includes(name)).map(({ name }) => name);
    return { servers, skew: skewOf(servers), open, left };
  } finally {
    await client.end();
  }
}

type Sizes = { name: string; shards: number; bytes: number };

/** Tenants by the thousand, so that any number of them can be counted. */
async function tenantsByServer(client: pg.Client): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (let after = NO_ID; ; ) {
    await client.query("begin; set local citus.propagate_set_commands = 'local'; set local app.tenant = '*'");
    const { rows } = await client.query<{ id: string }>(TENANTS, [after]);
    await client.query("commit");
    const last = rows.at(-1);
    if (last === undefined) return counts;
    const found = await client.query<{ name: string; tenants: number }>(TENANTS_OF_SERVERS, [rows.map(({ id }) => id)]);
    for (const { name, tenants } of found.rows) counts.set(name, (counts.get(name) ?? 0) + tenants);
    after = last.id;
  }
}

export function skewOf(servers: readonly Pick<Server, "shards" | "bytes">[]): number | null {
  const sizes = servers.filter(({ shards }) => shards > 0).map(({ bytes }) => bytes);
  const all = sizes.reduce((sum, bytes) => sum + bytes, 0);
  return all === 0 ? null : Math.max(...sizes) / (all / sizes.length);
}
