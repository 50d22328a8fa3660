-- The foundation: tenants and what they own. sql.md's rules hold throughout: tenant_id leads every primary
-- key, unique index and foreign key of a tenant's table, ids are made in the program, there are no triggers.

create table tenants (
  id uuid primary key,
  name text not null,
  -- Moves with POST /v1/simulator/clock, forward only; every due time of the tenant is in its own time.
  clock_offset_ms bigint not null default 0 check (clock_offset_ms >= 0),
  created_at timestamptz not null
);

-- Found by `lookup`, the public part of the key's text, before the tenant is known.
create table api_keys (
  lookup text primary key,
  id uuid not null unique,
  tenant_id uuid not null references tenants,
  name text not null,
  mode text not null check (mode in ('live', 'test')),
  digest bytea not null,
  scopes text[] not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz
);
create index api_keys_by_tenant on api_keys (tenant_id, id);

create table organizations (
  tenant_id uuid not null references tenants,
  id uuid not null,
  name text not null,
  contact_email text,
  created_at timestamptz not null,
  primary key (tenant_id, id)
);

create table users (
  tenant_id uuid not null,
  id uuid not null,
  organization_id uuid not null,
  name text not null,
  email text not null,
  permission text not null check (permission in ('admin', 'member', 'viewer')),
  created_at timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, organization_id) references organizations
);
create unique index users_email on users (tenant_id, lower(email));
create index users_by_organization on users (tenant_id, organization_id, id);

create table agents (
  tenant_id uuid not null,
  id uuid not null,
  organization_id uuid not null,
  user_id uuid not null,
  type text not null check (type in ('sms', 'voice')),
  version int not null,
  voice_agent_id uuid,
  voice_llm_id uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, organization_id) references organizations,
  foreign key (tenant_id, user_id) references users
);
create index agents_by_organization on agents (tenant_id, organization_id, id);
create unique index agents_by_voice_id on agents (tenant_id, voice_agent_id) where voice_agent_id is not null;

-- A running campaign keeps the version it started with, so versions are never changed.
create table agent_versions (
  tenant_id uuid not null,
  agent_id uuid not null,
  version int not null,
  config jsonb not null,
  created_at timestamptz not null,
  primary key (tenant_id, agent_id, version),
  foreign key (tenant_id, agent_id) references agents
);

create table contacts (
  tenant_id uuid not null,
  id uuid not null,
  organization_id uuid not null,
  phone text not null,
  fields jsonb not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, organization_id) references organizations
);
create unique index contacts_phone on contacts (tenant_id, organization_id, phone);

create table lists (
  tenant_id uuid not null,
  id uuid not null,
  organization_id uuid not null,
  user_id uuid not null,
  name text not null,
  created_at timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, organization_id) references organizations
);
create index lists_by_organization on lists (tenant_id, organization_id, id);

create table list_members (
  tenant_id uuid not null,
  list_id uuid not null,
  contact_id uuid not null,
  primary key (tenant_id, list_id, contact_id),
  foreign key (tenant_id, list_id) references lists on delete cascade,
  foreign key (tenant_id, contact_id) references contacts on delete cascade
);

-- One row per phone a tenant knows. The claim holds it FOR SHARE, an opt-out FOR UPDATE: that order of two
-- locks is what makes "no text after a STOP" a fact and not a hope.
create table consents (
  tenant_id uuid not null references tenants,
  phone text not null,
  opted_out_at timestamptz,
  opt_out_source text,
  opt_out_quote text,
  -- The moment of the latest keyword, by the carrier's clock: an older START never undoes a newer STOP.
  keyword_at timestamptz,
  primary key (tenant_id, phone)
);

-- organization_id is NO_ID for an entry that holds for the whole tenant.
create table do_not_call (
  tenant_id uuid not null references tenants,
  phone text not null,
  organization_id uuid not null,
  reason text,
  created_at timestamptz not null,
  primary key (tenant_id, phone, organization_id)
);

create table brands (
  tenant_id uuid not null references tenants,
  id text not null,
  fields jsonb not null,
  status text not null check (status in ('PENDING', 'ACTIVE', 'REJECTED')),
  reasons text[] not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id)
);

create table idempotency_keys (
  tenant_id uuid not null references tenants,
  operation text not null,
  key text not null,
  body_hash bytea not null,
  -- Ids that the request makes are derived from the seed, so that a repeat after a crash makes the same rows.
  seed uuid not null,
  status int,
  body text,
  started_at timestamptz not null,
  primary key (tenant_id, operation, key)
);
create index idempotency_keys_by_age on idempotency_keys (started_at);
