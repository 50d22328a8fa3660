-- Since when nothing of a tenant (of one mode of it) is sent and nobody is called, on whose order and why. Every claim reads it after it has
-- locked its lane, and whoever stops the sending waits for the lanes after writing it: so each claim either sees it or is seen.
alter table tenants add column sending_stopped_at timestamptz;
alter table tenants add column sending_stopped_by text;
alter table tenants add column sending_stop_reason text;
create index tenants_stopped on tenants (id) where sending_stopped_at is not null;
