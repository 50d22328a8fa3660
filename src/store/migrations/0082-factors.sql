-- A second factor at sign-in: codes of an app (TOTP), passkeys, and recovery codes. Kept under the tenant's public id, as logins are.
create table factors (
  tenant_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  kind text not null check (kind in ('totp', 'passkey')),
  name text not null,
  -- Of an app: the shared secret, sealed under factors|tenant|id|secret, and the step of time whose code was accepted last: none of it or before is again.
  secret text,
  last_step bigint,
  -- Of a passkey: base64url of its id, its public key (COSE), and its count of signatures, which must rise unless it is always 0.
  credential text,
  public_key bytea,
  sign_count bigint,
  transports text[],
  created_at timestamptz not null,
  -- Null: nobody has shown yet that the app has it.
  confirmed_at timestamptz,
  last_used_at timestamptz,
  primary key (tenant_id, id),
  unique (tenant_id, credential),
  foreign key (tenant_id, user_id) references users
);
create index factors_by_user on factors (tenant_id, user_id, id);

-- Keyed digests. A code that is used is gone.
create table recovery_codes (
  tenant_id uuid not null,
  user_id uuid not null,
  digest bytea not null,
  created_at timestamptz not null,
  primary key (tenant_id, user_id, digest),
  foreign key (tenant_id, user_id) references users
);

-- Challenges are signed, not kept; one that was answered is kept until it is over, so that its answer counts once.
create table used_challenges (
  tenant_id uuid not null references tenants,
  digest bytea not null,
  expires_at timestamptz not null,
  primary key (tenant_id, digest)
);

-- Who must have a second factor: everybody of the tenant, or of these organizations.
create table sign_in_policies (
  tenant_id uuid primary key references tenants,
  factor_required boolean not null,
  required_of uuid[] not null,
  changed_at timestamptz not null
);

-- `pending` is what a session still lacks before it opens anything, `proved_at` when its person last showed who it is.
alter table sessions
  add column pending text check (pending in ('factor', 'enrolment')),
  add column proved_at timestamptz;
