-- Contacts by the caller's own id, which need not be one contact's alone. An entry of an index has less
-- room than a field: its first 200 signs, as many as a search has.
create index contacts_external_id on contacts (tenant_id, organization_id, left(fields ->> 'external_id', 200), id)
  where fields ->> 'external_id' <> '';
