-- The ids of all tenants once more. On a distributed database this stays on the coordinator: while one of the servers is down, statements over all tenants
-- are those over the tenants of the others, which have to be known without asking it.
create table tenant_ids (id uuid primary key);
insert into tenant_ids (id) select id from tenants;
