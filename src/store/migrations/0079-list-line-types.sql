-- A list whose phones' lines are looked up because somebody has asked for it: how far that is. All null: nobody has.
alter table lists
  -- 'importing' until its file has been read, then 'waiting', 'completed' or 'failed'.
  add column line_lookup text,
  add column line_lookup_problem text,
  -- Phones that were looked up, each of which is paid for.
  add column lines_looked_up int,
  -- The account that was named; null: the only one.
  add column line_lookup_carrier uuid,
  add column line_lookup_max_age_days int,
  -- The process that works on it is taken for dead after this.
  add column line_lookup_leased_until timestamptz;

create index lists_line_lookups on lists (tenant_id, id) where line_lookup = 'waiting';
