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

-- A sender that is new with its carrier begins slowly: when its first text left, in real time, and how many campaign texts since, for an hour.
alter table lanes add column first_sent_at timestamptz;
-- Null in demo data that was made before: those lanes are the simulator's, which has no first hour.
alter table lanes add column first_hour_texts int default 0;
-- What was there before has begun already.
update lanes set first_sent_at = '2000-01-01' where carrier <> 'simulator';
