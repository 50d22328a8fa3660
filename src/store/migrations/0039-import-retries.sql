-- A row that was set aside (stuck_tasks) is read again when somebody wants it. Next to none are.
alter table import_errors add column retry_at timestamptz;
create index import_errors_to_retry on import_errors (retry_at) where retry_at is not null;
