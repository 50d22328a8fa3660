-- The guard over recordings: an answered call that was to be recorded has a recording of its length, or somebody is told.

-- Real time. 'infinity' from the moment that a call is recorded; when it ends without a recording of its length, the time at which that is
-- looked into; else null.
alter table calls add column recording_due_at timestamptz;
create index calls_recording_due on calls (recording_due_at) where recording_due_at is not null;

-- Calls whose recording is missing, or is not as long as the call was. found_at is real time.
create table recording_alarms (
  tenant_id uuid not null,
  call_id uuid not null,
  problem text not null check (problem in ('missing', 'length')),
  found_at timestamptz not null,
  primary key (tenant_id, call_id),
  foreign key (tenant_id, call_id) references calls (tenant_id, id) on delete cascade
);
