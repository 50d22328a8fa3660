-- Consent with its proof, doubts about what a text asks for, national do-not-call files, and reassigned numbers.

-- What stands of a phone's consent, so that the claim has it with the row it locks anyway:
-- [{"basis": "express", "channel": "sms", "at": "2026-11-20T15:00:00.000Z"}]. Null: nothing.
alter table consents add column bases jsonb;
-- Set while a language model is asked whether the phone's latest text is an opt-out. Nothing leaves meanwhile.
alter table consents add column doubted_at timestamptz;
-- The text that is in doubt, as the carrier brought it: a key of inbound_texts.
alter table consents add column doubt_carrier text;
alter table consents add column doubt_carrier_id text;
create index consents_doubted on consents (tenant_id, doubted_at) where doubted_at is not null;

-- Everything that was ever said about a phone's consent. Rows are added, never changed.
create table consent_records (
  tenant_id uuid not null references tenants,
  phone text not null,
  id uuid not null,
  event text not null check (event in ('granted', 'revoked', 'resubscribed')),
  basis text,
  -- 'sms', 'voice' or 'any'.
  channel text not null,
  source text not null,
  proof text,
  -- The contact's own words.
  quote text,
  at timestamptz not null,
  recorded_at timestamptz not null,
  primary key (tenant_id, phone, id)
);

-- How strictly a tenant is screened. A tenant without a row has the defaults.
create table screening_rules (
  tenant_id uuid primary key references tenants,
  -- The least basis that outreach needs: 'none' asks for no record.
  require_consent text not null default 'none' check (require_consent in ('none', 'inquiry', 'express', 'express_written')),
  -- 'loaded': only area codes with a list are screened. 'all': outreach to an area code without one is refused.
  national_areas text not null default 'loaded' check (national_areas in ('loaded', 'all')),
  has_national_list boolean not null default false,
  -- Until then lists of any age will do; the operator's own decision.
  old_lists_until timestamptz
);

-- Who changed which rule, and why. Rows are added, never changed.
create table screening_changes (
  tenant_id uuid not null references tenants,
  id uuid not null,
  change jsonb not null,
  reason text not null,
  changed_at timestamptz not null,
  primary key (tenant_id, id)
);

-- Every import of a national file: what proves that the list was fetched, and when.
create table national_imports (
  tenant_id uuid not null references tenants,
  id uuid not null,
  kind text not null check (kind in ('full', 'change')),
  listed_on date not null,
  file text not null,
  added bigint not null default 0,
  deleted bigint not null default 0,
  started_at timestamptz not null,
  finished_at timestamptz,
  primary key (tenant_id, id)
);

-- The area codes that a tenant's subscription covers, each with the import whose numbers count and the list's date.
create table national_areas (
  tenant_id uuid not null references tenants,
  area_code smallint not null,
  import_id uuid not null,
  listed_on date not null,
  primary key (tenant_id, area_code)
);

-- An area code is 1.25 MB of bits, in pieces of 10,000 numbers: area code and exchange are the prefix. A piece is small
-- enough to stand in its row, so that one number costs one page and not the whole area code.
create table national_numbers (
  tenant_id uuid not null references tenants,
  import_id uuid not null,
  prefix int not null,
  bits bytea not null,
  primary key (tenant_id, import_id, prefix)
);

-- Asked of the reassigned-numbers database before the first text to a number; `answer` is null until it is there.
create table number_checks (
  tenant_id uuid not null references tenants,
  phone text not null,
  consent_at timestamptz not null,
  wanted_at timestamptz not null,
  answer text check (answer in ('yes', 'no', 'no_data')),
  answered_at timestamptz,
  primary key (tenant_id, phone)
);
create index number_checks_open on number_checks (tenant_id, wanted_at) where answer is null;
