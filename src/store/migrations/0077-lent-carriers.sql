-- An account with a carrier that one tenant, of who runs the service, lends to others: each has a row of its own for it, without credentials.
alter table carrier_accounts
  -- The public id of the account that is lent; null: it is the tenant's own.
  add column lent_from text,
  -- What the tenant may send by it, texts a second and a day, and call by it at once. Null: no such limit.
  add column texts_per_second real,
  add column texts_per_day int,
  add column calls_at_once int;

-- Whose account is lent to whom, and as what: read before it is known which tenant something is of.
create table lent_carriers (
  -- The account that is lent, by its public id, and whose it is.
  carrier text not null,
  owner uuid not null references tenants,
  -- Who has it, and the public id of their row.
  holder uuid not null references tenants,
  lent_as text not null,
  primary key (carrier, holder)
);
create unique index lent_carriers_by_row on lent_carriers (lent_as);

-- Which tenant has which number of a lent account: one at most. Those that nobody was given are the owner's.
create table lent_numbers (
  carrier text not null,
  phone text not null,
  holder uuid not null references tenants,
  lent_as text not null,
  primary key (carrier, phone)
);

-- What a tenant has sent by a lent account against its limits. Tokens and their time are real time, the day is the tenant's.
create table lent_carrier_uses (
  tenant_id uuid not null references tenants,
  carrier text not null,
  tokens real not null,
  tokens_at timestamptz not null,
  day date not null,
  texts int not null,
  primary key (tenant_id, carrier)
);
