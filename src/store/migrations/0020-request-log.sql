-- What happened today, and who asked for what: for the console's first page and the developers'.

-- The day's texts are summed from the log: a batch of 500 that a carrier took is one row of it, where `messages` has 500 without an
-- index by time.
create index events_of_day on events (tenant_id, at)
  where kind in ('message.sent', 'message.delivered', 'message.failed', 'message.received', 'contact.opted_out');

-- Requests as the nodes noted them, in sets; those of a second before a crash may be missing. `id` is the request's own and orders them.
create table request_log (
  tenant_id uuid not null,
  id uuid not null,
  -- Real time, as all of it.
  at timestamptz not null,
  method text not null,
  -- Without the values of its query, and with telephone numbers masked.
  path text not null,
  operation text not null,
  status smallint not null,
  ms int not null,
  -- Of the API key, or of the session of the user beside it.
  key_id uuid not null,
  user_id uuid,
  -- The first 2 kB of an error's answer; null of what went well.
  answer text,
  primary key (tenant_id, id)
);
create index request_log_failed on request_log (tenant_id, id) where status >= 400;
create index request_log_by_operation on request_log (tenant_id, operation, id);
create index request_log_by_age on request_log (at);
