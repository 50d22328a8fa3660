-- Numbers, brands and 10DLC campaigns of a tenant's own account with a carrier.

-- When the carrier was last asked what became of an order whose request is over.
alter table phone_numbers add column asked_at timestamptz;
create index phone_numbers_ordered on phone_numbers (created_at) where bought_at is null;

-- The account that it is registered by, and when its registry was last asked. Null: the simulated registry.
alter table brands add column carrier text, add column asked_at timestamptz;
alter table ten_dlc_campaigns add column asked_at timestamptz;
