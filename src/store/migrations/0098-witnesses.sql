-- A stand-in that is promoted begins another timeline of PostgreSQL's history, and may have missed commits. `timeline`: the one on which every process has
-- said that nothing is missing that it had committed; null where nobody has looked yet. Until then nothing is claimed. `is_synchronous`: whether commits
-- waited for a stand-in when a process last looked.
alter table cluster
  add column timeline int,
  add column is_synchronous boolean not null default false;

-- The processes that run and can say so. Each goes a step further by the second, and remembers how far the database had it: a database that has it less far
-- has missed commits.
create table witnesses (
  process_id uuid primary key,
  role text not null,
  step bigint not null,
  timeline int not null,
  seen_at timestamptz not null
);
