-- Who marks everything as read forgets what he has read one by one.
create index thread_reads_of_user on thread_reads (tenant_id, user_id);
