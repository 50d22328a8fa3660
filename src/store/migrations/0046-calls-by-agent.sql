-- The calls of one voice agent, in the order of their pages.
create index calls_by_agent on calls (tenant_id, agent_id, start_at);
