-- Of an attempt that came back from the journal: a digest of what was handed over (domain/messaging/text-digest.ts), since the claim that had its words is
-- among what the database has forgotten. A carrier that does not keep our reference is asked by it.
alter table attempts add column text_digest text;
