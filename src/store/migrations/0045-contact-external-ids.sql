-- Contacts by the caller's own id, which need not be one contact's alone.
create index contacts_external_id on contacts (tenant_id, organization_id, (fields ->> 'external_id'), id)
  where fields ->> 'external_id' <> '';
