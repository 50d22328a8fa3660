-- Pictures and other files that came with a text. Noted in the text's own transaction, fetched from the carrier afterwards. `url` is where the
-- carrier has it, null once nothing is to be fetched any more; `due_at` (real time) is when it is to be tried, null as well then.
-- A kept one's bytes are in the object store, under a name that its id gives.
create table message_media (
  tenant_id uuid not null references tenants,
  id uuid not null,
  campaign_id uuid not null,
  message_id uuid not null,
  phone text not null,
  carrier text not null,
  state text not null check (state in ('waiting', 'kept', 'failed')),
  url text,
  content_type text,
  bytes int,
  problem text,
  tries smallint not null default 0,
  due_at timestamptz,
  created_at timestamptz not null,
  primary key (tenant_id, id)
);
create index message_media_of_message on message_media (tenant_id, message_id, id);
create index message_media_due on message_media (tenant_id, due_at) where due_at is not null;
-- How much came within a day, from all and from one phone.
create index message_media_lately on message_media (tenant_id, created_at) include (phone, bytes);

-- Addresses of pictures that a text of ours takes along: the carrier fetches them.
alter table messages add column media_urls text[];
alter table simulator_texts add column media_urls text[];
