-- What a campaign's conversations have found out, newest first.
create index extractions_by_time on extractions (tenant_id, campaign_id, extracted_at, thread_id);
