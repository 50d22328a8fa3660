-- Each class of requests has room of its own in the log, so that none pushes another out. What a node of the release before writes is
-- taken for a change.
alter table request_log add column class text not null default 'change';
update request_log set class = case
    when status < 400 then 'read'
    when method = 'GET' then 'failed_read'
    else 'failed_change' end
  where status >= 400 or method = 'GET';
create index request_log_by_class on request_log (tenant_id, class, id);

-- What admins changed is kept longer than all the rest.
drop index request_log_by_age;
create index request_log_by_age on request_log (at) where class <> 'administration';
create index request_log_of_admins_by_age on request_log (at) where class = 'administration';
