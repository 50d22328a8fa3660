-- A tenant has two rows, one for what is live and one for what is tried out: whatever belongs to a mode has that row's id as its
-- tenant_id, so that what keeps tenants apart keeps modes apart too. `account_id` is the id that people know the tenant by, of one of the
-- two: its API keys, logins, sessions and invitations are there. `other_id` is the row of the other mode.
alter table tenants add column mode text check (mode in ('live', 'test'));
alter table tenants add column account_id uuid;
alter table tenants add column other_id uuid;

-- What is here stays where it is: with what was sent for real where anything could be, else with what was tried out.
update tenants set mode = 'test', account_id = id, other_id = md5('other mode ' || id)::uuid;
update tenants set mode = 'live' where id in (select tenant_id from api_keys where mode = 'live');
update tenants set mode = 'live' where exists (select from campaigns it where it.tenant_id = tenants.id and it.carrier <> 'simulator');
update tenants set mode = 'live' where exists (select from phone_numbers it where it.tenant_id = tenants.id and it.carrier <> 'simulator');
update tenants set mode = 'live' where exists (select from calls it where it.tenant_id = tenants.id and it.carrier <> 'simulator');

-- The simulator's clock is the test mode's alone.
update tenants set clock_offset_ms = 0 where mode = 'live';

insert into tenants (id, name, created_at, mode, account_id, other_id)
select other_id, name, created_at, case mode when 'live' then 'test' else 'live' end, id, id from tenants
on conflict do nothing;

alter table tenants alter column mode set not null;
alter table tenants alter column account_id set not null;
alter table tenants alter column other_id set not null;

-- Organizations and users are the same in both modes, but for those that a test key or the demo data makes: they are in test mode alone.
alter table users add column test_only boolean not null default false;
update users it set test_only = true
where exists (select from demos demo where demo.tenant_id = it.tenant_id and it.organization_id = any(demo.organization_ids));
drop index users_email;
create unique index users_email on users (tenant_id, lower(email), test_only) where deleted_at is null;

insert into organizations (tenant_id, id, name, contact_email, created_at)
select tenant.other_id, it.id, it.name, it.contact_email, it.created_at
from organizations it join tenants tenant on tenant.id = it.tenant_id
where not exists (select from demos demo where demo.tenant_id = it.tenant_id and it.id = any(demo.organization_ids))
on conflict do nothing;

insert into users (tenant_id, id, organization_id, name, email, permission, created_at, deleted_at)
select tenant.other_id, it.id, it.organization_id, it.name, it.email, it.permission, it.created_at, it.deleted_at
from users it join tenants tenant on tenant.id = it.tenant_id
where not exists (select from demos demo where demo.tenant_id = it.tenant_id and it.organization_id = any(demo.organization_ids))
on conflict do nothing;

-- Who is not to be contacted is not to be contacted in either mode. What a tenant noted before it went live holds once it does.
insert into do_not_call (tenant_id, phone, organization_id, reason, created_at, source, added_by)
select tenant.other_id, it.phone, it.organization_id, it.reason, it.created_at, it.source, it.added_by
from do_not_call it join tenants tenant on tenant.id = it.tenant_id
where not exists (select from demos demo where demo.tenant_id = it.tenant_id and it.organization_id = any(demo.organization_ids))
on conflict do nothing;

insert into consents (tenant_id, phone, opted_out_at, opt_out_source, keyword_at)
select tenant.other_id, it.phone, it.opted_out_at, 'other_mode', it.keyword_at
from consents it join tenants tenant on tenant.id = it.tenant_id
where it.opted_out_at is not null and tenant.mode = 'test'
on conflict do nothing;
