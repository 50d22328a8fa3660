-- One row: which database this is, and how far it has come. The mark grows by the second while workers run; a record of it
-- outside the database that is ahead of it proves that the database was put back to an earlier day. While `fenced_at` is
-- set nothing is handed to a carrier: what was sent and who said stop since that day has to be accounted for first.
create table cluster (
  single boolean primary key default true check (single),
  id uuid not null default gen_random_uuid(),
  mark bigint not null default 0,
  fenced_at timestamptz,
  fence_reason text
);
insert into cluster default values;
