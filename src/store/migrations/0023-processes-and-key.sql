-- Which process a node is: the sessions of one that died or hangs are found, and ended, by it. A process whose place was
-- lost takes another and is a new node; null for nodes of earlier releases.
alter table nodes add column process_id uuid;

-- A fingerprint of the secret key that this database's hashes were made with; null until a process has started on it.
alter table cluster add column secret_fingerprint text;
