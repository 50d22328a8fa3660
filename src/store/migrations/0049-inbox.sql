-- What people do with conversations among themselves: who takes care of one, what they note for each other, and what each has read.

alter table threads add column assignee_id uuid;
create index threads_assigned on threads (tenant_id, assignee_id) where assignee_id is not null;

-- Never part of a message. `kind`: `note`, or `assigned`, whose text is the name of who was assigned, '' for nobody. The author's name is as it
-- was; an API key has no user.
create table thread_notes (
  tenant_id uuid not null,
  campaign_id uuid not null,
  thread_id uuid not null,
  id uuid not null,
  kind text not null,
  author_id uuid,
  author text,
  text text not null,
  created_at timestamptz not null,
  primary key (tenant_id, campaign_id, thread_id, id),
  foreign key (tenant_id, campaign_id, thread_id) references threads (tenant_id, campaign_id, id)
);

-- Up to which step a user has read a conversation.
create table thread_reads (
  tenant_id uuid not null,
  campaign_id uuid not null,
  thread_id uuid not null,
  user_id uuid not null,
  step int not null,
  primary key (tenant_id, campaign_id, thread_id, user_id),
  foreign key (tenant_id, campaign_id, thread_id) references threads (tenant_id, campaign_id, id)
);

-- Up to when a user has read everything of an organization; before there is a row, until the user was made.
create table inboxes (
  tenant_id uuid not null,
  user_id uuid not null,
  organization_id uuid not null,
  read_until timestamptz not null,
  primary key (tenant_id, user_id, organization_id)
);
create policy organization on inboxes as restrictive using (
  (select coalesce(current_setting('app.organizations', true), '') = '')
  or organization_id = any((select nullif(current_setting('app.organizations', true), '')::uuid[])::uuid[]));
