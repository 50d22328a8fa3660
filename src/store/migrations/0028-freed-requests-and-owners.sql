-- When a request under an Idempotency-Key ended without an answer to keep, so that its next repeat runs it again; null while it runs,
-- and once it is answered. Until now such a request lost the time it began at, and was kept for ever.
alter table idempotency_keys add column freed_at timestamptz;
update idempotency_keys set started_at = now(), freed_at = now() where started_at = 'epoch';

-- Every table of tenants with the column that says whose a row is: `tenant_id`, or where there is none (trunk_numbers) the one that refers
-- to the tenants. Until now only the name counted, and a table without it was outside of row security.
create function tenant_tables() returns table (name regclass, tenant name) language sql stable as $$
  select class.oid::regclass, column_of.name
  from pg_class class
  cross join lateral (
    select attribute.attname as name
    from pg_attribute attribute
    where attribute.attrelid = class.oid and attribute.attnum > 0 and not attribute.attisdropped
      and (attribute.attname = case class.relname when 'tenants' then 'id' else 'tenant_id' end
        or exists (
          select from pg_constraint
          where conrelid = class.oid and contype = 'f' and conkey = array[attribute.attnum]
            and confrelid = to_regclass(format('%I.tenants', current_schema()))))
    order by attribute.attname = 'tenant_id' desc, attribute.attnum
    limit 1
  ) column_of
  where class.relnamespace = current_schema()::regnamespace and class.relkind in ('r', 'p')
$$;

-- As it was in 0005, over the tables that are found so.
create or replace function protect_tenant_tables() returns void language plpgsql as $$
declare
  it record;
  -- Since PostgreSQL 16 a member may be one without the right to become the role.
  becoming constant text := case when current_setting('server_version_num')::int < 160000 then 'member' else 'set' end;
  -- In a select of its own the setting is read once a statement, and not for each row: a sixth of all of PostgreSQL's work.
  rule constant text :=
    '%1$I = (select nullif(nullif(current_setting(''app.tenant'', true), ''''), ''*'')::uuid) or (select current_setting(''app.tenant'', true) = ''*'')';
begin
  for it in
    select of_tenants.name, of_tenants.tenant, class.relrowsecurity as enabled, class.relforcerowsecurity as forced,
      exists (select from pg_policy where polrelid = class.oid and polname = 'tenant') as ruled
    from tenant_tables() of_tenants join pg_class class on class.oid = of_tenants.name
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
