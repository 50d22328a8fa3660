-- How long a tenant keeps what it has (docs/retention.md): by kind the days after which it is removed. What is not in it is kept, or kept as the service
-- keeps it. By mode, as a tenant's rows are.
alter table tenants add column retention jsonb not null default '{}';

-- How far the removal of a tenant's old rows has come. A batch has the row locked, and moves `place` in the transaction that removes: whoever goes on, and
-- after whatever, goes on there.
create table retention_walks (
  tenant_id uuid not null references tenants,
  kind text not null,
  -- What is from before this is removed: the beginning of a day.
  before timestamptz not null,
  -- How far it has come, by store/system/retention-walks.ts; null once it is through.
  place text[],
  -- How many rows of what it has removed, until it is through and the audit log has it.
  removed jsonb not null default '{}',
  primary key (tenant_id, kind)
);

-- What the figures of a campaign are computed from, of texts and calls that are gone.
create table removed_texts (
  tenant_id uuid not null,
  campaign_id uuid not null,
  -- Begins a UTC hour in the tenant's time: when they left or came.
  hour timestamptz not null,
  sent int not null,
  delivered int not null,
  failed int not null,
  received int not null,
  segments int not null,
  picture_texts int not null,
  primary key (tenant_id, campaign_id, hour)
);

create table removed_calls (
  tenant_id uuid not null,
  campaign_id uuid not null,
  -- Begins a UTC hour in the tenant's time: that of their start.
  hour timestamptz not null,
  sentiment text not null,
  -- '' for none.
  reason text not null,
  calls int not null,
  voicemail int not null,
  failed int not null,
  successful int not null,
  duration_ms bigint not null,
  -- How long each connected call was, in milliseconds: medians cannot be added.
  durations int[] not null,
  dollars numeric not null,
  primary key (tenant_id, campaign_id, hour, sentiment, reason)
);

-- When the texts of a conversation were removed: its follow-ups are not planned again, though nothing says any more that they have left. And whether the
-- contact had written: who writes again has not answered for the first time.
alter table threads
  add column texts_removed_at timestamptz,
  add column had_replies boolean;

-- Its recording was removed: a copy that turns up is not taken for the one that is missing.
alter table call_details add column recording_removed_at timestamptz;
create index call_details_recorded on call_details (tenant_id, call_id) where recording is not null;

create index inbound_texts_by_age on inbound_texts (tenant_id, received_at);

-- A table of ten million rows is otherwise left until two million are dead, and then cleaned in one long run. So it is cleaned at every fiftieth, which takes
-- minutes, and what is removed in batches is taken up as it goes.
alter table messages set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05);
alter table attempts set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05);
alter table threads set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05);
alter table calls set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05);
alter table dials set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05);
alter table call_details set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05);
alter table events set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05);
alter table request_log set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05);
