-- Which version of which agent had talked when a conversation was read. Null, of rows from before: the campaign's present one.
alter table extractions add column agent_id uuid, add column agent_version int;
