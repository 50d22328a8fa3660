-- Of an attempt with a carrier that is handed a text only after a mark of its own: true until it is marked. Such a one has not left, whatever became of
-- its process. Null where it is marked, where its carrier needs no mark, and where a restore has made it doubtful.
alter table attempts add column unmarked boolean;
