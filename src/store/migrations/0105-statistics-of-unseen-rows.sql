-- As in 0005, and of tables whose statistics were taken while the first rows of an import were there but not committed: the planner takes such a
-- table for an empty one and reads all of it for each row that it looks up. Autovacuum may do so, too.
create or replace function refresh_statistics(hot text[]) returns void language plpgsql security definer set search_path from current as $$
declare
  name text;
begin
  for name in
    select class.relname from pg_catalog.pg_class class
    where class.relname = any(hot) and class.relnamespace = current_schema()::regnamespace
      and pg_relation_size(class.oid) > 64 * 8192
      and (class.reltuples < 0 or pg_relation_size(class.oid) > 10 * 8192::bigint * greatest(class.relpages, 1)
        -- What was committed since is counted; fewer than a thousand rows are read quickly.
        or pg_stat_get_live_tuples(class.oid) > 10 * greatest(class.reltuples, 100))
      and not exists (
        select from pg_catalog.pg_stat_activity
        where datname = current_database() and backend_xid is not null and xact_start < now() - interval '300 milliseconds')
  loop
    execute format('analyze (skip_locked) %I', name);
  end loop;
end;
$$;
