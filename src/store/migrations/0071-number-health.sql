-- How the numbers that calls are placed from fare, day by day and campaign by campaign. Counted from the log of events with everything else
-- (operations/campaigns/count-activity.ts), so that neither a dial nor a page reads the calls. `day` is a UTC day of the tenant's time;
-- `campaign_id` is NO_ID outside of campaigns; what each figure counts is in store/campaigns/number-counting.ts.
create table number_days (
  tenant_id uuid not null,
  day date not null,
  number text not null,
  campaign_id uuid not null,
  placed int not null,
  answered int not null,
  complaints int not null,
  unwanted int not null,
  primary key (tenant_id, day, number, campaign_id)
) with (fillfactor = 70);

-- Which numbers rest, in the tenant's time. A row stays when a rest is over, since the next one is longer.
create table number_rests (
  tenant_id uuid not null,
  number text not null,
  rested_at timestamptz,
  resting_until timestamptz,
  reason text,
  -- Rests in a row that were not asked for.
  rests int not null default 0,
  -- Times of calls in the last day that were refused as unwanted, as ISO 8601.
  refusals jsonb not null default '[]',
  -- Calls of earlier days count against it no more.
  judged_from date,
  primary key (tenant_id, number)
);

-- What calls have been placed from a number on a day, by claims, and what its line's rate leaves (real time).
create table number_uses (
  tenant_id uuid not null,
  number text not null,
  day date not null,
  placed int not null,
  tokens real,
  tokens_at timestamptz,
  primary key (tenant_id, number)
) with (fillfactor = 50);
