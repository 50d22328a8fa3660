-- Leads of a request that their campaign could not take: without a usable number, with one that came before in it, or with the campaign's own.
-- `value` is the number: in E.164 if it is one, so that an erasure finds it, else as it was given; '' without one. `place` is the lead's in the
-- request's array, as is `duplicate_of`. The same request again adds nothing.
create table left_out_leads (
  tenant_id uuid not null,
  campaign_id uuid not null,
  id uuid not null,
  place int not null,
  value text not null,
  reason text not null,
  error text not null,
  duplicate_of int,
  primary key (tenant_id, campaign_id, id),
  foreign key (tenant_id, campaign_id) references campaigns
);
create unique index left_out_leads_once on left_out_leads (tenant_id, campaign_id, place, value, reason);
create index left_out_leads_by_value on left_out_leads (tenant_id, value);
