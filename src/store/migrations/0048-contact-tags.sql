-- Contacts that have tags, which are words in a field of theirs, in the order of lists.
create index contacts_tagged on contacts (tenant_id, organization_id, id) where fields ->> 'tags' <> '';
