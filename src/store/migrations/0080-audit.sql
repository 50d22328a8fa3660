-- The audit log. An entry is written in the transaction of the change that it is about; soon after the commit it joins its tenant's chain, in which
-- each link's hash covers the one before. Entries and links are never changed or deleted. `tenant_id` is the tenant's public id: both modes have one log.
create table audit_entries (
  tenant_id uuid not null references tenants,
  id uuid not null,
  at timestamptz not null,
  -- Null: both modes', or not known.
  mode text check (mode in ('live', 'test')),
  -- person, key, command, system, unknown
  actor text not null,
  -- Of the user, or of the key.
  actor_id uuid,
  session_id uuid,
  address text,
  user_agent text,
  request_id uuid,
  operation text not null,
  -- Public ids: as whoever reads the log knows the thing.
  object text,
  object_id text,
  organization_id uuid,
  outcome text not null check (outcome in ('done', 'refused')),
  -- Before, after, counts. What is a contact's is a digest here, of a row of audit_values.
  content jsonb not null,
  -- Of the canonical form of all columns above.
  digest bytea not null,
  primary key (tenant_id, id)
);
create index audit_entries_by_actor on audit_entries (tenant_id, actor_id, id);
create index audit_entries_by_operation on audit_entries (tenant_id, operation, id);
create index audit_entries_by_object on audit_entries (tenant_id, object_id, id);

-- What entries say of contacts: deleted when the contact is erased, which leaves the entry and its digest as they are.
create table audit_values (
  tenant_id uuid not null,
  entry_id uuid not null,
  digest text not null,
  phone text not null,
  salt bytea not null,
  -- As JSON.
  value text not null,
  primary key (tenant_id, entry_id, digest),
  foreign key (tenant_id, entry_id) references audit_entries
);
create index audit_values_by_phone on audit_values (tenant_id, phone);

-- What is to join the chain of its tenant; written with the thing itself, deleted when it is linked.
create table chain_waiting (
  tenant_id uuid not null references tenants,
  kind text not null,
  ref uuid not null,
  digest bytea not null,
  primary key (tenant_id, kind, ref)
);

create table chain_links (
  tenant_id uuid not null references tenants,
  seq bigint not null,
  kind text not null,
  ref uuid not null,
  digest bytea not null,
  hash bytea not null,
  linked_at timestamptz not null,
  primary key (tenant_id, seq),
  unique (tenant_id, kind, ref)
);

-- Where a chain ends. Only so that one links at a time and knows after what: what counts is the links, and the heads that the journal keeps.
create table chain_heads (
  tenant_id uuid not null primary key references tenants,
  seq bigint not null,
  hash bytea not null,
  journaled_seq bigint not null default 0
);

-- Row security binds the tables' owner too: also a service that could not become parley_app changes and deletes none.
do $$
declare
  it text;
begin
  foreach it in array array['audit_entries', 'chain_links'] loop
    execute format('create policy append_only_update on %I as restrictive for update using (false)', it);
    execute format('create policy append_only_delete on %I as restrictive for delete using (false)', it);
  end loop;
end;
$$;

-- As it was in 0028, but for tables that are only added to.
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
      and not exists (select from pg_policy where polrelid = class.oid and polname = 'parley_app') as closed,
      exists (select from pg_policy where polrelid = class.oid and polname = 'append_only_delete') as added_to
    from pg_class class
    where class.relnamespace in (current_schema()::regnamespace, 'graphile_worker'::regnamespace)
      and class.relkind in ('r', 'p', 'v', 'S')
  loop
    if it.relkind = 'S' then
      if not has_sequence_privilege('parley_app', it.name, 'usage') then
        execute format('grant usage on sequence %s to parley_app', it.name);
      end if;
    elsif it.added_to then
      if not has_table_privilege('parley_app', it.name, 'insert') then
        execute format('grant select, insert on %s to parley_app', it.name);
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
