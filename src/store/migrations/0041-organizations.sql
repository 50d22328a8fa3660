-- Who is limited to organizations sees and changes what belongs to them. The third fence: `app.organizations` is set for one transaction to
-- their ids (store/database/db.ts), and unset, as it is for whoever sees the whole tenant and for all sending, it keeps nobody from anything.

-- A person may work for several organizations. The first is the one that the user was made in.
alter table users add column organization_ids uuid[];
update users set organization_ids = array[organization_id];
alter table users alter column organization_ids set not null;

-- What a member could do is what a manager can; an agent holds conversations.
alter table users drop constraint users_permission_check;
update users set permission = 'manager' where permission = 'member';
alter table users add constraint users_permission_check check (permission in ('admin', 'manager', 'agent', 'viewer'));

-- Null: the key sees the whole tenant.
alter table api_keys add column organization_ids uuid[];

-- In a select of its own the setting is read once a statement, and not for each row.
do $$
declare
  of_all constant text := '(select coalesce(current_setting(''app.organizations'', true), '''') = '''')';
  theirs constant text := '(select nullif(current_setting(''app.organizations'', true), '''')::uuid[])::uuid[]';
  none constant uuid := '00000000-0000-0000-0000-000000000000';
  it text;
begin
  foreach it in array array['agents', 'contacts', 'lists', 'campaigns', 'imports', 'calls'] loop
    execute format('create policy organization on %I as restrictive using (%s or organization_id = any(%s))', it, of_all, theirs);
  end loop;
  execute format('create policy organization on organizations as restrictive using (%s or id = any(%s))', of_all, theirs);
  execute format('create policy organization on users as restrictive using (%s or organization_ids && %s)', of_all, theirs);
  -- What belongs to no organization alone is the whole tenant's: everybody may see it, and only who sees the tenant may change it.
  execute format('create policy organization on phone_numbers as restrictive for select using (%s or organization_id is null
    or organization_id = any(%s))', of_all, theirs);
  execute format('create policy organization on do_not_call as restrictive for select using (%s or organization_id = %L
    or organization_id = any(%s))', of_all, none, theirs);
  foreach it in array array['phone_numbers', 'do_not_call'] loop
    execute format('create policy organization_insert on %I as restrictive for insert with check (%s or organization_id = any(%s))', it, of_all, theirs);
    execute format('create policy organization_update on %I as restrictive for update using (%s or organization_id = any(%s))', it, of_all, theirs);
    execute format('create policy organization_delete on %I as restrictive for delete using (%s or organization_id = any(%s))', it, of_all, theirs);
  end loop;
end;
$$;
