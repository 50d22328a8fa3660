-- Contacts by the beginning of a name, opt-outs by their time, and who put a number on the do-not-call list.

-- Names that are there and say something; LIKE 'ann%' is a range of the index whatever the database's collation.
create index contacts_first_name on contacts (tenant_id, organization_id, lower(fields ->> 'first_name') text_pattern_ops)
  where fields ->> 'first_name' <> '';
create index contacts_last_name on contacts (tenant_id, organization_id, lower(fields ->> 'last_name') text_pattern_ops)
  where fields ->> 'last_name' <> '';

create index consents_opted_out on consents (tenant_id, opted_out_at, phone) where opted_out_at is not null;

-- 'person' (signed in to the console), 'api', 'import' or 'journal'; null for what is older than this.
alter table do_not_call add column source text check (source in ('person', 'api', 'import', 'journal'));
-- The user, where a person did it.
alter table do_not_call add column added_by uuid;
