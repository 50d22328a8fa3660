-- What a tenant may spend on a day, in millionths of a dollar, and whose days these are. Null: without a limit.
alter table tenants add column spend_limit_micros bigint;
alter table tenants add column spend_zone text not null default 'America/New_York';

-- What each day has cost so far. With a limit a claim locks the day's row before it takes anything; without one it adds to it with its commit.
create table spend_days (
  tenant_id uuid not null references tenants (id),
  day date not null,
  micros bigint not null,
  primary key (tenant_id, day)
);
