-- Calls. A voice campaign is a campaign, its recipients are threads, and a dial is to a call what a message is to a text: the intent,
-- which waits for its lane. Everything that goes out takes the same way: intent, gate, attempt, carrier.

alter table campaigns drop constraint campaigns_status_check;
alter table campaigns add constraint campaigns_status_check
  check (status in ('processing', 'active', 'paused', 'completed', 'deleted', 'scheduled', 'running'));

-- What a tenant has bought, or been given, to call from and to be called on.
create table phone_numbers (
  tenant_id uuid not null references tenants,
  phone text not null,
  id uuid not null,
  organization_id uuid not null,
  user_id uuid,
  carrier text not null,
  area_code text not null,
  -- The voice agent that answers calls to it.
  agent_id uuid,
  created_at timestamptz not null,
  primary key (tenant_id, phone),
  foreign key (tenant_id, organization_id) references organizations,
  foreign key (tenant_id, agent_id) references agents
);
create index phone_numbers_by_organization on phone_numbers (tenant_id, organization_id, id);

-- A lane of calls: a voice campaign (its id is the lane's), an SMS campaign whose contacts asked to be called, or a tenant's single calls.
-- How many of its calls are going on is counted from the calls themselves: a number that is kept beside them would drift.
create table dial_lanes (
  tenant_id uuid not null references tenants,
  id uuid not null,
  carrier text not null,
  -- Our numbers, taken in turns.
  numbers text[] not null,
  next_number int not null default 0,
  per_second real not null,
  concurrency int not null,
  tokens double precision not null default 0,
  tokens_at timestamptz not null,
  -- After too many failures in a row nothing is dialled until then.
  broken_until timestamptz,
  failures int not null default 0,
  next_due_at timestamptz,
  primary key (tenant_id, id)
);
create index dial_lanes_due on dial_lanes (tenant_id, next_due_at) where next_due_at is not null;

-- due_at is set only while a dial waits for its lane. `n` is 1 for a recipient's first call; with the thread it is the intent, and an intent
-- exists once. A single call has NO_ID for its campaign and no thread.
create table dials (
  tenant_id uuid not null,
  campaign_id uuid not null,
  id uuid not null,
  thread_id uuid,
  lane_id uuid not null,
  phone text not null,
  contact_id uuid,
  agent_id uuid not null,
  agent_version int not null,
  purpose text not null check (purpose in ('call', 'redial', 'callback', 'transfer', 'single')),
  n int not null,
  state text not null check (state in ('scheduled', 'held', 'dialing', 'done', 'suppressed', 'expired', 'cancelled', 'unknown')),
  due_at timestamptz,
  rule text,
  reason text,
  call_id uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, campaign_id, id),
  foreign key (tenant_id, campaign_id, thread_id) references threads (tenant_id, campaign_id, id)
) with (fillfactor = 60);
create unique index dials_intent on dials (tenant_id, campaign_id, thread_id, n) where thread_id is not null;
create index dials_due on dials (tenant_id, lane_id, due_at, id) where due_at is not null;
create index dials_by_phone on dials (tenant_id, phone, id);
-- The database itself refuses a second call to a recipient while one is going on.
create unique index dials_live on dials (tenant_id, campaign_id, thread_id) where state = 'dialing' and thread_id is not null;

-- The newest start of any of the tenant's calls: the next one is at least a millisecond later, so that no page is cut between two of one time.
create table call_clocks (
  tenant_id uuid primary key references tenants,
  last_start_at timestamptz(3) not null
);

create table calls (
  tenant_id uuid not null,
  id uuid not null,
  organization_id uuid not null,
  user_id uuid,
  -- NO_ID for a single call and for one that came in.
  campaign_id uuid not null,
  thread_id uuid,
  dial_id uuid,
  contact_id uuid,
  direction text not null check (direction in ('outbound', 'inbound')),
  purpose text not null,
  carrier text not null,
  carrier_id text,
  agent_id uuid not null,
  agent_version int not null,
  -- Ours, and the contact's.
  number text not null,
  phone text not null,
  status text not null check (status in ('registered', 'ongoing', 'ended', 'not_connected', 'error')),
  reason text,
  carrier_code text,
  answerer text,
  in_voicemail boolean not null default false,
  successful boolean not null default false,
  sentiment text not null default 'Unknown',
  duration_ms int not null default 0,
  -- The answer's time, or the dial's where nothing answered: unique, see call_clocks.
  start_at timestamptz(3) not null,
  dialed_at timestamptz not null,
  answered_at timestamptz,
  end_at timestamptz,
  -- Who conducts it: when that node is lost, so is the call.
  node_id uuid not null,
  -- Somebody wants it to end: the node that has it sees to that.
  stop_requested_at timestamptz,
  analysed_at timestamptz,
  created_at timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, organization_id) references organizations
) with (fillfactor = 70);
create unique index calls_start on calls (tenant_id, start_at);
create index calls_by_campaign on calls (tenant_id, campaign_id, start_at);
create index calls_by_organization on calls (tenant_id, organization_id, start_at);
create index calls_by_phone on calls (tenant_id, phone, start_at);
create index calls_open on calls (tenant_id, campaign_id) where status in ('registered', 'ongoing');
create index calls_of_node on calls (node_id) where status in ('registered', 'ongoing');
create index calls_unanalysed on calls (tenant_id, id) where analysed_at is null and status in ('ended', 'error');

-- What is large, and read for a page of calls only.
create table call_details (
  tenant_id uuid not null,
  call_id uuid not null,
  transcript text not null default '',
  -- domain/call-report.ts's Utterance[] and TurnLatency[].
  utterances jsonb not null default '[]',
  latencies jsonb not null default '[]',
  extracted_fields jsonb not null default '{}',
  evidence jsonb not null default '{}',
  summary text,
  recording text,
  recording_bytes bigint,
  recording_ms int,
  -- Whole and decimal dollars by part, as domain/call-cost.ts has it.
  cost jsonb,
  usage jsonb,
  voicemail_left boolean not null default false,
  primary key (tenant_id, call_id),
  foreign key (tenant_id, call_id) references calls (tenant_id, id) on delete cascade
);
