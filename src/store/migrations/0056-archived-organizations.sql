-- Nothing goes out for an organization that is archived. Null: it is not.
alter table organizations add column archived_at timestamptz;
