-- The conversations of a tenant and of a campaign, the one last written to by its contact first. `state` is in none of them: it changes
-- with every text, and those updates stay heap-only.

create index threads_written on threads (tenant_id, last_inbound_at desc, id desc) where last_inbound_at is not null;
create index threads_written_of_campaign on threads (tenant_id, campaign_id, last_inbound_at desc, id desc) where last_inbound_at is not null;

-- Those that few are: the last text is the contact's and no answer is on its way; and those that a person has.
create index threads_unanswered on threads (tenant_id, last_inbound_at desc, id desc)
  where last_inbound_step = next_step - 1 and reply_due_at is null and not do_not_message;
create index threads_taken_over on threads (tenant_id, last_inbound_at desc, id desc)
  where not agent_awake and last_inbound_at is not null;

-- Simulated calls of phones that a person plays: what was asked of the call and not taken yet, and what has been said so far.
alter table simulator_calls add column is_played boolean not null default false;
alter table simulator_calls add column answered_at timestamptz;
alter table simulator_calls add column asked jsonb not null default '[]';
alter table simulator_calls add column said jsonb not null default '[]';
