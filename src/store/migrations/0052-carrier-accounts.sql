-- Accounts with carriers: a tenant brings its own, in live mode alone.
create table carrier_accounts (
  tenant_id uuid not null references tenants,
  id uuid not null,
  -- The public id: how lanes, attempts, campaigns and numbers name it.
  carrier text not null,
  -- Null: any of the tenant's organizations may send and call by it.
  organization_id uuid,
  kind text not null,
  name text not null,
  -- Each field sealed by itself, under tenant, account and field (domain/numbers/carrier-account.ts).
  credentials jsonb not null,
  settings jsonb not null,
  status text not null check (status in ('new', 'connected', 'problem', 'suspended')),
  problem text,
  -- Rises with each change of credentials or settings: what was opened under an older one is used no more.
  revision int not null,
  last_checked_at timestamptz,
  created_at timestamptz not null,
  primary key (tenant_id, id),
  unique (tenant_id, carrier),
  foreign key (tenant_id, organization_id) references organizations
);

-- Whose an account is, for webhooks, which name the account alone.
create table carrier_account_owners (
  id uuid primary key,
  owner uuid not null references tenants
);

-- Who is limited to organizations uses what is theirs or the whole tenant's, and changes what is theirs.
do $$
declare
  of_all constant text := '(select coalesce(current_setting(''app.organizations'', true), '''') = '''')';
  theirs constant text := '(select nullif(current_setting(''app.organizations'', true), '''')::uuid[])::uuid[]';
begin
  execute format('create policy organization on carrier_accounts as restrictive for select using (%s or organization_id is null
    or organization_id = any(%s))', of_all, theirs);
  execute format('create policy organization_insert on carrier_accounts as restrictive for insert with check (%s or organization_id = any(%s))', of_all, theirs);
  execute format('create policy organization_update on carrier_accounts as restrictive for update using (%s or organization_id = any(%s))', of_all, theirs);
  execute format('create policy organization_delete on carrier_accounts as restrictive for delete using (%s or organization_id = any(%s))', of_all, theirs);
end;
$$;

-- What a number can do. Null: it was bought to call from, and a simulated one takes texts as well.
alter table phone_numbers add column sms boolean, add column mms boolean, add column voice boolean;
create index phone_numbers_by_carrier on phone_numbers (tenant_id, carrier);
