import type pg from "pg";
import type { Uuid } from "#domain/values/id.ts";
import { ownSession } from "#store/database/own-session.ts";
import { recognizeDatabase } from "#store/database/scoped-query.ts";

type Place = { id: Uuid; shard: string; host: string; port: number; alone: boolean };
type Target = { host: string; port: number };
export type Moved = { from: string; to: string; ms: number };

const MODES = "select id from tenants where account_id = $1 order by id";
const PLACES = `
  select them.id, shard.shardid::text as shard, node.nodename as host, node.nodeport as port, shard.shardminvalue = shard.shardmaxvalue as alone
  from (select id, get_shard_id_for_distribution_column('tenants', id) as shardid from unnest($1::uuid[]) id) them
  join pg_dist_shard shard using (shardid) join pg_dist_placement placement using (shardid)
  join pg_dist_node node on node.groupid = placement.groupid and node.noderole = 'primary' order by them.id`;
/** Servers that shards may be on, the one with the least first. */
const TARGETS = `
  select nodename as host, nodeport as port from pg_dist_node
  left join citus_shards using (nodename, nodeport)
  where noderole = 'primary' and isactive and shouldhaveshards and ($1::text is null or nodename || ':' || nodeport = $1)
  group by nodename, nodeport order by coalesce(sum(shard_size), 0), nodename, nodeport`;
/**
 * By a copy, meanwhile what writes to the shard waits. By the log of changes, so that writes wait for moments alone, is not to be had: who follows the log may
 * not write to tables under row security.
 */
const MODE = "block_writes";

/**
 * Moves a tenant with all its rows, in both modes, onto another server: it is given shards of its own where it has none, for which the writes of all tenants
 * of its former shard wait, and these are copied, for which its own wait. It is read all the time. Safe to repeat after it was cut off. `to` is a
 * server's name as `parley citus status` says it; without it the server with the least is taken.
 */
export async function moveTenant(
  url: string,
  { accountId, to }: { accountId: Uuid; to: string | undefined },
  onStep: (line: string) => void,
  clockMs: () => number,
): Promise<Moved[]> {
  const client = await ownSession(url, "move of parley");
  try {
    await recognizeDatabase(client);
    await client.query("begin; set local app.tenant = '*'");
    const { rows: modes } = await client.query<{ id: Uuid }>(MODES, [accountId]);
    await client.query("commit");
    if (modes.length === 0) throw new Error("There is no such tenant");
    const moved: Moved[] = [];
    for (const { id } of modes) {
      // Both modes onto one server, whichever that is.
      const found = await move(client, id, to ?? moved[0]?.to, onStep, clockMs);
      if (found) moved.push(found);
    }
    return moved;
  } finally {
    await client.end();
  }
}

async function move(
  client: pg.Client,
  id: Uuid,
  to: string | undefined,
  onStep: (line: string) => void,
  clockMs: () => number,
): Promise<Moved | undefined> {
  const began = clockMs();
  const place = await placeOf(client, id);
  const { rows: targets } = await client.query<Target>(TARGETS, [to ?? null]);
  if (targets.length === 0) throw new Error(`There is no server ${to ?? ""} that shards may be on`);
  const isThere = (target: Target) => target.host === place.host && target.port === place.port;
  const target = to === undefined ? targets.find((one) => !isThere(one)) : targets[0]!;
  if (target === undefined) throw new Error("There is no other server that shards may be on");
  if (isThere(target)) return undefined;
  if (!place.alone) {
    onStep(`shards of its own for ${id}`);
    await client.query(`select isolate_tenant_to_new_shard('tenants', $1::uuid, 'CASCADE', '${MODE}')`, [id]);
  }
  const { shard, host, port } = await placeOf(client, id);
  onStep(`from ${host}:${port} to ${target.host}:${target.port}: ${id}`);
  const values = [shard, host, port, target.host, target.port];
  await client.query(`select citus_move_shard_placement($1::bigint, $2, $3::int, $4, $5::int, '${MODE}')`, values);
  return { from: `${host}:${port}`, to: `${target.host}:${target.port}`, ms: clockMs() - began };
}

const placeOf = async (client: pg.Client, id: Uuid): Promise<Place> =>
  (await client.query<Place>(PLACES, [[id]])).rows[0]!;
