-- Every number that stands in a row of an import that could not be taken, whichever cell it is in: an erasure finds the row by it. Null in rows
-- from before, which have `phone` alone.
alter table import_errors add column phones text[];
create index import_errors_by_phones on import_errors using gin (phones);
