-- What happened, tenant by tenant, for whoever wants to follow it. A row is written in the transaction that makes the change, and stands for
-- as many events of one kind as that change made: a batch of 500 texts that a carrier took is one row. Numbers come later, from one that
-- gives them to committed rows alone (store/system/events.ts): so no transaction waits for another's number, and none is ever skipped.
create table events (
  tenant_id uuid not null,
  -- The order in which rows were written. What is caused by something committed comes after it.
  position bigint generated always as identity,
  kind text not null,
  -- In the tenant's time.
  at timestamptz not null,
  -- Null: the campaign's, where there is one.
  organization_id uuid,
  campaign_id uuid,
  -- Null: the campaign's; it says whether the event is of the simulator.
  carrier text,
  n int not null default 1,
  -- What the events are about, one an event: messages, calls, agents, imports. And the threads that those belong to.
  object_ids uuid[],
  thread_ids uuid[],
  -- A contact's number, where the event is about nothing else; emptied when the contact is erased.
  phone text,
  -- An object for all of the row's events, or a list with one for each.
  data jsonb not null default '{}',
  -- The number of the first; the others follow. Null until it is given. With it, the real time.
  seq bigint,
  numbered_at timestamptz,
  primary key (tenant_id, position)
);
-- Ids do not compress: trying costs more than it could ever save.
alter table events alter column object_ids set storage external, alter column thread_ids set storage external;
create unique index events_seq on events (tenant_id, seq) where seq is not null;
create index events_unnumbered on events (tenant_id, position) where seq is null;
create index events_by_phone on events (tenant_id, phone) where phone is not null;

-- The last number that each tenant's events have. Locked by nobody but who gives numbers.
create table event_heads (
  tenant_id uuid not null,
  seq bigint not null,
  primary key (tenant_id)
);

-- What of a campaign's counts was told last, so that it is told once, and again only when it has changed.
create table campaign_progress (
  tenant_id uuid not null,
  campaign_id uuid not null,
  counts jsonb not null,
  at timestamptz not null,
  primary key (tenant_id, campaign_id)
);
