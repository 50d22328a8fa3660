-- Tries at passwords, links and keys, counted over all nodes: of an account, an address or a device. `name` is a keyed digest of whose they
-- are. Times are milliseconds since 1970 by the database's clock: until `full_at_ms` some of them are used up, `at_ms` is when the last were
-- asked for, and `granted` how many of those were given.
create table guesses (
  name bytea primary key,
  at_ms bigint not null,
  full_at_ms bigint not null,
  granted int not null
) with (fillfactor = 50);
