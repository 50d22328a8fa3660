-- What happened, counted by the hour, so that no page reads a million texts. The counts are made from the log of events in its order
-- (operations/campaigns/count-activity.ts), so each event is counted once, and they stay when the log is cut.

-- `hour` begins a UTC hour in the tenant's time. `campaign_id` is NO_ID outside of campaigns; `number` is ours; `area_code` the contact's, '' where
-- the number has none. `measure` and the rest are in domain/campaigns/activity.ts.
create table activity_counts (
  tenant_id uuid not null,
  hour timestamptz not null,
  organization_id uuid not null,
  campaign_id uuid not null,
  agent_id uuid not null,
  number text not null,
  area_code text not null,
  measure text not null,
  n bigint not null,
  primary key (tenant_id, hour, organization_id, campaign_id, agent_id, number, area_code, measure)
) with (fillfactor = 70);
create index activity_counts_by_campaign on activity_counts (tenant_id, campaign_id, hour);
create policy organization on activity_counts as restrictive using (
  (select coalesce(current_setting('app.organizations', true), '') = '')
  or organization_id = any((select nullif(current_setting('app.organizations', true), '')::uuid[])::uuid[]));

-- The last event that was counted, by its number. Locked by whoever counts.
create table activity_heads (
  tenant_id uuid not null,
  seq bigint not null,
  primary key (tenant_id)
);
