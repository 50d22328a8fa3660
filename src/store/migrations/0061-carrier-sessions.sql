-- Carriers whose texts go over a session that one process has: their receipts name a text by their own id alone. The simulator's do not, and are most.
create index attempts_by_carrier_id on attempts (tenant_id, carrier, carrier_id) where carrier_id is not null and carrier <> 'simulator';

-- Receipts that no attempt is known for yet: the answer that names the carrier's id may come after them. Real time.
create table early_receipts (
  tenant_id uuid not null references tenants,
  carrier text not null,
  carrier_id text not null,
  status text not null,
  error_code text,
  received_at timestamptz not null,
  primary key (tenant_id, carrier, carrier_id, status)
);
create index early_receipts_by_time on early_receipts (received_at);

-- Parts of longer texts. Those of a text that was taken in are kept for a while, for they may be delivered again. Real time.
create table inbound_parts (
  tenant_id uuid not null references tenants,
  carrier text not null,
  sender text not null,
  recipient text not null,
  reference int not null,
  parts int not null,
  number int not null,
  -- Of the text: the same part again is the same, another under the same reference is another's.
  digest text not null,
  -- As a string of JSON: a part may end in the middle of a character.
  text text not null,
  sent_at timestamptz not null,
  received_at timestamptz not null,
  joined_at timestamptz,
  primary key (tenant_id, carrier, sender, recipient, reference, parts, number, digest)
);
create index inbound_parts_open on inbound_parts (received_at) where joined_at is null;
create index inbound_parts_by_sender on inbound_parts (tenant_id, sender);

-- What came lately may be delivered again to the process that takes a session over.
create index inbound_texts_lately on inbound_texts (tenant_id, carrier, received_at) where carrier <> 'simulator';

create index carrier_accounts_by_kind on carrier_accounts (kind, status);
