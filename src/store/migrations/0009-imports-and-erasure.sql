-- Imports of contacts from files, and what is kept of persons who were erased.

-- The file itself is in the data directory of the node that took it, until its last row is in. `created` to `failed` are
-- rows of the file; `removed`, `restored` and `kept` are contacts that an undo has looked at.
create table imports (
  tenant_id uuid not null,
  id uuid not null,
  organization_id uuid not null,
  user_id uuid not null,
  -- The list that it fills. No foreign key: lists are deleted, imports stay.
  list_id uuid not null,
  file_name text not null,
  -- The name that the file has in the data directory.
  upload uuid not null,
  bytes bigint not null,
  encoding text not null,
  delimiter text not null,
  -- The file's own header, and for each column the contact's field or null: [{"column": "Mobile", "field": "phone_number"}].
  columns jsonb not null,
  status text not null check (status in ('waiting', 'running', 'completed', 'failed', 'undoing', 'undone')),
  problem text,
  -- How far it has come, written in the transaction that writes the rows before it.
  byte_offset bigint not null,
  row_number bigint not null,
  created int not null default 0,
  updated int not null default 0,
  skipped int not null default 0,
  failed int not null default 0,
  removed int not null default 0,
  restored int not null default 0,
  kept int not null default 0,
  -- Who works on it, and until when (real time) nobody else may.
  runner uuid,
  leased_until timestamptz not null,
  created_at timestamptz not null,
  finished_at timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, organization_id) references organizations
);
create index imports_by_organization on imports (tenant_id, organization_id, id);
create index imports_open on imports (tenant_id, id) where status in ('waiting', 'running', 'undoing');

-- What an undo needs: each contact that an import touched, with its fields before (null: it was made here), and the fields
-- that it was given. No foreign keys: a row is written and taken away under the lock of its import's row.
create table import_contacts (
  tenant_id uuid not null,
  import_id uuid not null,
  contact_id uuid not null,
  before jsonb,
  given jsonb,
  -- What the contact's updated_at was set to: another value says that somebody else has changed or used it since.
  at timestamptz not null,
  primary key (tenant_id, import_id, contact_id)
);

-- Rows that could not be taken. `phone` is there when the row has a usable one, so that an erasure finds it.
create table import_errors (
  tenant_id uuid not null,
  import_id uuid not null,
  row_number bigint not null,
  reason text not null,
  cells text[] not null,
  phone text,
  primary key (tenant_id, import_id, row_number)
);
create index import_errors_by_phone on import_errors (tenant_id, phone) where phone is not null;

-- Numbers of erased contacts as keyed hashes. One that had opted out is opted out again when it comes back; one that had
-- not is kept for some days, so that a file from before its erasure does not bring it back.
create table erased_phones (
  tenant_id uuid not null references tenants,
  hash bytea not null,
  erased_at timestamptz not null,
  opted_out_at timestamptz,
  opt_out_source text,
  keyword_at timestamptz,
  primary key (tenant_id, hash)
);

-- Numbers that a contact had before: its threads go on with the number that they began with. Null: none.
alter table contacts add column former_phones text[];

create index inbound_texts_by_sender on inbound_texts (tenant_id, sender);
