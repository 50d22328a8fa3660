-- An import of 100,000 leads is one transaction. Statistics that are taken meanwhile see its pages and not its rows, and
-- the plans made from them read a campaign for each row of it. Where there are thousands of other rows they do no harm.
alter table attempts set (autovacuum_analyze_threshold = 5000);
alter table consents set (autovacuum_analyze_threshold = 5000);
alter table contacts set (autovacuum_analyze_threshold = 5000);
alter table messages set (autovacuum_analyze_threshold = 5000);
alter table threads set (autovacuum_analyze_threshold = 5000);
