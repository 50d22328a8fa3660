-- The demo data of a tenant: what it consists of, and how far loading or removing it has come.

create table demos (
  tenant_id uuid not null references tenants,
  -- The ids of all that is made follow from it, so that a loading that was cut off makes the same again and not a second set.
  seed uuid not null,
  status text not null check (status in ('loading', 'loaded', 'failed', 'removing')),
  step text not null,
  done int not null default 0,
  total int not null,
  problem text,
  -- What belongs to it: whatever these organizations have, and brands, which belong to no organization.
  organization_ids uuid[] not null default '{}',
  brand_ids text[] not null default '{}',
  -- Until then (real time) somebody works on it.
  leased_until timestamptz not null,
  started_at timestamptz not null,
  finished_at timestamptz,
  primary key (tenant_id)
);
