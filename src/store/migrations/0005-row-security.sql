-- The second fence between tenants. Every statement names its tenant by itself; should one forget to, the policy shows it
-- the rows of the tenant that it was given and no others. `app.tenant` is set for one transaction at a time (store/database/db.ts):
-- to a tenant's id, or to '*' by the few statements over all tenants. Unset there are no rows, and none can be written.

-- Puts every table of tenants under the policy, and lets the role that the service works as use what it needs. Called at
-- the end of each migration, so that a new table cannot be forgotten. Changes only what is missing: it runs at every boot.
create function protect_tenant_tables() returns void language plpgsql as $$
declare
  it record;
  -- Since PostgreSQL 16 a member may be one without the right to become the role.
  becoming constant text := case when current_setting('server_version_num')::int < 160000 then 'member' else 'set' end;
  -- In a select of its own the setting is read once a statement, and not for each row: a sixth of all of PostgreSQL's work.
  rule constant text :=
    '%1$I = (select nullif(nullif(current_setting(''app.tenant'', true), ''''), ''*'')::uuid) or (select current_setting(''app.tenant'', true) = ''*'')';
begin
  for it in
    select class.oid::regclass as name, attribute.attname as tenant, class.relrowsecurity as enabled,
      class.relforcerowsecurity as forced,
      exists (select from pg_policy where polrelid = class.oid and polname = 'tenant') as ruled
    from pg_class class
    join pg_attribute attribute on attribute.attrelid = class.oid and not attribute.attisdropped
      and attribute.attname = case class.relname when 'tenants' then 'id' else 'tenant_id' end
    where class.relnamespace = current_schema()::regnamespace and class.relkind in ('r', 'p')
  loop
    if not it.ruled then
      execute format('create policy tenant on %s using (' || format(rule, it.tenant) || ') with check ('
        || format(rule, it.tenant) || ')', it.name);
    end if;
    if not it.enabled then
      execute format('alter table %s enable row level security', it.name);
    end if;
    if not it.forced then
      execute format('alter table %s force row level security', it.name);
    end if;
  end loop;

  -- Who owns a table can take it out of the policy, and a superuser is under none: the service works as neither where it
  -- may. Another database of the cluster may have made the role a moment ago.
  if to_regrole('parley_app') is null then
    begin
      create role parley_app nologin nosuperuser nobypassrls;
    exception when insufficient_privilege or duplicate_object or unique_violation then null;
    end;
  end if;
  if to_regrole('parley_app') is null then
    return;
  end if;
  if not pg_has_role(session_user, 'parley_app', becoming) then
    begin
      execute format('grant parley_app to %I', session_user);
    exception when insufficient_privilege then return;
    end;
  end if;

  if not has_schema_privilege('parley_app', current_schema(), 'usage') then
    execute format('grant usage on schema %I to parley_app', current_schema());
  end if;
  if not has_schema_privilege('parley_app', 'graphile_worker', 'usage') then
    grant usage on schema graphile_worker to parley_app;
  end if;
  for it in
    select class.oid::regclass as name, class.relkind, class.relnamespace = 'graphile_worker'::regnamespace and class.relrowsecurity
      and not exists (select from pg_policy where polrelid = class.oid and polname = 'parley_app') as closed
    from pg_class class
    where class.relnamespace in (current_schema()::regnamespace, 'graphile_worker'::regnamespace)
      and class.relkind in ('r', 'p', 'v', 'S')
  loop
    if it.relkind = 'S' then
      if not has_sequence_privilege('parley_app', it.name, 'usage') then
        execute format('grant usage on sequence %s to parley_app', it.name);
      end if;
    elsif not has_table_privilege('parley_app', it.name, 'insert') then
      execute format('grant select, insert, update, delete on %s to parley_app', it.name);
    end if;
    -- The queue closes its tables to all but their owner.
    if it.closed then
      execute format('create policy parley_app on %s to parley_app using (true) with check (true)', it.name);
    end if;
  end loop;
end;
$$;

-- Takes statistics of those of the tables that have outgrown theirs. As the owner: before PostgreSQL 17 nobody else can,
-- and nobody else sees what the service's other sessions are at.
create function refresh_statistics(hot text[]) returns void language plpgsql security definer set search_path from current as $$
declare
  name text;
begin
  -- 64 pages are some thousand rows: below that every plan is quick. A table that was never analyzed has reltuples -1.
  for name in
    select class.relname from pg_catalog.pg_class class
    where class.relname = any(hot) and class.relnamespace = current_schema()::regnamespace
      and pg_relation_size(class.oid) > 64 * 8192
      and (class.reltuples < 0 or pg_relation_size(class.oid) > 10 * 8192::bigint * greatest(class.relpages, 1))
      -- The rows of an open import have pages but are not seen: the planner would believe in large, empty tables.
      and not exists (
        select from pg_catalog.pg_stat_activity
        where datname = current_database() and backend_xid is not null and xact_start < now() - interval '300 milliseconds')
  loop
    execute format('analyze (skip_locked) %I', name);
  end loop;
end;
$$;
