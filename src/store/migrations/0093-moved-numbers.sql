-- An account that is lent no more still has receipts to come for what was sent by it: the loan is kept, as one that has ended.
alter table lent_carriers add column ended_at timestamptz;

-- Who had a number of a lent account before its holder now, the account's owner too: by the name that each has for the account. A STOP to the number is
-- obeyed by all of them who have texted that phone from it, and receipts of what they sent are theirs.
create table former_lent_numbers (
  carrier text not null,
  phone text not null,
  holder uuid not null references tenants,
  lent_as text not null,
  until timestamptz not null,
  primary key (carrier, phone, holder)
);

-- How far the look-up of a list's lines has come: it goes on after this phone.
alter table lists add column line_lookup_after text;

-- Toll-free numbers whose verification was requested, by the id that the carrier (in test mode the simulator) has for the request.
create table toll_free_verifications (
  tenant_id uuid not null references tenants,
  id text not null,
  -- The account that it was requested by; null in test mode.
  carrier text,
  phone text not null,
  fields jsonb not null,
  status text not null check (status in ('PENDING', 'VERIFIED', 'REJECTED')),
  reasons text[] not null default '{}',
  -- Until when a rejected one may be sent again; null: for ever, and false below: not at all.
  editable_until timestamptz,
  is_editable boolean not null default true,
  asked_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id)
);
create unique index toll_free_verifications_by_phone on toll_free_verifications (tenant_id, phone);
create index toll_free_verifications_pending on toll_free_verifications (tenant_id, id) where status = 'PENDING';
