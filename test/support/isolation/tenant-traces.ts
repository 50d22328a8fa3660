import type pg from "pg";
import { parseId } from "#domain/values/id.ts";
import type { MarkedTenant } from "./marked-tenant.ts";

/**
 * A digest of the rows of a tenant, table by table. When a key was last used and what was asked with it is nothing that
 * was done to it, nor how far its own entries are chained.
 */
export async function rowsOf(sql: pg.Client, { things }: MarkedTenant): Promise<Record<string, string>> {
  const { rows: tables } = await sql.query<{ name: string; column: string }>(
    `select format('%I', table_name) as name, column_name as column from information_schema.columns
     where table_schema = 'public'
       and (column_name = 'tenant_id' or (table_name, column_name) in (('tenants', 'id'), ('trunk_numbers', 'owner')))
       and table_name <> 'request_log' and left(table_name, 6) <> 'chain_' order by name`,
  );
  const digests: Record<string, string> = {};
  for (const { name, column } of tables) {
    const { rows } = await sql.query<{ digest: string }>(
      `select count(*) || ' ' || md5(coalesce(string_agg(it, '' order by it), '')) as digest
       from (select (to_jsonb(t) - 'last_used_at')::text as it from ${name} t where ${column} = $1) rows`,
      [parseId("tenant", things.tenant)],
    );
    digests[name] = rows[0]!.digest;
  }
  return digests;
}

/** How many requests are noted, and of these how many for a tenant that has no such key, or no such user for a session's. */
export async function notedRequests(sql: pg.Client): Promise<{ all: number; mixed: number }> {
  const { rows } = await sql.query<{ all: number; mixed: number }>(
    `select count(*)::int as all, (count(*) filter (where not exists (
       select from api_keys key join tenants tenant on tenant.id = key.tenant_id
       where key.id = noted.key_id
         and noted.tenant_id = case tenant.mode when key.mode then tenant.id else tenant.other_id end
       union all
       select from users person where person.tenant_id = noted.tenant_id and person.id = noted.user_id)))::int as mixed
     from request_log noted`,
  );
  return rows[0]!;
}

/** What a job names, and which of its rows' columns say so. */
const NAMED_BY_JOBS = {
  lanes: "'laneId', old.id, 'tenantId', old.tenant_id",
  dial_lanes: "'laneId', old.id, 'tenantId', old.tenant_id",
  threads: "'threadId', old.id, 'campaignId', old.campaign_id, 'tenantId', old.tenant_id",
};

/**
 * Keeps every job that is added from now on, though it is done and gone. So are lanes and threads kept that are deleted: demo data goes with all
 * that it has, and jobs that its campaigns had before are no less their tenant's for it.
 */
export async function keepJobs(sql: pg.Client): Promise<void> {
  await sql.query(`
    create table kept_jobs (payload jsonb not null);
    grant insert on kept_jobs to public;
    create function keep_job() returns trigger language plpgsql as $$
      begin insert into kept_jobs values (new.payload::jsonb); return new; end $$;
    create trigger keep_job after insert or update of payload on graphile_worker._private_jobs
      for each row execute function keep_job();
    create table deleted_things (named jsonb not null);
    grant insert on deleted_things to public`);
  for (const [table, columns] of Object.entries(NAMED_BY_JOBS))
    await sql.query(`
      create function keep_deleted_${table}() returns trigger language plpgsql as $$
        begin insert into deleted_things values (jsonb_build_object(${columns})); return old; end $$;
      create trigger keep_deleted after delete on ${table} for each row execute function keep_deleted_${table}()`);
}

/** The payloads of all jobs there were. */
export async function keptJobs(sql: pg.Client): Promise<string[]> {
  return (await sql.query<{ payload: string }>("select payload::text from kept_jobs")).rows.map((row) => row.payload);
}

/** Jobs that name a thing which is not their tenant's, and never was. */
export async function mixedJobs(sql: pg.Client): Promise<string[]> {
  // One statement sees a thing where it is or among the deleted, whatever is deleted meanwhile.
  const { rows } = await sql.query<{ payload: string }>(
    `select distinct payload::text from kept_jobs job
     where payload ->> 'tenantId' is null
       or payload ? 'laneId' and not exists (
         select from lanes where id::text = payload ->> 'laneId' and tenant_id::text = payload ->> 'tenantId'
         union all
         select from dial_lanes where id::text = payload ->> 'laneId' and tenant_id::text = payload ->> 'tenantId'
         union all
         select from deleted_things where payload @> named)
       or payload ? 'threadId' and not exists (
         select from threads where id::text = payload ->> 'threadId' and campaign_id::text = payload ->> 'campaignId'
           and tenant_id::text = payload ->> 'tenantId'
         union all
         select from deleted_things where payload @> named)`,
  );
  return rows.map((row) => row.payload);
}
