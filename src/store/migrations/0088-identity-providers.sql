-- A tenant's identity providers (OpenID Connect), and who of its users signs in by them. Kept under the tenant's public id, as logins are.
create table identity_providers (
  tenant_id uuid not null references tenants,
  id uuid not null,
  name text not null,
  issuer text not null,
  client_id text not null,
  -- Sealed under identity_providers|tenant|id|client_secret; null: a client without one, which PKCE alone protects.
  client_secret text,
  scopes text[] not null,
  -- In lower case: whose addresses it may sign in.
  email_domains text[] not null,
  groups_claim text,
  -- [{"group", "permission", "organization_ids"}]
  group_roles jsonb not null,
  -- Of whom no group says otherwise; a null permission: nobody without one.
  permission text check (permission in ('admin', 'manager', 'agent', 'viewer')),
  organization_ids uuid[] not null,
  creates_users boolean not null,
  password_allowed boolean not null,
  -- Whether it asks for a second factor itself; and whether its addresses count where it does not say that they are verified.
  factor_trusted boolean not null,
  emails_trusted boolean not null,
  created_at timestamptz not null,
  changed_at timestamptz not null,
  primary key (tenant_id, id)
);

-- Who somebody at a provider is here. By the provider's own name of the person, never by an address.
create table identities (
  tenant_id uuid not null,
  provider_id uuid not null,
  subject text not null,
  user_id uuid not null,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  primary key (tenant_id, provider_id, subject),
  unique (tenant_id, provider_id, user_id),
  foreign key (tenant_id, provider_id) references identity_providers on delete cascade,
  foreign key (tenant_id, user_id) references users
);
create index identities_by_user on identities (tenant_id, user_id);
