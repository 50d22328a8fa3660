-- 10DLC: campaigns as a registry knows them, the numbers that send under them, and what a brand has spent of its day.

-- The registry's vetting score, 1 to 100; null: not vetted. It decides what a day's budget is.
alter table brands add column score smallint;

-- Beside the facts, the bucket of the campaign's minute, in segments and in the tenant's time. Every claim of a registered
-- number writes it, so nothing that it changes is indexed.
create table ten_dlc_campaigns (
  tenant_id uuid not null,
  id text not null,
  brand_id text not null,
  fields jsonb not null,
  status text not null check (status in ('PENDING', 'ACTIVE', 'REJECTED')),
  reasons text[] not null default '{}',
  -- AT&T's class, and what it grants: segments a minute, and a day where the class itself has a limit.
  class text,
  per_minute int,
  per_day int,
  tokens double precision not null default 0,
  tokens_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, brand_id) references brands
) with (fillfactor = 70);

-- A number is under one campaign, and a campaign never changes its brand: the brand is repeated here so that a claim finds
-- both where it looks its number up.
create table ten_dlc_numbers (
  tenant_id uuid not null,
  phone text not null,
  ten_dlc_campaign_id text not null,
  brand_id text not null,
  created_at timestamptz not null,
  primary key (tenant_id, phone),
  foreign key (tenant_id, ten_dlc_campaign_id) references ten_dlc_campaigns
);
create index ten_dlc_numbers_by_brand on ten_dlc_numbers (tenant_id, brand_id, phone);

-- Segments of a brand on one day of the Pacific coast, by SMS campaign (NO_ID outside campaigns) and purpose. The brand's row
-- is the lock: whoever adds here holds it.
create table brand_day_uses (
  tenant_id uuid not null,
  brand_id text not null,
  day date not null,
  ten_dlc_campaign_id text not null,
  campaign_id uuid not null,
  outreach int not null default 0,
  conversation int not null default 0,
  primary key (tenant_id, brand_id, day, ten_dlc_campaign_id, campaign_id),
  foreign key (tenant_id, brand_id) references brands
);

-- The claim takes turns among a lane's campaigns, so it reads what is due campaign by campaign; texts of a conversation go
-- before all of them, and are few.
drop index messages_due;
create index messages_due_by_campaign on messages (tenant_id, lane_id, campaign_id, due_at, id) where due_at is not null;
create index messages_due_at_once on messages (tenant_id, lane_id, due_at, id)
  where due_at is not null and kind in ('reply', 'human', 'confirmation', 'help');
