-- Where a node that holds calls listens for others, which carriers reach: `host:port`. Null for all others.
alter table nodes add column call_address text;
