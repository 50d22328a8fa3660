-- Campaigns and what leaves for their recipients. Columns that indexes name change as seldom as can be: every
-- other update of a message or thread is then a heap-only one, which is half the price at full speed.

create table campaigns (
  tenant_id uuid not null,
  id uuid not null,
  -- The caller's own id, unique per tenant over SMS and voice.
  campaign_id text not null,
  channel text not null check (channel in ('sms', 'voice')),
  name text,
  organization_id uuid not null,
  user_id uuid not null,
  agent_id uuid not null,
  agent_version int not null,
  carrier text not null,
  lane_id uuid not null,
  sender text not null,
  status text not null check (status in ('processing', 'active', 'paused', 'completed', 'deleted')),
  settings jsonb not null default '{}',
  begin_at timestamptz,
  end_at timestamptz,
  total int not null default 0,
  body_hash bytea not null,
  created_at timestamptz not null,
  completed_at timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, organization_id) references organizations,
  foreign key (tenant_id, user_id) references users,
  foreign key (tenant_id, agent_id, agent_version) references agent_versions
);
create unique index campaigns_own_id on campaigns (tenant_id, campaign_id);
create index campaigns_by_organization on campaigns (tenant_id, organization_id, id);
create index campaigns_open on campaigns (tenant_id, id) where status in ('processing', 'active');

-- How many recipients are in each state, and how many messages wait ('pending'), as a sum of changes: a batch
-- appends its change in the transaction that makes it, so counts are exact and no batch waits for another.
-- The sweep folds the changes together.
create table campaign_counts (
  tenant_id uuid not null,
  campaign_id uuid not null,
  change_id uuid not null,
  state text not null,
  n int not null,
  primary key (tenant_id, campaign_id, change_id, state)
);

-- A lane is a sender number of a tenant on a carrier: what it may send, and when it next has to.
create table lanes (
  tenant_id uuid not null references tenants,
  id uuid not null,
  carrier text not null,
  sender text not null,
  -- Texts a second; null: as fast as the carrier takes them.
  per_second real,
  tokens double precision not null default 0,
  tokens_at timestamptz not null,
  next_due_at timestamptz,
  primary key (tenant_id, id)
);
create unique index lanes_sender on lanes (tenant_id, carrier, sender);
create index lanes_due on lanes (tenant_id, next_due_at) where next_due_at is not null;

-- A thread is one recipient of one campaign: the conversation with a phone, and how far it has come.
create table threads (
  tenant_id uuid not null,
  campaign_id uuid not null,
  id uuid not null,
  contact_id uuid not null,
  lane_id uuid not null,
  phone text not null,
  state text not null default 'scheduled',
  reason text,
  -- The step of the next message that is not planned (replies, people's own texts, what the contact writes).
  next_step int not null default 1000,
  first_sent_at timestamptz,
  last_inbound_at timestamptz,
  -- The newest text of the contact, and the newest one that the agent has dealt with.
  last_inbound_step int,
  answered_step int,
  -- False while a person has the conversation.
  agent_awake boolean not null default true,
  do_not_message boolean not null default false,
  outcome text,
  -- When the agent asked for a call instead. Placed once there is a voice carrier.
  transfer_requested_at timestamptz,
  -- When the contact asked to be called.
  call_scheduled_at timestamptz,
  -- Set while a text of the contact waits for its answer, in the tenant's time.
  reply_due_at timestamptz,
  updated_at timestamptz not null,
  foreign key (tenant_id, campaign_id) references campaigns,
  foreign key (tenant_id, contact_id) references contacts
) with (fillfactor = 70);
create unique index threads_phone on threads (tenant_id, campaign_id, phone);
create index threads_by_phone on threads (tenant_id, phone);
create index threads_reply_due on threads (tenant_id, reply_due_at) where reply_due_at is not null;
-- The last of its indexes: to a planner that sees an empty table, threads_phone is as good a way to a thread by its id,
-- and the newest of equals is taken. A foreign key's check keeps that plan, and then reads the campaign for each message.
alter table threads add primary key (tenant_id, campaign_id, id);

-- due_at is set only while a message waits for its lane. `step` is 0 for the starting message, 1.. for drips,
-- 1000.. for what the conversation adds; with the thread it is the intent, and an intent exists once.
-- A text from a stranger has NO_ID for its campaign and no thread.
create table messages (
  tenant_id uuid not null,
  campaign_id uuid not null,
  id uuid not null,
  thread_id uuid,
  lane_id uuid not null,
  phone text not null,
  direction text not null check (direction in ('outbound', 'inbound')),
  kind text not null,
  step int not null,
  state text not null,
  due_at timestamptz,
  text text,
  segments smallint,
  reason text,
  rule text,
  carrier_id text,
  created_at timestamptz not null,
  sent_at timestamptz,
  updated_at timestamptz not null,
  primary key (tenant_id, campaign_id, id),
  foreign key (tenant_id, campaign_id, thread_id) references threads (tenant_id, campaign_id, id)
) with (fillfactor = 60);
create unique index messages_intent on messages (tenant_id, campaign_id, thread_id, step) where thread_id is not null;
create index messages_due on messages (tenant_id, lane_id, due_at, id) where due_at is not null;
create index messages_strangers on messages (tenant_id, phone, id) where thread_id is null;

-- The attempt ledger. `ref` is planted with the carrier. No foreign key to messages: the row is written in the
-- transaction that updates its message, and the check would lock that row a second time.
create table attempts (
  tenant_id uuid not null,
  ref uuid not null,
  campaign_id uuid not null,
  message_id uuid not null,
  phone text not null,
  state text not null check (state in ('in_flight', 'uncertain', 'accepted', 'rejected', 'not_sent', 'held')),
  node_id uuid not null,
  carrier text not null,
  sender text not null,
  carrier_id text,
  error_code text,
  at timestamptz not null,
  settled_at timestamptz,
  -- Real time, not the tenant's: when a lost reply may be looked up, or an attempt counts as lost.
  check_at timestamptz not null,
  primary key (tenant_id, ref)
) with (fillfactor = 60);
-- The database itself refuses a second live attempt at a message.
create unique index attempts_live on attempts (tenant_id, message_id)
  where state in ('in_flight', 'uncertain', 'accepted', 'held');
create index attempts_open on attempts (tenant_id, phone) where state in ('in_flight', 'uncertain');

-- What a carrier brought, once each, whatever became of it.
create table inbound_texts (
  tenant_id uuid not null references tenants,
  carrier text not null,
  carrier_id text not null,
  sender text not null,
  recipient text not null,
  text text not null,
  sent_at timestamptz not null,
  received_at timestamptz not null,
  outcome text not null,
  primary key (tenant_id, carrier, carrier_id)
);

create table extractions (
  tenant_id uuid not null,
  campaign_id uuid not null,
  thread_id uuid not null,
  fields jsonb not null,
  evidence jsonb not null,
  lead_outcome text,
  objective_met boolean not null,
  do_not_message boolean not null,
  call_transferred boolean not null,
  call_scheduled boolean not null,
  call_scheduled_time timestamptz,
  extracted_at timestamptz not null,
  -- The newest step it was made from: an older run never overwrites a newer one.
  through_step int not null,
  primary key (tenant_id, campaign_id, thread_id),
  foreign key (tenant_id, campaign_id, thread_id) references threads (tenant_id, campaign_id, id)
);

-- Running processes. Each holds a session advisory lock on its own id; a row without its lock is a dead node.
create table nodes (
  id uuid primary key,
  lock_key bigint not null,
  roles text[] not null,
  queue_workers text[] not null default '{}',
  started_at timestamptz not null,
  lost_at timestamptz
);
