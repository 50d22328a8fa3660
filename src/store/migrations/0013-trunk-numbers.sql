-- Which tenant has which number of a SIP trunk: the operator's stock, shared by all tenants, so that a number has one owner. Numbers nobody
-- has are in the trunk's settings only.
create table trunk_numbers (
  carrier text not null,
  phone text not null,
  owner uuid not null references tenants,
  primary key (carrier, phone)
);
