-- What kind of line a phone was found to be, by a carrier's look-up that the tenant has asked for: each is paid for, and so kept.
create table line_types (
  tenant_id uuid not null references tenants,
  phone text not null,
  line_type text not null,
  -- The phone's own carrier.
  carrier_name text,
  -- The account that was asked.
  carrier text not null,
  looked_up_at timestamptz not null,
  primary key (tenant_id, phone)
);

-- Whether texts to phones that are known as landlines are refused. Null: they are sent.
alter table screening_rules add column skip_landlines boolean;
