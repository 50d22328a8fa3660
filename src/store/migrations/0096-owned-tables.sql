-- Which tables are tenants', and by which column, also where nothing refers to `tenants`: a table that stands whole on every server of a
-- distributed database (docs/citus.md) can have no such foreign key. Once a table is under the policy it counts by the policy's column, too.
create or replace function tenant_tables() returns table (name regclass, tenant name) language sql stable as $$
  select class.oid::regclass, column_of.name
  from pg_class class
  cross join lateral (
    select attribute.attname as name
    from pg_attribute attribute
    where attribute.attrelid = class.oid and attribute.attnum > 0 and not attribute.attisdropped
      and (attribute.attname = case class.relname when 'tenants' then 'id' else 'tenant_id' end
        or exists (
          select from pg_constraint
          where conrelid = class.oid and contype = 'f' and conkey = array[attribute.attnum]
            and confrelid = to_regclass(format('%I.tenants', current_schema())))
        or exists (
          select from pg_policy join pg_depend on pg_depend.classid = 'pg_policy'::regclass and pg_depend.objid = pg_policy.oid
          where polrelid = class.oid and polname = 'tenant' and refclassid = 'pg_class'::regclass and refobjid = class.oid
            and refobjsubid = attribute.attnum))
    order by attribute.attname = 'tenant_id' desc, attribute.attnum
    limit 1
  ) column_of
  where class.relnamespace = current_schema()::regnamespace and class.relkind in ('r', 'p')
$$;
