-- To when the database was put back, and which nodes ran then: their journals have to account for what came after. Null: nobody knows.
alter table cluster
  add column fenced_as_of timestamptz,
  add column fence_nodes uuid[];

-- Numbers up to this one were given before the database was put back, some of them to events that it has forgotten: whoever follows the
-- log from one of them is told to read anew.
alter table event_heads add column floor bigint not null default 0;
