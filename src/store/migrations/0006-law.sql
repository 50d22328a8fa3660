-- What the gate counts, what it was told, and what it said.

-- `outreach`: the contact had not asked for it, so it counts as an attempt. `based_on` is what the decision to let it go
-- rested on: profile, where the place is known from, zones, states, attempts in the day before (domain/sending/gate-facts.ts).
alter table attempts
  add column channel text not null default 'sms' check (channel in ('sms', 'voice')),
  add column outreach boolean not null default false,
  add column based_on text;
-- The claim asks it for the last day of 500 phones at once. Without it every claim would read the tenant's attempts.
create index attempts_by_phone on attempts (tenant_id, phone, at);

-- What the gate put off, each time: the message itself keeps only the latest word. What it let go is in attempts, what it
-- refused is on the message for good. No foreign keys: a row is written in the claim that locks its message.
create table holds (
  tenant_id uuid not null,
  phone text not null,
  at timestamptz not null,
  message_id uuid not null,
  campaign_id uuid not null,
  rule text not null,
  -- Null: until it is lifted or resumed.
  until timestamptz,
  primary key (tenant_id, phone, at, message_id)
);

-- An operator's orders not to reach out to a state for a time: a tenant's, and the whole service's.
create table calling_bans (
  tenant_id uuid not null references tenants,
  id uuid not null,
  jurisdiction text not null,
  channel text not null check (channel in ('any', 'sms', 'voice')),
  begins_at timestamptz not null,
  ends_at timestamptz check (ends_at > begins_at),
  reason text not null,
  created_at timestamptz not null,
  primary key (tenant_id, id)
);
create table service_calling_bans (
  id uuid primary key,
  jurisdiction text not null,
  channel text not null check (channel in ('any', 'sms', 'voice')),
  begins_at timestamptz not null,
  ends_at timestamptz check (ends_at > begins_at),
  reason text not null,
  created_at timestamptz not null
);
