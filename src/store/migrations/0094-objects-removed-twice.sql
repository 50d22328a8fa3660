-- An object that is removed from a shared store may still be on its way to it: it is removed once more when no upload of it can be under way any
-- more. Real time; null until the first removal.
alter table doomed_objects add column removed_at timestamptz;
-- How a node's objects fare on their way to the shared store, as it last said.
alter table nodes add column objects jsonb;
