-- What is known for certain, and what is to come back by itself.

-- Of an attempt that is not_sent: the contact may have got it all the same. A person had it sent again while nobody could say, or its
-- carrier said afterwards that it had taken it. It counts as an attempt at the contact as those do that were sent.
alter table attempts add column may_have_left boolean not null default false;

-- Real time. The carrier takes nothing from this sender until then: refused for a while, out of order, or barred. What a claim looks at
-- while it is set and past is only as much as tells whether that is over.
alter table lanes add column held_until timestamptz;

-- Which process has the turn whose lease is in reply_due_at: when it dies the turn is free at once.
alter table threads add column reply_node_id uuid;
-- When a conversation's fields, which are behind, are to be read, in the tenant's time.
alter table threads add column extraction_due_at timestamptz;
create index threads_extraction_due on threads (tenant_id, extraction_due_at) where extraction_due_at is not null;
