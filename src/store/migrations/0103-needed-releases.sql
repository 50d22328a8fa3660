-- From which release on nothing uses what a migration took away: those before it do not start over this schema. Null: it took nothing away.
alter table migrations add column needs_release text;
-- Of which release a process that runs is; null: of one from before this.
alter table witnesses add column release text;
