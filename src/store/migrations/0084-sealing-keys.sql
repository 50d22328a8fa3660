-- Under which key secrets are sealed from now on; null: the one that is derived from the secret key.
alter table cluster add column sealing_key text;

-- Which sealing keys each running process has: nothing is sealed under one that some process does not have. A row not seen for a while is of a process that is gone.
create table sealing_processes (
  id uuid primary key,
  name text not null,
  keys text[] not null,
  seen_at timestamptz not null
);
