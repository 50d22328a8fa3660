-- Calls. A voice campaign is a campaign, its recipients are threads, and a dial is to a call what a message is to a text: the intent,
-- which waits for its lane. Everything that goes out takes the same way: intent, gate, attempt, carrier.

alter table campaigns drop constraint campaigns_status_check;
alter table campaigns add constraint campaigns_status_check
  check (status in ('processing', 'active', 'paused', 'completed', 'deleted', 'scheduled', 'running'));
drop index campaigns_open;
create index campaigns_open on campaigns (tenant_id, id) where status in ('processing', 'active', 'scheduled', 'running');

-- The last call of a conversation: when it was answered, and how it ended (domain/calls/redial.ts).
alter table threads add column called_at timestamptz, add column call_outcome text;

-- What a tenant has bought, or been given, to call from and to be called on.
create table phone_numbers (
  tenant_id uuid not null references tenants,
  phone text not null,
  id uuid not null,
  -- Null: any of the tenant's organizations may call from it.
  organization_id uuid,
  user_id uuid,
  carrier text not null,
  area_code text not null,
  -- The voice agent that answers calls to it.
  agent_id uuid,
  created_at timestamptz not null,
  -- Null while the carrier is asked for it. An order whose process died is taken up by the next one for the area code.
  bought_at timestamptz,
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
  -- The one for a tenant's single calls over this carrier: each says itself which number it is from.
  single boolean not null default false,
  primary key (tenant_id, id)
);
create unique index dial_lanes_single on dial_lanes (tenant_id, carrier) where single;
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
  -- The number of ours to call from; null: the lane's next.
  number text,
  agent_id uuid not null,
  agent_version int not null,
  purpose text not null check (purpose in ('call', 'redial', 'callback', 'transfer', 'single')),
  n int not null,
  state text not null check (state in ('scheduled', 'held', 'dialing', 'done', 'suppressed', 'expired', 'cancelled', 'unknown')),
  due_at timestamptz,
  rule text,
  reason text,
  -- Its call's id: given with the dial where somebody was told of it already, else made by the claim.
  call_id uuid,
  -- Of a single call: who wants it (else the agent's own user), and what it is for.
  user_id uuid,
  objective text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, campaign_id, id),
  foreign key (tenant_id, campaign_id, thread_id) references threads (tenant_id, campaign_id, id)
) with (fillfactor = 60);
create unique index dials_intent on dials (tenant_id, campaign_id, thread_id, n) where thread_id is not null;
create index dials_due on dials (tenant_id, lane_id, due_at, id) where due_at is not null;
-- Calls that somebody waits for go before outreach, and are few.
create index dials_due_first on dials (tenant_id, lane_id, due_at, id)
  where due_at is not null and purpose in ('callback', 'transfer', 'single');
-- The id of a single call is told before there is one.
create index dials_single on dials (tenant_id, call_id) where purpose = 'single';
create index dials_by_phone on dials (tenant_id, phone, id);
-- Recipients that were not reached, to be listed: few beside those that were.
create index dials_failed on dials (tenant_id, campaign_id, thread_id)
  where thread_id is not null
    and (state in ('suppressed', 'expired', 'unknown') or (state = 'done' and reason in ('no_answer', 'busy', 'declined', 'failed')));
-- The database itself refuses a second call to a recipient while one is going on.
create unique index dials_live on dials (tenant_id, campaign_id, thread_id) where state = 'dialing' and thread_id is not null;

-- The newest start of any of the tenant's calls, in milliseconds since 1970: the next one is at least one later, so that no page is cut
-- between two of one time.
create table call_clocks (
  tenant_id uuid primary key references tenants,
  last_start_ms bigint not null
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
-- Of an expression, so that no list is read from it: to a planner who knows of one large campaign, every call of the tenant is as good
-- as one of the campaign, and a small campaign's page would be looked for among a million others.
create unique index calls_start on calls (tenant_id, (start_at at time zone 'UTC'));
create index calls_by_campaign on calls (tenant_id, campaign_id, start_at);
create index calls_by_organization on calls (tenant_id, organization_id, start_at);
create index calls_by_user on calls (tenant_id, user_id, start_at) where user_id is not null;
create index calls_by_phone on calls (tenant_id, phone, start_at);
create index calls_open on calls (tenant_id, campaign_id) where status in ('registered', 'ongoing');
create index calls_open_by_phone on calls (tenant_id, phone) where status in ('registered', 'ongoing');
-- A call that a carrier brings twice is one call.
create unique index calls_incoming on calls (tenant_id, carrier, carrier_id) where direction = 'inbound';
create index calls_of_node on calls (node_id) where status in ('registered', 'ongoing');
create index calls_unanalysed on calls (tenant_id, id) where analysed_at is null and status in ('ended', 'error');

-- What is large, and read for a page of calls only.
create table call_details (
  tenant_id uuid not null,
  call_id uuid not null,
  transcript text not null default '',
  -- domain/calls/report.ts's Utterance[] and TurnLatency[].
  utterances jsonb not null default '[]',
  latencies jsonb not null default '[]',
  extracted_fields jsonb not null default '{}',
  evidence jsonb not null default '{}',
  summary text,
  recording text,
  recording_bytes bigint,
  recording_ms int,
  -- Whole and decimal dollars by part, as domain/calls/cost.ts has it.
  cost jsonb,
  usage jsonb,
  voicemail_left boolean not null default false,
  primary key (tenant_id, call_id),
  foreign key (tenant_id, call_id) references calls (tenant_id, id) on delete cascade
);

-- What operators give an agent to take in while it is on the phone; the node that has the call takes them in order.
create table call_injections (
  tenant_id uuid not null,
  call_id uuid not null,
  id uuid not null,
  text text not null,
  created_at timestamptz not null,
  -- Null until the agent has been given it.
  taken_at timestamptz,
  primary key (tenant_id, call_id, id),
  foreign key (tenant_id, call_id) references calls (tenant_id, id) on delete cascade
);
create index call_injections_waiting on call_injections (tenant_id, call_id, id) where taken_at is null;

-- Recordings that nothing refers to any more, until their files have gone. doomed_at is real time.
create table doomed_objects (
  tenant_id uuid not null references tenants,
  name text not null,
  doomed_at timestamptz not null,
  primary key (tenant_id, name)
);
