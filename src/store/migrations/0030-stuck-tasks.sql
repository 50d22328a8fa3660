-- What a process was at when it stood still and was ended (app/process/watchdog.ts): a text being read, an answer, a judgement, an extraction, the
-- analysis of a call. Once may be chance, and the row goes when the task ends well; the second time it is set aside. Nothing in it is a
-- contact's.
create table stuck_tasks (
  tenant_id uuid not null references tenants,
  kind text not null,
  id text not null,
  times int not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  set_aside_at timestamptz,
  -- Somebody has looked at it, and it is not to be tried again.
  discarded_at timestamptz,
  primary key (tenant_id, kind, id)
);
